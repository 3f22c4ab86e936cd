/** What runs on a coordinator's thread. `transport/coordinator/README.md` has the protocol, whose steps are called T1, G1, C1 and so on. */
import type { Choice, Platform, Port, Thread, ThreadExit } from '../core/contracts.js';
import { resolveChoice } from '../scheduling/choice/strategies.js';
import { prefetchDepth } from '../scheduling/dispatch/prefetch.js';
import { PriorityQueue } from '../scheduling/queue/priority.js';
import { float64sOf, int32sOf } from '../transport/codec/value-memory.js';
import * as C from '../transport/coordinator/layout.js';
import type * as M from '../transport/coordinator/messages.js';
import { type About, Line } from '../transport/line.js';
import { Board } from '../transport/shared/board.js';
import * as L from '../transport/shared/layout.js';
import { TO_WORKER } from '../transport/messages.js';
import { ARGUMENTS, type Posted } from '../transport/shared/messages.js';
import { type Sleep, sleepOn } from '../transport/shared/waiting.js';
import { untrue } from '../transport/trust.js';
import { type Entry, Seat } from './seat.js';
import { type Hire, SeatSizing } from './sizing.js';

/** What a coordinator needs of its thread. */
type Needs = 'now' | 'timer' | 'nextTurn' | 'port' | 'cpuOf' | 'memory' | 'atExit' | 'collectShared';
interface CoordinatorPlatform extends Pick<Platform, Needs> {
  /** Starts a worker from the recipe that main's platform has made for it. */
  spawn(recipe: unknown, onExit: (exit: ThreadExit) => void): Thread;
}

/** How many milliseconds the coordinator works before ports and timers have their turn. */
const SLICE_MS = 1;
/** How many milliseconds pass between two looks whether workers make progress and, while tasks wait for room, whether there should be more. */
const WATCH_MS = 5;
/** How many entries the queue may have for each cell before tasks that main has withdrawn are removed from it. */
const MAX_STALE = 2;

export class Coordinator {
  readonly platform: CoordinatorPlatform;
  readonly data: M.CoordinatorData;
  readonly seats = new Map<number, Seat>();
  readonly #main: Line;
  readonly #board: Board;
  readonly #words: Int32Array;
  readonly #cells: Int32Array;
  readonly #cellDoubles: Float64Array;
  readonly #runTimes: Float64Array;
  readonly #sleep: Sleep;
  readonly #queue = new PriorityQueue<Entry>();
  /** Arguments that came over the port for hints that were not read yet, by cell. */
  readonly #posted = new Map<number, Posted>();
  readonly #sizing: SeatSizing;
  /** The seat of a worker that main is about to replace. The worker counts until its successor is hired: else one fewer would be wanted meanwhile. */
  #left: Seat | undefined;
  /** Set by main's first message, before there is any worker to choose. */
  #choice!: Choice;
  #state: M.Settings['state'] = 'open';
  #isWatching = false;
  /** Whether the event loop has its turn, after which the coordinator goes on. */
  #isYielding = false;

