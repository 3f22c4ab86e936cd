/** The base of the two sources of a worker's tasks: reads its mailbox, begins tasks, spins and sleeps. */
import { Allowance } from '../../../core/workers/allowance.js';
import { float64sOf, int32sOf } from '../../codec/value-memory.js';
import type { EndpointPlatform } from '../../endpoint.js';
import { SpinBudget } from '../../spin-budget.js';
import { Board, DOZE_MS } from '../board.js';
import * as L from '../layout.js';
import { BLOCK, GIVE_WAY_MS, type Sleep, sleepOn, SPIN } from '../waiting.js';

type SourceMemory = Pick<L.SharedMemory, 'seat' | 'sizes' | 'board' | 'own' | 'cells'>;

export abstract class TaskSource {
  /** Called when there may be tasks, after `rest` has returned false. */
  onTasks: () => void = () => undefined;
  /** Whether the worker sleeps, or is about to. */
  isParked = false;
  /** Whether it did, for the last result. */
  hasWokenMain = false;
  readonly board: Board;
  readonly own: Int32Array;
  readonly cells: Int32Array;
  readonly doubles: Float64Array;
  readonly sizes: L.Sizes;
  /** The worker takes one for each task that others could run; main takes one for each mailed task. */
  protected allowance = new Allowance(undefined);
  protected readonly seat: number;
  protected readonly platform: EndpointPlatform;
  protected readonly postedHere: number;
  readonly #runningHere: number;
  #isForestalled = false;
  #isSpinning = false;
  #isDozing = false;
  /** The worker looks because its timer went off: then it does not spin. */
  #isOneLook = false;
  readonly #spinning: SpinBudget;
  readonly #blocking: SpinBudget;
  readonly #sleep: Sleep;
  readonly #hasNew = () => this.hasNew();
  /** The timer of a doze. While tasks keep coming, and there is none now or other workers are enough for them, it only starts anew. */
  readonly #look = () => {
    const isAsleep = this.isParked && this.isReliedOn() && (!this.hasWork() || this.areOthersEnough());
    if (isAsleep) return void this.platform.timer(DOZE_MS, this.#look);
    this.#isDozing = false;
    this.board.clear(L.DOZING, this.seat);
    if (!this.isParked) return;
    this.#isOneLook = true;
    this.onTasks();
    this.#isOneLook = false;
  };

