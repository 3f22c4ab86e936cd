/** How a worker finds its next task in a pool with a coordinator: in its mailbox, or in its given ring. */
import type { Allowance } from '../../core/workers/allowance.js';
import { float64sOf } from '../codec/value-memory.js';
import * as L from '../shared/layout.js';
import { TaskSource } from '../shared/worker/task-source.js';
import { callCoordinator, noteRunTime, progress, WANTS_ROOM, wakeCoordinator } from './layout.js';

/** Stands for the number of the function of a task that was mailed. */
const MAILED = -1;

export class Given extends TaskSource {
  readonly #runTimes = float64sOf(this.board.words.buffer);
  readonly #doubles = float64sOf(this.own.buffer);
  /** The number of the function, or MAILED, of each task that runs here, by cell. */
  readonly #names = new Int32Array(this.sizes.cells);
  #running = 0;
  /** How many hints the worker has tried. */
  #head = 0;
  /** How many tasks, mailed ones too, the worker has yet to begin before it is replaced. */
  #toBegin = Number.POSITIVE_INFINITY;

  open(): void {
    this.search();
    this.board.clear(L.RESERVED, this.seat);
    if (!this.becomeReady()) Atomics.store(this.own, L.LEAVING, 1);
    callCoordinator(this.board.words);
  }

  begin(now: number): number {
    for (;;) {
      const mail = this.mail();
      const given = this.#next();
      if (mail < 0 && given < 0) {
        wakeCoordinator(this.board.words, WANTS_ROOM);
        return -1;
      }
      // Both are in the order of their calls: the older one goes first.
      const isMail = mail >= 0 && (given < 0 || this.isOlder(mail, given));
      const hasBegun = isMail ? this.takeMail(mail, now) : this.#takeGiven(given, now);
      if (hasBegun) this.#running++;
      Atomics.store(this.own, L.PROGRESS, progress(this.#running, this.#head));
      if (!hasBegun) continue;
      const cell = L.cellOf(isMail ? mail : given);
      this.#names[cell] = isMail ? MAILED : this.cells[cell * L.WORDS + L.NAME]!;
      if (!isMail) Atomics.add(this.board.words, L.pulledOf(this.seat), 1);
      if (--this.#toBegin === 0) this.#leave();
      this.endSpinning();
      return cell;
    }
  }

  #takeGiven(hint: number, now: number): boolean {
    const isLeaving = this.#isLeaving;
    if (!isLeaving && this.allowance.take() === 0) return false; // main has just taken the last one for a mailed task
    const hasBegun = this.take(hint, L.POSTED_FOR_ALL, now) || this.take(hint, this.postedHere, now);
    if (isLeaving) return hasBegun;
    // The head moves only now: until the task has begun, nothing but the hint names it.
    this.#head = (this.#head + 1) | 0;
    if (!hasBegun) this.allowance.give();
    return hasBegun;
  }

  ended(cell: number, ms: number): void {
    const name = this.#names[cell]!;
    if (name !== MAILED) {
      Atomics.sub(this.board.words, L.pulledOf(this.seat), 1);
      noteRunTime(this.#runTimes, name, ms);
    }
    this.#doubles[L.RAN_MS]! += ms;
    this.#doubles[L.ENDED]!++;
    if (this.own[L.MEASURES] === 1)
      this.own[L.UTILIZATION] = Math.round((this.platform.utilization?.() ?? 0) * 1000);
    this.#running--;
    Atomics.store(this.own, L.PROGRESS, progress(this.#running, this.#head));
    if (this.#unread + this.#running <= this.own[L.WAKE_AT]!) wakeCoordinator(this.board.words, WANTS_ROOM);
  }

  override limit(allowance: Allowance): void {
    super.limit(allowance);
    this.#toBegin = allowance.left;
  }

  retire(): boolean {
    this.#leave();
    this.endSpinning();
    return this.#assigned() < 0;
  }

  protected hasWork(): boolean {
    return this.mail() >= 0 || this.#next() >= 0;
  }

  protected search(): void {
    if (this.#running === 0) this.#doubles[L.IDLE_SINCE] = this.platform.now();
  }

  protected get takesMore(): boolean {
    return !this.#isLeaving && this.allowance.left > 0;
  }

  get #isLeaving(): boolean {
    return this.own[L.LEAVING] === 1;
  }

  #leave(): void {
    if (Atomics.exchange(this.own, L.LEAVING, 1) === 0) callCoordinator(this.board.words);
  }

  /** The next hint that the worker may try; -1: there is none. */
  #next(): number {
    if (this.#isLeaving) return this.#assigned();
    // Main may have taken the rest of the allowance for mailed tasks on their way. If one is withdrawn, main wakes this worker; until then,
    // other workers may run the tasks that it was given.
    if (this.allowance.left <= 0 || this.#unread === 0) return -1;
    return this.own[L.givenPlace(this.#head, this.sizes)]!;
  }

  /** The first hint of a task that no other worker can run; -1: there is none. */
  #assigned(): number {
    for (let at = this.#head, left = this.#unread; left > 0; at++, left--) {
      const hint = this.own[L.givenPlace(at, this.sizes)]!;
      if (L.isPosted(this.cells, hint, this.postedHere)) return hint;
    }
    return -1;
  }

  get #unread(): number {
    return (Atomics.load(this.own, L.GIVEN_TAIL) - this.#head) | 0;
  }
}