  constructor(main: Port, data: M.CoordinatorData, platform: CoordinatorPlatform) {
    this.#main = new Line(main);
    this.platform = platform;
    this.data = data;
    this.#board = new Board(data.board);
    this.#words = this.#board.words;
    this.#cells = int32sOf(data.cells);
    this.#cellDoubles = float64sOf(data.cells);
    this.#runTimes = float64sOf(data.board);
    this.#sleep = sleepOn(this.#words, L.COORDINATOR, () => {
      if (!C.isCoordinatorDismissed(this.#words)) this.turn();
    });
    // The coordinator has thrown, and the workers that it started end with it: none of these threads may wait for its word any more.
    platform.atExit(() => {
      C.dismissCoordinator(this.#words);
      for (const seat of this.#sizing.threads.keys()) this.#board.dismiss(seat);
    });
    this.#sizing = new SeatSizing(this);
    this.#main.listen(
      (message) => this.#hear(message as M.MessageToCoordinator),
      () => this.turn(),
      (about: About) => {
        // Main could not read the error of an exit: it is told of the exit without the error.
        if (about[0] === 'exited') this.#main.post([...about, undefined]);
      },
    );
    this.turn();
  }

  tell(message: M.MessageFromCoordinator): void {
    this.#main.post(message);
  }

  #hear(message: M.MessageToCoordinator): void {
    switch (message[0]) {
      case ARGUMENTS:
        return void this.#posted.set(message[1], message);
      case 'set':
        return this.#set(message[1]);
      case 'hire':
        if (message[4] !== undefined) return void this.#sizing.reserved.set(message[1], message);
        if (this.#left !== undefined) this.#left.isReplaced = true;
        this.#left = undefined;
        return this.hire(message);
      case 'retire':
      case 'replace': {
        const seat = this.#leave(message[1]);
        if (message[0] === 'replace') this.#left = seat;
        else if (seat !== undefined) seat.isReplaced = true;
        return seat?.line.post([TO_WORKER.retire]);
      }
      case 'gone': {
        const seat = this.#leave(message[1]);
        seat?.line.close();
        this.#sizing.completedBefore += seat?.completed ?? 0;
        this.seats.delete(message[1]);
        return this.tell(['released', message[1]]);
      }
      case 'end':
        return this.#sizing.end(message[1]);
      case 'drop':
        for (const seat of this.#sizing.reserved.keys()) this.#sizing.end(seat);
        this.platform.timer(0, () => this.platform.collectShared(message[1]));
    }
  }

  #set({ choose, state = this.#state, bounds }: Partial<M.Settings>): void {
    this.#state = state;
    if (choose !== undefined) this.#choice = resolveChoice(choose, () => undefined);
    if (bounds !== undefined) this.#sizing.bound(bounds);
  }

  // --- its turn ---

  /** T1 to T6. */
  turn(): void {
    if (this.#isYielding) return;
    const end = this.platform.now() + SLICE_MS;
    do {
      Atomics.store(this.#words, L.COORDINATOR, L.AWAKE);
      this.#takeHints();
      this.#look();
      this.#giveAll();
      this.#sizing.look();
      if (this.#sleeps()) return this.#watch();
    } while (this.platform.now() < end);
    this.#isYielding = true;
    this.platform.nextTurn(() => {
      this.#isYielding = false;
      this.turn();
    });
  }

  /** T5 and T6. Returns false if there is more to do. */
  #sleeps(): boolean {
    const next = this.#state === 'open' ? this.#queue.peek() : undefined;
    const depth = next && this.#depth(next);
    const wants = depth === undefined ? C.WANTS_HINTS : C.WANTS_ROOM;
    if (depth !== undefined) for (const seat of this.seats.values()) seat.wakeAt(depth);
    Atomics.store(this.#words, L.COORDINATOR, wants);
    if (C.isCoordinatorDismissed(this.#words)) return true;
    if (depth === undefined) return this.#board.length === 0 && this.#sleep(wants);
    this.#look();
    return this.#withRoom(depth).length === 0 && this.#sleep(wants);
  }

  #look(): void {
    for (const seat of this.seats.values()) if (seat.look()) this.#takeBack(seat);
  }

  /** Looks for stalls (C1) while any worker holds unbegun tasks, or tasks wait that more workers could run. */
  #watch(): void {
    const isNeeded = this.#holdsAny || (this.#queue.size > 0 && this.#sizing.mayGrow);
    if (this.#isWatching || !isNeeded) return;
    this.#isWatching = true;
    this.platform.timer(WATCH_MS, () => {
      this.#isWatching = false;
      const heldAny = this.#holdsAny;
      for (const seat of this.seats.values()) if (seat.holdsAny && seat.isStuck()) this.#takeBack(seat);
      // Without a new task the turn would decide the same; and the number of workers wanted after a measurement stays until the next measurement.
      if (heldAny || this.#board.length > 0) this.turn();
      else this.#watch();
    });
  }

  get #holdsAny(): boolean {
    for (const seat of this.seats.values()) if (seat.holdsAny) return true;
    return false;
  }

  // --- tasks ---

  /** T2: claims all hints of the ring, and queues the tasks that they stand for. */
  #takeHints(): void {
    const { sizes } = this.data;
    const head = Atomics.load(this.#words, L.HEAD);
    const length = (Atomics.load(this.#words, L.TAIL) - head) | 0;
    const isPossible = length >= 0 && length <= L.ringSize(sizes);
    // Main may have claimed all hints since `head` was read. T5 sees the hints that main has put into the ring meanwhile.
    if (!isPossible && Atomics.load(this.#words, L.HEAD) !== head) return;
    // The throw ends this thread: main starts another coordinator, and posts the tasks of this one anew.
    if (!isPossible) throw untrue('the number of hints', length, `0 to ${L.ringSize(sizes)}`);
    const hints = Array.from({ length }, (_, i) => this.#words[L.ringPlace(head + i, sizes)]!);
    // If the exchange fails, main has claimed all of these hints.
    if (Atomics.compareExchange(this.#words, L.HEAD, head, (head + length) | 0) !== head) return;
    for (const hint of hints) {
      const entry = this.#entryOf(hint);
      if (entry !== undefined) this.#queue.push(entry, entry.priority);
    }
    if (this.#queue.size > MAX_STALE * sizes.cells) this.#dropStale();
  }

  /** Removes tasks that main has withdrawn from the queue, until it has seen `most` tasks that are still posted. */
  #dropStale(most = Number.POSITIVE_INFINITY): void {
    let seen = 0;
    for (const entry of this.#queue) {
      if (!this.#isPosted(entry.hint)) this.#queue.remove(entry);
      else if (++seen === most) return;
    }
  }

  #entryOf(hint: number): Entry | undefined {
    const cell = L.cellOf(hint);
    const at = cell * L.WORDS;
    const form = this.#cells[at + L.FORM];
    const isPosted = this.#isPosted(hint); // after the form was read, which then is that of this posting
    let args: Posted | undefined;
    // A stale hint may be of a posting with arguments, too: they are dropped with it.
    if (!isPosted || form === L.BY_PORT) {
      args = this.#takeArguments(hint);
      if (args === undefined) this.#main.drain();
      args ??= this.#takeArguments(hint);
      if (!isPosted || args === undefined) return undefined;
    }
    const id = this.#cells[at + L.TASK_ID]!;
    const priority = this.#cellDoubles[cell * L.DOUBLES + L.RUN_MS]!;
    const nameId = this.#cells[at + L.NAME]!;
    return { hint, id, name: args?.[4] ?? '', priority, key: undefined, nameId, args };
  }

  /** Takes the arguments for this posting of the cell out of `#posted`. Those of an earlier or later posting belong to another hint. */
  #takeArguments(hint: number): Posted | undefined {
    const args = this.#posted.get(L.cellOf(hint));
    if (args === undefined || !L.isOfStamp(hint, args[3])) return undefined;
    this.#posted.delete(args[1]);
    return args;
  }

  #isPosted(hint: number): boolean {
    return L.isPosted(this.#cells, hint, L.POSTED_FOR_ALL);
  }

  /** T4: gives tasks, each by G1 to G4, as long as a worker has room for the first of the queue. */
  #giveAll(): void {
    if (this.#state === 'paused') return;
    for (let entry = this.#queue.peek(); entry !== undefined; entry = this.#queue.peek()) {
      const isPosted = this.#isPosted(entry.hint);
      const seat = isPosted ? this.#choose(entry) : undefined;
      if (seat === undefined && isPosted) return;
      this.#queue.shift();
      if (seat === undefined) continue;
      if (entry.args !== undefined && !this.#sendArguments(entry.hint, entry.args, seat)) continue;
      seat.give(entry);
      this.#board.wake(seat.id);
    }
  }

  #choose(entry: Entry): Seat | undefined {
    const candidates = this.#withRoom(this.#depth(entry));
    return candidates.length > 1 ? (this.#choice.choose(entry, candidates) as Seat) : candidates[0];
  }

  #withRoom(depth: number): Seat[] {
    const found: Seat[] = [];
    for (const seat of this.seats.values()) if (seat.hasRoom(depth)) found.push(seat);
    return found;
  }

  /** How many tasks like this may lie unbegun at a worker: 0 for a task that moves its arguments, since such a task cannot be given twice. */
  #depth({ nameId, args }: Entry): number {
    if (args !== undefined && args[5].length > 0) return 0;
    return prefetchDepth(this.#runTimes[L.runTimeOf(nameId)] || undefined);
  }

  /** G1 and G2. Returns false if the arguments were moved and main has taken the task back. */
  #sendArguments(hint: number, posted: Posted, seat: Seat): boolean {
    const transfer = posted[5];
    seat.line.post(posted, transfer);
    if (transfer.length === 0) return true;
    const before = L.postedBy(hint, L.POSTED_FOR_ALL);
    const assigned = L.postedBy(hint, L.state(L.POSTED, seat.id));
    const at = L.cellOf(hint) * L.WORDS + L.STATE;
    return Atomics.compareExchange(this.#cells, at, before, assigned) === before;
  }

  /** Puts tasks that the worker has not begun, and that another one can run, into the queue again. */
  #takeBack(seat: Seat): void {
    const unbegun = seat.takeBack().filter(({ hint }) => this.#isPosted(hint));
    for (const entry of unbegun.reverse()) this.#queue.push(entry, entry.priority);
  }

  /** How many tasks no worker can run yet. Up to `most` that is exact; a larger answer may count tasks that main has withdrawn. */
  queued(most: number): number {
    if (this.#state === 'paused') return 0;
    let ahead = 0;
    for (const seat of this.seats.values()) ahead += Math.max(0, seat.load - this.data.tasksPerWorker);
    this.#dropStale(most);
    return this.#queue.size + ahead;
  }

  // --- workers ---

  hire([, id, own, [end]]: Hire): void {
    const line = new Line(this.platform.port(end));
    // Over this line the worker only says which messages it has read, which `Line` handles. If it cannot read a task's arguments, it fails the task itself.
    line.listen(() => undefined);
    this.seats.set(id, new Seat(id, own, line, this.data));
    this.#board.refresh();
  }

  /** C2, C3: from now on the worker is given nothing. */
  #leave(id: number): Seat | undefined {
    const seat = this.seats.get(id);
    if (seat === undefined) return undefined;
    if (!seat.isLeaving) this.#takeBack(seat);
    seat.isLeaving = true;
    return seat;
  }
}
