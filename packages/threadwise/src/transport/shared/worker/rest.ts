/** A worker without a task looks for one for a short while, then sleeps until it is woken. */
import type { EndpointPlatform } from '../../endpoint.js';
import { type Board, DOZE_MS } from '../board.js';
import * as L from '../layout.js';
import { Sleeper, SPIN } from '../waiting.js';
import { SpinBudget } from '../../spin-budget.js';
import type { TaskSource } from './task-source.js';

export class Rest {
  readonly #seat: number;
  readonly #board: Board;
  readonly #source: TaskSource;
  readonly #platform: EndpointPlatform;
  readonly #tasks: () => void;
  readonly #budget: SpinBudget;
  readonly #sleeper: Sleeper;
  readonly #hasNew = () => this.#source.hasNew();
  isParked = false;
  #isDozing = false;
  /** The worker looks for tasks because its timer went off and nobody woke it: then it does not spin. */
  #isOneLook = false;

  /** @param tasks is called when there may be tasks */
  constructor(seat: number, board: Board, source: TaskSource, platform: EndpointPlatform, tasks: () => void) {
    this.#seat = seat;
    this.#board = board;
    this.#source = source;
    this.#platform = platform;
    this.#tasks = tasks;
    this.#budget = new SpinBudget(SPIN, platform.now);
    this.#sleeper = new Sleeper(board.words, L.wakeupsOf(seat), () => {
      if (!board.isDismissed(seat)) tasks();
    });
    // A thread that throws, or leaves by `process.exit`, is ended by nobody but itself.
    platform.atExit(() => board.dismiss(seat));
  }

  /** See `Endpoint.rest`. */
  begin(canSpin: boolean): boolean {
    this.#board.refresh();
    this.#source.search();
    if (this.#source.hasWork()) return true;
    if (canSpin && !this.#isOneLook && this.#spin()) return true;
    this.#source.spinning.end();
    return !this.#park();
  }

  unpark(): void {
    this.isParked = false;
    this.#board.clear(L.PARKED, this.#seat);
    this.#board.clear(L.RESERVED, this.#seat);
    // Last, and before it looks: whoever relies on it comes earlier, or sees that it is about to run a task.
    this.#board.clear(L.DOZING, this.#seat);
  }

  #spin(): boolean {
    if (!this.#source.takesMore || !this.#budget.wants()) return false;
    const spinners = Atomics.load(this.#board.words, L.SPINNERS);
    if (spinners === 0 || !this.#source.spinning.begin(spinners)) return false;
    return this.#budget.spin(this.#hasNew);
  }

  /** P1 to P3. Returns whether it sleeps. */
  #park(): boolean {
    const { words } = this.#board;
    const wakeups = Atomics.load(words, L.wakeupsOf(this.#seat));
    const { takesMore } = this.#source;
    if (this.#isDozing && takesMore) this.#board.set(L.DOZING, this.#seat);
    this.#board.set(takesMore ? L.PARKED : L.RESERVED, this.#seat);
    this.isParked = true;
    // D3: after `wakeups` was read. It is over: the event loop waits for the end.
    if (this.#board.isDismissed(this.#seat)) return true;
    // Main may have given back meanwhile what it had taken of the allowance, and have found neither bit set.
    const isSame = this.#source.takesMore === takesMore;
    if (isSame && !this.#source.hasWork() && this.#sleeper.sleep(wakeups)) {
      this.#doze();
      return true;
    }
    this.unpark();
    return false;
  }

  /** While tiny tasks keep coming, perhaps no worker was woken for the last of them: this worker looks once more after DOZE_MS. */
  #doze(): void {
    if (this.#isDozing || !this.#source.isReliedOn()) return;
    this.#isDozing = true;
    this.#board.set(L.DOZING, this.#seat);
    this.#platform.timer(DOZE_MS, () => {
      this.#isDozing = false;
      this.#board.clear(L.DOZING, this.#seat);
      if (!this.isParked) return;
      this.#isOneLook = true;
      this.#tasks();
      this.#isOneLook = false;
    });
  }
}