  constructor({ seat, sizes, board, own, cells }: SourceMemory, platform: EndpointPlatform) {
    this.board = new Board(board);
    this.own = int32sOf(own);
    // Before the module is loaded: main asks meanwhile how long this thread has waited for a core.
    this.own[L.THREAD_ID] = platform.threadId?.() ?? 0;
    this.cells = int32sOf(cells);
    this.doubles = float64sOf(cells);
    this.sizes = sizes;
    this.seat = seat;
    this.platform = platform;
    this.postedHere = L.state(L.POSTED, seat);
    this.#runningHere = L.state(L.RUNNING, seat);
    this.#spinning = new SpinBudget(SPIN, platform.now);
    this.#blocking = new SpinBudget(BLOCK, platform.now);
    this.#sleep = sleepOn(this.board.words, L.wakeupsOf(seat), () => {
      if (!this.board.isDismissed(seat)) this.onTasks();
    });
    // No other thread dismisses a thread that throws, or leaves by `process.exit`.
    platform.atExit(() => this.board.dismiss(seat));
  }

  /** Called when the worker is ready and has told main so. */
  abstract open(): void;
  /** Begins a task: the cell, or -1 where there is none. */
  abstract begin(now: number): number;
  /** @param ms for how many milliseconds the task ran */
  abstract ended(cell: number, ms: number): void;
  /** From now on the worker takes no task that others could run. Returns whether it has no task left to begin. */
  abstract retire(): boolean;
  /** Whether `begin` is likely to find something. */
  protected abstract hasWork(): boolean;
  /** Called when the worker has nothing to do, before it looks for tasks or sleeps. */
  protected abstract search(): void;
  /** Whether the worker takes tasks that others could run. */
  protected abstract readonly takesMore: boolean;

  /** As `hasWork`, but it looks only where tasks can come at any moment. */
  protected hasNew(): boolean {
    return this.hasWork();
  }

  /** Whether tasks are tiny, and there is another one that this worker can begin. */
  get hasMoreTiny(): boolean {
    return false;
  }

  /** Whether others may save a wake-up because this worker, which sleeps, will look by itself soon. */
  protected isReliedOn(): boolean {
    return false;
  }

  /** Whether the workers that are awake are enough for the tasks that have come. */
  protected areOthersEnough(): boolean {
    return false;
  }

  limit(allowance: Allowance): void {
    this.allowance = allowance;
  }

  /** False: main was first, so the worker takes nothing. */
  protected becomeReady(): boolean {
    this.#isForestalled = Atomics.compareExchange(this.own, L.STAGE, L.NOT_READY, L.READY) === L.FORESTALLED;
    return !this.#isForestalled;
  }

  /** The hint of the next mailed task; -1: none. */
  protected mail(): number {
    if (this.#isForestalled) return -1; // main takes it back
    const head = Atomics.load(this.own, L.MAIL_HEAD);
    if (Atomics.load(this.own, L.MAIL_TAIL) === head) return -1;
    return this.own[L.mailPlace(head, this.sizes)]!;
  }

  /** @param hint what `mail` returned. Returns false if its task was withdrawn */
  protected takeMail(hint: number, now: number): boolean {
    Atomics.add(this.own, L.MAIL_HEAD, 1);
    return this.take(hint, this.postedHere, now);
  }

  /** Whether the call of the first hint is older. */
  protected isOlder(hint: number, other: number): boolean {
    const { cells } = this;
    const id = cells[L.cellOf(hint) * L.WORDS + L.TASK_ID]!;
    return ((id - cells[L.cellOf(other) * L.WORDS + L.TASK_ID]!) | 0) < 0;
  }

  /** B1, B2. @param phase posted for all, or for this worker */
  protected take(hint: number, phase: number, now: number): boolean {
    const cell = L.cellOf(hint);
    const at = cell * L.WORDS + L.STATE;
    const posted = L.postedBy(hint, phase);
    if (Atomics.compareExchange(this.cells, at, posted, this.#runningHere) !== posted) return false;
    this.doubles[cell * L.DOUBLES + L.BEGAN] = now;
    return true;
  }

  /** See `Endpoint.rest`. */
  rest(isFree: boolean, canSpin: boolean): boolean {
    this.board.refresh();
    this.search();
    if (this.hasWork()) return true;
    const wants = canSpin && !this.#isOneLook && this.takesMore && this.#spinning.wants();
    const spins = wants && (this.#isSpinning ||= this.#maySpin());
    if (spins && this.#spinning.spin(this.#hasNew)) return true;
    this.endSpinning();
    return !this.#park(isFree && !this.#isOneLook && !spins, canSpin);
  }

  unpark(): void {
    this.isParked = false;
    this.board.clear(L.PARKED, this.seat);
    this.board.clear(L.RESERVED, this.seat);
    // Last, and before the worker looks: if another thread still saw this bit, its hint was there before, and the look finds it.
    this.board.clear(L.DOZING, this.seat);
  }

  /** S4, or the first half of S3. */
  protected endSpinning(): void {
    if (!this.#isSpinning) return;
    this.#isSpinning = false;
    this.board.clear(L.SPINNING, this.seat);
  }

  /** S1. */
  #maySpin(): boolean {
    const { board } = this;
    const cores = Atomics.load(board.words, L.CORES);
    if (board.count(L.SPINNING) >= cores - 1) return false;
    const isMainAwake = Atomics.load(board.words, L.MAIN_PARKED) === L.AWAKE;
    if (board.awake + (isMainAwake ? 1 : 0) > cores) return false;
    board.set(L.SPINNING, this.seat);
    return true;
  }

  /** P1 to P3. Returns whether it sleeps. @param canStay whether it may block also where main does not wait for its core */
  #park(canBlock: boolean, canStay: boolean): boolean {
    const { board, seat, takesMore } = this;
    const at = L.wakeupsOf(seat);
    const wakeups = Atomics.load(board.words, at);
    if (this.#isDozing && takesMore) board.set(L.DOZING, seat);
    board.set(takesMore ? L.PARKED : L.RESERVED, seat);
    this.isParked = true;
    // D3: after `wakeups` was read.
    if (board.isDismissed(seat)) return true;
    // Main may have given back meanwhile what it had taken of the allowance, and have found neither bit set: then it takes more.
    if (this.takesMore === takesMore && !this.hasWork()) {
      const dozes = !this.#isDozing && this.isReliedOn();
      const givesWay = this.hasWokenMain && !this.#isDozing && !dozes;
      this.hasWokenMain = false;
      const isWoken = (mostMs: number) => Atomics.wait(board.words, at, wakeups, mostMs) !== 'timed-out';
      const stays = canStay && canBlock && this.#blocking.wants();
      const isWokenSoon = stays
        ? this.#blocking.block(isWoken)
        : canBlock && givesWay && isWoken(GIVE_WAY_MS);
      if (!isWokenSoon && this.#sleep(wakeups)) {
        if (dozes) this.#doze();
        return true;
      }
    }
    this.unpark();
    return false;
  }

  /** Has this worker look after DOZE_MS, as perhaps no worker was woken for the last tasks, unless one with a higher seat does, which is woken later. */
  #doze(): void {
    if (this.board.anyAbove(L.DOZING, this.seat)) return;
    this.#isDozing = true;
    this.board.set(L.DOZING, this.seat);
    this.platform.timer(DOZE_MS, this.#look);
  }
}
