/** The worker's end of its two lines: to main, through shared memory, and to the coordinator, for what that cannot carry. */
import type { EndpointEvents, EndpointPlatform } from '../endpoint.js';
import { Line } from '../line.js';
import { SharedEndpoint } from '../shared/worker/endpoint.js';
import { ARGUMENTS, type Posted, PostedArguments } from '../shared/messages.js';
import type { MessageToWorker } from '../messages.js';
import { Given } from './given.js';
import type { CoordinatedMemory } from './layout.js';
import { LINE, type LineMessage, type MessageToSeat } from './messages.js';

export class CoordinatedEndpoint extends SharedEndpoint {
  readonly #platform: EndpointPlatform;
  #line: Line | undefined;
  /** Arguments that the coordinator has sent. */
  readonly #given = new PostedArguments();

  constructor(port: Line, memory: CoordinatedMemory, platform: EndpointPlatform) {
    super(port, memory, platform, (seat) => new Given(seat, memory, platform));
    this.#platform = platform;
  }

  override drain(): void {
    super.drain();
    this.#line?.drain();
  }

  protected override takePosted(cell: number, id: number): Posted | undefined {
    return super.takePosted(cell, id) ?? this.#given.take(cell, id);
  }

  protected override hearMain(message: MessageToWorker | LineMessage, events: EndpointEvents): void {
    if (message[0] !== LINE) return super.hearMain(message as MessageToWorker, events);
    // A line of a new coordinator takes the place of that of a dead one, whose last words are heard before.
    this.#line?.drain();
    this.#line?.close();
    this.#line = new Line(this.#platform.port(message[1]));
    this.#line.listen((said) => {
      const heard = said as MessageToSeat;
      if (heard[0] === ARGUMENTS) this.#given.keep(heard);
      else events.retire();
    });
  }
}
