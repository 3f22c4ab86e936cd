/** The worker's end of its two lines: to main, through shared memory, and to the coordinator, for what that cannot carry. */
import type { Port } from '../../core/contracts.js';
import type { InletEvents, InletPlatform } from '../inlet.js';
import { type ArgumentsByCell, keepArguments, SharedInlet, takeArguments } from '../shared/inlet.js';
import { ARGUMENTS } from '../shared/words.js';
import type { WordToWorker } from '../words.js';
import { Given } from './given.js';
import type { CoordinatedMemory } from './layout.js';
import { LINE, type LineWord, type WordToSeat } from './words.js';

export class CoordinatedInlet extends SharedInlet {
  readonly #platform: InletPlatform;
  #retire: () => void = () => undefined;
  #line: Port | undefined;
  /** Arguments that came over the line: a cell may have had another task when those were sent that came from main. */
  readonly #lined: ArgumentsByCell = new Map();

  constructor(port: Port, memory: CoordinatedMemory, platform: InletPlatform) {
    const threadId = () => platform.threadId?.() ?? 0;
    const utilization = () => platform.utilization?.() ?? 0;
    super(port, memory, platform, (seat) => new Given(seat, memory, { threadId, utilization }));
    this.#platform = platform;
  }

  override listen(events: InletEvents): void {
    this.#retire = () => events.retire();
    super.listen(events);
  }

  override drain(): void {
    super.drain();
    this.#line?.drain();
  }

  protected override takePosted(cell: number) {
    return super.takePosted(cell) ?? takeArguments(this.#lined, cell, this.id);
  }

  protected override hearMain(word: WordToWorker | LineWord, events: InletEvents): void {
    if (word[0] === LINE) this.#join(word[1]);
    else super.hearMain(word as WordToWorker, events);
  }

  /** A line of a new coordinator takes the place of that of a dead one, whose last words are heard before. */
  #join(line: unknown): void {
    this.#line?.drain();
    this.#line?.close();
    this.#line = this.#platform.port(line);
    this.#line.listen((message) => {
      const said = message as WordToSeat;
      if (said[0] === ARGUMENTS) keepArguments(this.#lined, said);
      else this.#retire();
    });
  }
}
