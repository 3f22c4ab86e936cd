/** A worker, as its coordinator sees it: words of shared memory, and what it was given. */
import type { TaskView, WorkerView } from '../core/contracts.js';
import { float64sOf, int32sOf } from '../transport/codec/value-memory.js';
import { runningOf, unreadOf } from '../transport/coordinator/layout.js';
import type { CoordinatorData } from '../transport/coordinator/messages.js';
import type { Line } from '../transport/line.js';
import * as L from '../transport/shared/layout.js';
import type { Posted } from '../transport/shared/messages.js';
import { countWithin } from '../transport/trust.js';

/** After this many looks without progress a worker that runs nothing counts as stuck: a thread may wait for its core for tens of ms. Chosen by hand. */
const MANY_LOOKS = 10;

/** A task that main has posted. The entry is stale when the state of its cell is not that of the hint any more. */
export interface Entry extends TaskView {
  readonly hint: number;
  /** The number of the function. */
  readonly nameId: number;
  /** Arguments that do not lie in shared memory. */
  readonly args: Posted | undefined;
}

export class Seat implements WorkerView {
  readonly id: number;
  readonly line: Line;
  /** The memory of the worker's seat. */
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  /** Whether the worker is given nothing more. */
  isLeaving = false;
  /** Whether the worker has been replaced by another one, or was retired. */
  isReplaced = false;
  /** How many tasks the worker had at the last look, plus those that it was given since. */
  load = 0;
  /** How many tasks the worker had at the last look. */
  #seen = 0;
  readonly #data: CoordinatorData;
  /** The tasks that were given and not taken back since. `#unbegun` removes those that have begun. */
  readonly #given: Entry[] = [];
  #tail: number;
  /** The worker's `#progress` when tasks were taken back from it, and at the last look for stalls. */
  #stalledAt = Number.NaN;
  #watchedAt = Number.NaN;
  /** How many looks for stalls have found the same progress. */
  #looks = 0;

  constructor(id: number, own: ArrayBufferLike, line: Line, data: CoordinatorData) {
    this.id = id;
    this.line = line;
    this.#data = data;
    this.words = int32sOf(own);
    this.doubles = float64sOf(own);
    this.#tail = Atomics.load(this.words, L.GIVEN_TAIL);
  }

  /** Whether the worker has loaded its module and takes tasks. */
  get isReady(): boolean {
    return Atomics.load(this.words, L.STAGE) === L.READY;
  }

  get completed(): number {
    return this.doubles[L.ENDED]!;
  }

  get utilization(): number {
    return this.words[L.UTILIZATION]! / 1000;
  }

  /** Counts the tasks of the worker. Returns true once: when it first sees that the worker leaves. */
  look(): boolean {
    const { mail, cells } = this.#data.sizes;
    const progress = Atomics.load(this.words, L.PROGRESS);
    const mails = (Atomics.load(this.words, L.MAIL_TAIL) - Atomics.load(this.words, L.MAIL_HEAD)) | 0;
    const unread = this.#unreadOf(progress);
    this.#seen = this.load = unread + countWithin(mails, mail) + countWithin(runningOf(progress), cells);
    if (this.isLeaving || Atomics.load(this.words, L.LEAVING) === 0) return false;
    this.isLeaving = true;
    return true;
  }

  /** Whether the worker may be given a task, if `depth` such tasks may lie unbegun there: many at once, once it has few left. */
  hasRoom(depth: number): boolean {
    if (this.isLeaving || !this.isReady || this.#stalledAt === this.#progress) return false;
    const most = Math.min(this.#data.tasksPerWorker + depth, this.#data.sizes.mail);
    return this.#seen <= this.#refillAt(depth) && this.load < most;
  }

  get isBusy(): boolean {
    return runningOf(Atomics.load(this.words, L.PROGRESS)) > 0;
  }

  wakeAt(depth: number): void {
    Atomics.store(this.words, L.WAKE_AT, this.#refillAt(depth));
  }

  /** The worker is given more tasks when it has at most this many. */
  #refillAt(depth: number): number {
    return this.#data.tasksPerWorker + ((depth - 1) >> 1);
  }

  /** G3. */
  give(entry: Entry): void {
    this.words[L.givenPlace(this.#tail, this.#data.sizes)] = entry.hint;
    this.#given.push(entry);
    this.#tail = (this.#tail + 1) | 0;
    this.load++;
    Atomics.store(this.words, L.GIVEN_TAIL, this.#tail);
  }

  /** What `#unbegun` has, each task only once. */
  takeBack(): Entry[] {
    return this.#unbegun.splice(0);
  }

  get holdsAny(): boolean {
    return !this.isLeaving && this.#unbegun.length > 0;
  }

  /** Whether the worker has neither begun nor ended a task since the last look, or, while it runs nothing, since MANY_LOOKS looks. */
  isStuck(): boolean {
    const progress = this.#progress;
    this.#looks = this.#watchedAt === progress ? this.#looks + 1 : 0;
    this.#watchedAt = progress;
    if (this.#looks < (this.isBusy ? 1 : MANY_LOOKS)) return false;
    this.#stalledAt = progress;
    return true;
  }

  /** A number that changes when the worker has begun or ended a task. */
  get #progress(): number {
    return this.completed + this.#tail - this.#unread;
  }

  /** The tasks that were given, not taken back, and have perhaps not begun, the oldest first. Lets go of the others and of their arguments. */
  get #unbegun(): Entry[] {
    this.#given.splice(0, this.#given.length - this.#unread);
    return this.#given;
  }

  get #unread(): number {
    return this.#unreadOf(Atomics.load(this.words, L.PROGRESS));
  }

  /** How many hints are unread: never more than the ring can hold, since a task may have overwritten the word. */
  #unreadOf(progress: number): number {
    return Math.min(unreadOf(progress, this.#tail), this.#data.sizes.mail);
  }
}
