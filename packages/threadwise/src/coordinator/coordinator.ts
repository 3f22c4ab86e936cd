/**
 * The coordinator of a pool: a thread of its own that has the queue, knows which workers are free, and chooses among
 * them. Results go from the workers to main. The idea is that of experiment S0 (docs/crossing.md); the protocol is
 * written down in `transport/coordinator/README.md`. Knows no platform.
 */
import type { Choice, Port, TaskQueue, TaskView, Thread, ThreadExit } from '../core/contracts.js';
import { resolveChoice } from '../scheduling/choice/index.js';
import { prefetchDepth } from '../scheduling/dispatch/prefetch.js';
import { PriorityQueue } from '../scheduling/queue/priority.js';
import { float64sOf, int32sOf } from '../transport/codec/value-memory.js';
import type { CoordinatorData } from '../transport/coordinator/exchange.js';
import { AWAKE, averageMs, WANTS_HINTS, WANTS_ROOM } from '../transport/coordinator/layout.js';
import {
  type ExitFacts,
  FROM_COORDINATOR,
  RETIRE,
  type SeatMemory,
  TO_COORDINATOR,
  type MessageToCoordinator,
} from '../transport/coordinator/messages.js';
import { type About, Line } from '../transport/line.js';
import { Board } from '../transport/shared/board.js';
import {
  BY_PORT,
  CELL_BYTES,
  COORDINATOR,
  FORM,
  HEAD,
  NAME,
  POSTED,
  POSTED_FOR_ALL,
  RUN_MS,
  ringPlace,
  ringSize,
  STATE,
  state,
  TAIL,
  TASK_ID,
  unstamped,
} from '../transport/shared/layout.js';
import { Sleeper } from '../transport/shared/waiting.js';
import { untrue } from '../transport/trust.js';
import { ReservedSeats } from './reserved-seats.js';
import { type Entry as Hint, Seat } from './seat.js';
import { SeatSizing, type SizingPlatform } from './sizing.js';

/** What a coordinator needs of its thread. */
export interface CoordinatorPlatform extends SizingPlatform {
  /** Starts a worker from what main's platform prepared for that. */
  spawn(recipe: unknown, onExit: (exit: ThreadExit) => void): Thread;
  /** The near side of an end of a line. */
  port(far: unknown): Port;
  /** Calls back after pending I/O has had its turn. */
  nextTurn(callback: () => void): void;
}

const WORDS = CELL_BYTES / 4;
const DOUBLES = CELL_BYTES / 8;
/** A worker that has had an unbegun task for that long, and has come no further, is behind a long one. Milliseconds. */
const STALL_MS = 5;
/** Tasks may be handed on back to back for that long before ports and timers have their turn. Milliseconds. */
const SLICE_MS = 1;
/** How often it looks, while it waits for room, whether more tasks have come, which may need more workers. Milliseconds. */
const GROWTH_MS = 5;
/** The queue is rid of tasks that were taken back when it is so many times as long as there can be tasks. */
const MAX_STALE = 2;

type Arguments = readonly [id: number, name: string, transfer: readonly unknown[], args: readonly unknown[]];

interface Entry extends Hint, TaskView {
  /** The number of the function. */
  readonly nameId: number;
  /** Where they do not lie in shared memory. */
  readonly args: Arguments | undefined;
}

export class Coordinator {
  readonly #main: Line;
  readonly #platform: CoordinatorPlatform;
  readonly #data: CoordinatorData;
  readonly #board: Board;
  readonly #words: Int32Array;
  readonly #cells: Int32Array;
  readonly #cellDoubles: Float64Array;
  readonly #runTimes: Float64Array;
  readonly #sleeper: Sleeper;
  #choice: Choice;
  readonly #queue: TaskQueue<Entry> = new PriorityQueue<Entry>();
  /** Arguments that came over the port, by cell. */
  readonly #posted = new Map<number, Arguments>();
  readonly #seats = new Map<number, Seat<Entry>>();
  readonly #sizing: SeatSizing;
  readonly #reserve: ReservedSeats;
  /** The youngest task of each priority since the queue was last empty: an older one was put back. */
  readonly #youngest = new Map<number, number>();
  #state: 'open' | 'paused' = 'open';
  #isWatching = false;
  #looksForGrowth = false;
  /** It goes on after its event loop's turn. */
  #isYielding = false;

