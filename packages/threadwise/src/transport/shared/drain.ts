/** When main looks for results: soon after a call, in slices that leave its event loop alone, and asleep otherwise. */
import type { Platform } from '../../core/contracts.js';
import type { Board } from './board.js';
import type { Caller } from './caller.js';
import { MAIN_PARKED } from './layout.js';
import type { SharedLink } from './link.js';
import { Sleeper, SpinBudget, spin } from './waiting.js';

/** What a drain needs of its exchange. */
export interface Drained {
  readonly platform: Platform;
  readonly board: Board;
  readonly caller: Caller;
  readonly links: ReadonlyMap<number, SharedLink>;
  /** Tasks that are out. */
  readonly open: number;
}

/** Results may be handled back to back for that long before timers and I/O have their turn. Milliseconds. */
const SLICE_MS = 1;
/** Results of one worker that are handled at a time: few, as the calls that they bring forth feed workers that wait. */
const BATCH = 64;
/** How long main looks for a result before it sleeps: about what being woken costs. Milliseconds. */
const SPIN_MS = 0.05;

export class Drain {
  readonly #from: Drained;
  readonly #budget: SpinBudget;
  readonly #sleeper: Sleeper;
  readonly #hasDone = () => this.#anyDone();
  readonly #turnNow = () => this.#turn(false);
  readonly #turnLater = () => this.#turn(true);
  #isScheduled = false;
  #isClosed = false;
  #sliceEnd = 0;
  #lastTurnAt = 0;

  constructor(from: Drained, canSpin: boolean) {
    this.#from = from;
    this.#budget = new SpinBudget(canSpin ? SPIN_MS : 0);
    this.#sleeper = new Sleeper(from.board.words, MAIN_PARKED, this.#turnLater);
  }

  /** A task is out: its result will have to be handled. */
  expect(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void SETTLED.then(this.#turnNow);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @param isFresh the event loop has had its turn */
  #turn(isFresh: boolean): void {
    this.#isScheduled = true; // whoever submits while results are handled need not ask
    if (this.#isClosed) return;
    const { platform, board } = this.#from;
    Atomics.store(board.words, MAIN_PARKED, 0);
    const now = platform.now();
    if (isFresh || now - this.#lastTurnAt > SLICE_MS) this.#sliceEnd = now + SLICE_MS;
    const drained = this.#drainAll() || this.#spin();
    this.#lastTurnAt = platform.now();
    if (this.#from.open === 0) this.#isScheduled = false;
    else if (drained) this.#again();
    else this.#park();
  }

  /** After the calls' continuations, which may submit more; or after the event loop, when that has waited long. */
  #again(): void {
    if (this.#lastTurnAt < this.#sliceEnd) void SETTLED.then(this.#turnNow);
    else this.#from.platform.nextTurn(this.#turnLater);
  }

  #spin(): boolean {
    const { ms } = this.#budget;
    if (ms === 0) return false;
    const hasFound = spin(this.#hasDone, ms, this.#from.platform.now);
    this.#budget.tried(hasFound);
    return hasFound && this.#drainAll();
  }

  /** M1 to M3. */
  #park(): void {
    const { board } = this.#from;
    Atomics.store(board.words, MAIN_PARKED, 1);
    if (this.#anyDone() || !this.#sleeper.sleep(1)) {
      Atomics.store(board.words, MAIN_PARKED, 0);
      return this.#again();
    }
    this.#isScheduled = false;
    this.#from.caller.callAtLast();
  }

  #anyDone(): boolean {
    for (const link of this.#from.links.values()) if (link.hasDone) return true;
    return false;
  }

  #drainAll(): boolean {
    let any = false;
    for (const link of this.#from.links.values()) {
      if (!link.hasDone) continue;
      link.drainDone(BATCH);
      any = true;
    }
    return any;
  }
}

const SETTLED = Promise.resolve();
