/** How a worker finds its next task where a coordinator gives it: in its mailbox, or among what it was given. */
import type { Allowance } from '../../core/workers/allowance.js';
import { float64sOf, int32sOf } from '../codec/value-memory.js';
import type { EndpointPlatform } from '../endpoint.js';
import { NAME, POSTED, pulledOf, RESERVED, STAGE, STATE, WORDS, state, unstamped } from '../shared/layout.js';
import { type Seat, TaskSource } from '../shared/worker/task-source.js';
import { becomeReady } from '../stage.js';
import {
  type CoordinatedMemory,
  callCoordinator,
  ENDED,
  GIVEN_TAIL,
  givenPlace,
  IDLE_SINCE,
  LEAVING,
  MEASURES,
  noteRunTime,
  PROGRESS,
  progress,
  RAN_MS,
  THREAD_ID,
  UTILIZATION,
  WAKE_AT,
  WANTS_ROOM,
  wakeCoordinator,
} from './layout.js';

/** What stands for the name of a function where the task was mailed. */
const MAILED = -1;

export class Given extends TaskSource {
  /** It stays the same: nobody relies on this worker's looking by itself. */
  readonly offered = 0;
  readonly #seat: Seat;
  readonly #board: Int32Array;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #runTimes: Float64Array;
  readonly #platform: EndpointPlatform;
  readonly #tasksPerWorker: number;
  /** By cell, for those that run here: the number of the function, or MAILED. */
  readonly #names: Int32Array;
  #running = 0;
  /** How many hints the worker has tried. */
  #head = 0;
  /** How many tasks, mailed ones too, the worker has yet to begin before it is replaced. */
  #toBegin = Number.POSITIVE_INFINITY;

  constructor(
    seat: Seat,
    { given, runTimes, tasksPerWorker }: CoordinatedMemory,
    platform: EndpointPlatform,
  ) {
    super(seat);
    this.#seat = seat;
    this.#board = seat.board.words;
    this.#words = int32sOf(given);
    this.#doubles = float64sOf(given);
    this.#runTimes = float64sOf(runTimes);
    this.#platform = platform;
    this.#tasksPerWorker = tasksPerWorker;
    this.#names = new Int32Array(seat.sizes.cells);
  }

  open(): void {
    this.#words[THREAD_ID] = this.#platform.threadId?.() ?? 0;
    this.search();
    this.#seat.board.clear(RESERVED, this.#seat.seat);
    if (!becomeReady(this.#seat.own, STAGE)) Atomics.store(this.#words, LEAVING, 1);
    callCoordinator(this.#board);
  }

  begin(now: number): number {
    for (;;) {
      const mail = this.mail();
      const given = this.#next();
      if (mail < 0 && given < 0) {
        wakeCoordinator(this.#board, WANTS_ROOM);
        return -1;
      }
      // Both are in the order of their calls: the older one goes first.
      const isMail = mail >= 0 && (given < 0 || this.isOlder(mail, this.#words[given]!));
      const cell = isMail ? this.#beginMailed(mail, now) : this.#beginGiven(given, now);
      if (cell < 0) continue;
      if (--this.#toBegin === 0) this.#leave();
      this.spinning.end();
      return cell;
    }
  }

  #beginMailed(cell: number, now: number): number {
    if (!this.takeMail(cell, now)) return -1;
    this.#names[cell] = MAILED;
    this.#running++;
    this.#tellProgress();
    return cell;
  }

  #beginGiven(place: number, now: number): number {
    const isLeaving = this.#isLeaving;
    if (!isLeaving && this.allowance.take() === 0) return -1; // main has just taken the last for a mailed task
    const cell = this.#words[place]!;
    const hasBegun = this.take(cell, this.#words[place + 1]!, now);
    // Only now: until it has begun, the hint is all that is known of it.
    if (!isLeaving) this.#head = (this.#head + 1) | 0;
    if (hasBegun) this.#running++;
    this.#tellProgress();
    if (!hasBegun) {
      if (!isLeaving) this.allowance.give();
      return -1;
    }
    this.#names[cell] = this.#seat.cells[cell * WORDS + NAME]!;
    Atomics.add(this.#board, pulledOf(this.#seat.seat), 1);
    if (this.#unread <= this.#words[WAKE_AT]!) wakeCoordinator(this.#board, WANTS_ROOM);
    return cell;
  }

  ended(cell: number, ms: number): void {
    const name = this.#names[cell]!;
    if (name !== MAILED) {
      Atomics.sub(this.#board, pulledOf(this.#seat.seat), 1);
      noteRunTime(this.#runTimes, name, ms);
    }
    this.#doubles[RAN_MS]! += ms;
    this.#words[ENDED]!++;
    if (this.#words[MEASURES] === 1) {
      this.#words[UTILIZATION] = Math.round((this.#platform.utilization?.() ?? 0) * 1000);
    }
    this.#running--;
    this.#tellProgress();
    const unread = this.#unread;
    if (unread <= Math.max(0, this.#words[WAKE_AT]!) || unread + this.#running < this.#tasksPerWorker) {
      wakeCoordinator(this.#board, WANTS_ROOM);
    }
  }

  override limit(allowance: Allowance): void {
    super.limit(allowance);
    this.#toBegin = allowance.left;
  }

  retire(): boolean {
    this.#leave();
    this.spinning.end();
    return this.#assigned() < 0;
  }

  hasWork(): boolean {
    return this.mail() >= 0 || this.#next() >= 0;
  }

  search(): void {
    if (this.#running === 0) this.#doubles[IDLE_SINCE] = this.#seat.now();
  }

  get takesMore(): boolean {
    return !this.#isLeaving && this.allowance.left > 0;
  }

  get #isLeaving(): boolean {
    return this.#words[LEAVING] === 1;
  }

  #leave(): void {
    if (Atomics.exchange(this.#words, LEAVING, 1) === 0) callCoordinator(this.#board);
  }

  /** The place of the next hint that the worker may follow; -1: there is none. */
  #next(): number {
    if (this.#isLeaving) return this.#assigned();
    // What is left may be for mailed tasks on their way. If one is withdrawn, main wakes this worker; until then, others may run it.
    if (this.allowance.left <= 0 || this.#unread === 0) return -1;
    return givenPlace(this.#head, this.#seat.sizes);
  }

  /** The first hint of a task that nobody else can run. */
  #assigned(): number {
    const { seat, cells, sizes } = this.#seat;
    const tail = Atomics.load(this.#words, GIVEN_TAIL);
    for (let at = this.#head; at !== tail; at = (at + 1) | 0) {
      const place = givenPlace(at, sizes);
      const word = this.#words[place + 1]!;
      if (unstamped(word) !== state(POSTED, seat)) continue;
      if (Atomics.load(cells, this.#words[place]! * WORDS + STATE) === word) return place;
    }
    return -1;
  }

  get #unread(): number {
    return (Atomics.load(this.#words, GIVEN_TAIL) - this.#head) | 0;
  }

  #tellProgress(): void {
    Atomics.store(this.#words, PROGRESS, progress(this.#running, this.#head));
  }
}