  constructor(main: Port, data: CoordinatorData, platform: CoordinatorPlatform) {
    this.#main = new Line(main);
    this.#platform = platform;
    this.#data = data;
    this.#board = new Board(data.board);
    this.#words = this.#board.words;
    this.#cells = int32sOf(data.cells);
    this.#cellDoubles = float64sOf(data.cells);
    this.#runTimes = float64sOf(data.runTimes);
    this.#sleeper = new Sleeper(this.#words, COORDINATOR, () => this.#turn());
    this.#choice = resolveChoice(data.choose, () => undefined);
    this.#reserve = new ReservedSeats(this.#main, platform, (...hired) => this.#hire(...hired));
    this.#sizing = new SeatSizing(data, {
      platform,
      seats: () => this.#seats.values(),
      queued: () => this.#queued,
      onDue: () => this.#turn(),
      onWanted: (wanted, decision) => this.#main.post([FROM_COORDINATOR.wanted, wanted, decision]),
      onMissing: (count) => this.#reserve.start(count),
    });
    this.#main.listen(
      (message) => this.#hear(message as MessageToCoordinator),
      () => this.#turn(),
      ([type, seat, exit]: About) => {
        if (type === FROM_COORDINATOR.exited)
          this.#reserve.sayExited(seat as number, exit as ExitFacts, undefined);
      },
    );
    this.#turn();
  }

  #hear(word: MessageToCoordinator): void {
    switch (word[0]) {
      case TO_COORDINATOR.args: {
        const [, cell, ...posted] = word;
        return void this.#posted.set(cell, posted);
      }
      case TO_COORDINATOR.hire:
        return this.#hire(word[1], word[2], word[3]);
      case TO_COORDINATOR.retire:
        return this.#retire(word[1]);
      case TO_COORDINATOR.gone:
        return this.#bury(word[1]);
      case TO_COORDINATOR.bounds:
        return this.#sizing.bound(word[1], word[2]);
      case TO_COORDINATOR.reserve:
        return this.#reserve.add(word[1], word[2], word[3], word[4]);
      case TO_COORDINATOR.end:
        return this.#reserve.end(word[1]);
      case TO_COORDINATOR.choose:
        this.#choice = resolveChoice(word[1], () => undefined);
        return;
      case TO_COORDINATOR.pause:
        this.#state = word[1];
    }
  }

  // --- its turn ---

  /** T1 to T6. */
  #turn(): void {
    if (this.#isYielding) return;
    const end = this.#platform.now() + SLICE_MS;
    do {
      Atomics.store(this.#words, COORDINATOR, AWAKE);
      this.#takeHints();
      this.#look();
      this.#giveAll();
      this.#sizing.look();
      if (this.#sleeps()) return this.#watch();
    } while (this.#platform.now() < end);
    this.#isYielding = true;
    this.#platform.nextTurn(() => {
      this.#isYielding = false;
      this.#turn();
    });
  }

  /** T5, T6. Returns false if there is something to do again. */
  #sleeps(): boolean {
    const next = this.#state === 'open' ? this.#queue.peek() : undefined;
    const wanted = next === undefined ? WANTS_HINTS : WANTS_ROOM;
    const depth = next === undefined ? 0 : this.#depth(next);
    if (next !== undefined) for (const seat of this.#seats.values()) seat.wakeAt(depth);
    Atomics.store(this.#words, COORDINATOR, wanted);
    if (next === undefined) return this.#board.length === 0 && this.#sleeper.sleep(wanted);
    this.#look();
    for (const seat of this.#seats.values()) if (this.#hasRoom(seat, depth)) return false;
    return this.#sleeper.sleep(wanted);
  }

  #look(): void {
    for (const seat of this.#seats.values()) if (seat.look()) this.#takeBack(seat);
  }

  /** As long as anybody holds unbegun tasks, or tasks wait that more workers could run: by a timer. */
  #watch(): void {
    this.#watchForStalls();
    if (this.#looksForGrowth || this.#queue.size === 0 || !this.#sizing.mayGrow) return;
    this.#looksForGrowth = true;
    this.#platform.timer(GROWTH_MS, () => {
      this.#looksForGrowth = false;
      // Without another task there is no other answer; and what was wanted after a measurement is to stay so until the next one.
      if (this.#board.length > 0) this.#turn();
      else this.#watch();
    });
  }

  // --- tasks ---

  /** T2. */
  #takeHints(): void {
    const { sizes } = this.#data;
    const back: Entry[] = [];
    const { length } = this.#board;
    // Then main starts another coordinator, and posts anew what lay here.
    if (length < 0 || length > ringSize(sizes))
      throw untrue('the number of hints', length, `0 to ${ringSize(sizes)}`);
    for (let left = length; left > 0; left--) {
      const head = Atomics.load(this.#words, HEAD);
      if (head === Atomics.load(this.#words, TAIL)) return;
      const cell = this.#words[ringPlace(head, sizes)]!;
      if (Atomics.compareExchange(this.#words, HEAD, head, (head + 1) | 0) !== head) continue;
      const entry = this.#entryOf(cell);
      if (entry === undefined) continue;
      if (this.#isBack(entry)) back.push(entry);
      else this.#queue.push(entry, entry.priority);
    }
    for (const entry of back.sort((a, b) => b.id - a.id)) this.#queue.pushFront(entry, entry.priority);
    if (this.#queue.size > MAX_STALE * sizes.cells) this.#dropStale();
  }

  #entryOf(cell: number): Entry | undefined {
    const at = cell * WORDS;
    const posted = Atomics.load(this.#cells, at + STATE);
    if (unstamped(posted) !== POSTED_FOR_ALL) return undefined;
    const id = this.#cells[at + TASK_ID]!;
    const priority = this.#cellDoubles[cell * DOUBLES + RUN_MS]!;
    const nameId = this.#cells[at + NAME]!;
    const isByPort = this.#cells[at + FORM] === BY_PORT;
    const args = isByPort ? this.#argumentsFor(cell, id) : undefined;
    // What was read may be another call's by now; then the state is not what it was, and this is dropped as any old hint.
    if (isByPort && args === undefined) return undefined;
    return { cell, posted, id, name: args?.[1] ?? '', priority, key: undefined, nameId, args };
  }

  /** Whether main had it back: then it is older than what lies here. */
  #isBack({ id, priority }: Entry): boolean {
    if (this.#queue.size === 0) this.#youngest.clear();
    const youngest = this.#youngest.get(priority);
    if (youngest !== undefined && ((id - youngest) | 0) < 0) return true;
    this.#youngest.set(priority, id);
    return false;
  }

  #dropStale(): void {
    for (const entry of [...this.#queue]) if (!this.#isPosted(entry)) this.#queue.remove(entry);
  }

  #argumentsFor(cell: number, id: number): Arguments | undefined {
    if (this.#posted.get(cell)?.[0] !== id) this.#main.drain();
    const posted = this.#posted.get(cell);
    return posted?.[0] === id ? posted : undefined;
  }

  #isPosted({ cell, posted }: Entry): boolean {
    return Atomics.load(this.#cells, cell * WORDS + STATE) === posted;
  }

  /** T4. */
  #giveAll(): void {
    if (this.#state === 'paused') return;
    for (let entry = this.#queue.peek(); entry !== undefined; entry = this.#queue.peek()) {
      const isPosted = this.#isPosted(entry);
      const seat = isPosted ? this.#choose(entry) : undefined;
      if (seat === undefined && isPosted) return;
      this.#queue.shift();
      if (seat !== undefined) this.#give(entry, seat);
    }
  }

  #choose(entry: Entry): Seat<Entry> | undefined {
    const depth = this.#depth(entry);
    const candidates: Seat<Entry>[] = [];
    for (const seat of this.#seats.values()) if (this.#hasRoom(seat, depth)) candidates.push(seat);
    if (candidates.length <= 1) return candidates[0];
    return this.#choice.choose(entry, candidates) as Seat<Entry>;
  }

  #hasRoom(seat: Seat<Entry>, depth: number): boolean {
    return seat.hasRoom(this.#data.tasksPerWorker, depth);
  }

  /** What moves its arguments cannot be given twice, so it is not left lying at a worker. */
  #depth({ nameId, args }: Entry): number {
    if (args !== undefined && args[2].length > 0) return 0;
    return prefetchDepth(averageMs(this.#runTimes, nameId));
  }

  /** G1 to G4. */
  #give(entry: Entry, seat: Seat<Entry>): void {
    const posted = entry.args === undefined ? entry.posted : this.#sendArguments(entry, entry.args, seat);
    // Not before: an old hint may have found them, too.
    if (this.#posted.get(entry.cell) === entry.args) this.#posted.delete(entry.cell);
    if (posted === undefined) return;
    seat.give(entry, posted);
    this.#board.wake(seat.id);
  }

  /** Returns the state of the cell from which the worker is to begin; undefined: the task was taken back. */
  #sendArguments(entry: Entry, [id, name, transfer, args]: Arguments, seat: Seat<Entry>): number | undefined {
    const { cell, posted } = entry;
    seat.line.post([TO_COORDINATOR.args, cell, id, name, args], transfer);
    if (transfer.length === 0) return posted;
    const assigned = (posted & ~unstamped(posted)) | state(POSTED, seat.id);
    const before = Atomics.compareExchange(this.#cells, cell * WORDS + STATE, posted, assigned);
    return before === posted ? assigned : undefined;
  }

  /** What the worker has not begun, and another one can run, waits in the queue again. */
  #takeBack(seat: Seat<Entry>): void {
    const unbegun = seat.takeBack().filter((entry) => this.#isPosted(entry));
    for (const entry of unbegun.reverse()) this.#queue.pushFront(entry, entry.priority);
  }

  /** Tasks that nobody has, and tasks that somebody has who may run no more at a time. */
  get #queued(): number {
    if (this.#state === 'paused') return 0;
    let ahead = 0;
    for (const seat of this.#seats.values()) ahead += Math.max(0, seat.load - this.#data.tasksPerWorker);
    return this.#queue.size + ahead;
  }

  /** C1. */
  #watchForStalls(): void {
    if (this.#isWatching || !this.#holdsAny()) return;
    this.#isWatching = true;
    this.#platform.timer(STALL_MS, () => {
      this.#isWatching = false;
      for (const seat of this.#seats.values()) {
        if (!seat.isLeaving && seat.holdsAny && seat.isStuck()) this.#takeBack(seat);
      }
      this.#turn();
    });
  }

  #holdsAny(): boolean {
    for (const seat of this.#seats.values()) if (!seat.isLeaving && seat.holdsAny) return true;
    return false;
  }

  // --- workers ---

  #hire(id: number, memory: SeatMemory, end: unknown): void {
    const line = new Line(this.#platform.port(end));
    // The worker says nothing but what it has read: what it cannot read, it fails by itself.
    line.listen(() => undefined);
    this.#seats.set(id, new Seat<Entry>(id, memory, line, this.#data.sizes));
    this.#board.refresh();
  }

  #retire(id: number): void {
    const seat = this.#seats.get(id);
    if (seat === undefined) return;
    if (!seat.isLeaving) this.#takeBack(seat);
    seat.isLeaving = true;
    seat.line.post([RETIRE]);
  }

  /** C3. */
  #bury(id: number): void {
    const seat = this.#seats.get(id);
    if (seat !== undefined) {
      if (!seat.isLeaving) this.#takeBack(seat);
      this.#seats.delete(id);
      seat.line.close();
    }
    this.#main.post([FROM_COORDINATOR.released, id]);
  }
}
