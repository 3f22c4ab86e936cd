/** The worker's end of its two lines: to main, through shared memory, and to the coordinator, for what that cannot carry. */
import type { EndpointEvents, EndpointPlatform } from '../endpoint.js';
import { AccountedLine, type Line } from '../line.js';
import { SharedEndpoint } from '../shared/worker/endpoint.js';
import { ARGUMENTS, type Posted, PostedArguments } from '../shared/messages.js';
import type { MessageToWorker } from '../messages.js';
import { Given } from './given.js';
import type { CoordinatedMemory } from './layout.js';
import { LINE, type LineMessage, type MessageToSeat } from './messages.js';

export class CoordinatedEndpoint extends SharedEndpoint {
  readonly #platform: EndpointPlatform;
  #retire: () => void = () => undefined;
  #line: Line | undefined;
  /** Arguments that the coordinator has sent. */
  readonly #given = new PostedArguments();

  constructor(port: Line, memory: CoordinatedMemory, platform: EndpointPlatform) {
    const threadId = () => platform.threadId?.() ?? 0;
    const utilization = () => platform.utilization?.() ?? 0;
    super(port, memory, platform, (seat) => new Given(seat, memory, { threadId, utilization }));
    this.#platform = platform;
  }

  override listen(events: EndpointEvents): void {
    this.#retire = () => events.retire();
    super.listen(events);
  }

  override drain(): void {
    super.drain();
    this.#line?.drain();
  }

  protected override takePosted(cell: number, id: number): Posted | undefined {
    return super.takePosted(cell, id) ?? this.#given.take(cell, id);
  }

  protected override hearMain(word: MessageToWorker | LineMessage, events: EndpointEvents): void {
    if (word[0] === LINE) this.#join(word[1]);
    else super.hearMain(word as MessageToWorker, events);
  }

  /** A line of a new coordinator takes the place of that of a dead one, whose last words are heard before. */
  #join(line: unknown): void {
    this.#line?.drain();
    this.#line?.close();
    this.#line = new AccountedLine(this.#platform.port(line));
    this.#line.listen((message) => {
      const said = message as MessageToSeat;
      if (said[0] === ARGUMENTS) this.#given.keep(said);
      else this.#retire();
    });
  }
}
