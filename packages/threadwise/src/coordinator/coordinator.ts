/**
 * The coordinator of a pool: a thread of its own that has the queue, knows which workers are free, and chooses among
 * them. Results go from the workers to main. The idea is that of experiment S0 (docs/crossing.md); the protocol is
 * written down in `transport/coordinator/README.md`. Knows no platform.
 */
import type { Choice, Port, TaskQueue, TaskView, Thread, ThreadExit, WorkerView } from '../core/contracts.js';
import { resolveChoice } from '../scheduling/choice/index.js';
import { Prefetch } from '../scheduling/dispatch/prefetch.js';
import { PriorityQueue } from '../scheduling/queue/priority.js';
import type { CoordinatorData } from '../transport/coordinator/exchange.js';
import { TicketReader } from '../transport/coordinator/ticket-board.js';
import {
  FROM_COORDINATOR,
  FROM_SEAT,
  TO_COORDINATOR,
  TO_SEAT,
  type WordFromSeat,
  type WordToCoordinator,
} from '../transport/coordinator/words.js';
import { ReservedSeats } from './reserved-seats.js';
import { SeatSizing, type SizedSeat, type SizingPlatform } from './sizing.js';

/** What a coordinator needs of its thread. */
export interface CoordinatorPlatform extends SizingPlatform {
  /** Starts a worker from what main's platform prepared for that. */
  spawn(recipe: unknown, onExit: (exit: ThreadExit) => void): Thread;
  /** The near side of an end of a line. */
  port(far: unknown): Port;
}

/** A worker that has had an unbegun task for that long, and has said nothing, is behind a long one. Milliseconds. */
const STALL_MS = 5;

interface Entry extends TaskView {
  readonly ticket: number;
  readonly args: readonly unknown[];
  /** What of `args` moves to the worker: then nobody else can run the task. */
  readonly transfer: readonly unknown[];
}

class Seat implements WorkerView, SizedSeat {
  readonly id: number;
  readonly line: Port;
  /** Given to the worker, and nothing heard of it. By ticket. */
  readonly given = new Map<number, Entry>();
  /** Tasks that it runs for main. */
  letters = 0;
  /** Words heard of it: a worker that says something gets on. */
  completed = 0;
  utilization = 0;
  /** Tasks that it has ended, and their running time as far as it is known here: not that of main's. Milliseconds. */
  ended = 0;
  runMs = 0;
  idleSince: number;
  threadId = 0;
  /** Its module is loaded. */
  isReady = false;
  isLeaving = false;
  /** `completed` when tasks were taken back from it, and when it was looked at. */
  stalledAt = -1;
  watchedAt = -1;

  constructor(id: number, line: Port, now: number) {
    this.id = id;
    this.line = line;
    this.idleSince = now;
  }

  get load(): number {
    return this.given.size + this.letters;
  }

  /** It has said nothing since tasks were taken back from it: it may be in the middle of one of those. */
  get isStalled(): boolean {
    return this.stalledAt === this.completed;
  }

  get isBusy(): boolean {
    return this.load > 0 || this.isStalled;
  }
}

export class Coordinator {
  readonly #main: Port;
  readonly #platform: CoordinatorPlatform;
  readonly #board: TicketReader;
  readonly #tasksPerWorker: number;
  #choice: Choice;
  readonly #prefetch = new Prefetch();
  readonly #queue: TaskQueue<Entry> = new PriorityQueue<Entry>();
  /** What is in the queue. By ticket. */
  readonly #waiting = new Map<number, Entry>();
  readonly #seats = new Map<number, Seat>();
  readonly #sizing: SeatSizing;
  readonly #reserve: ReservedSeats;
  /** The youngest task of each priority since the queue was last empty: an older one was put back. */
  readonly #youngest = new Map<number, number>();
  #isWatching = false;

  constructor(main: Port, data: CoordinatorData, platform: CoordinatorPlatform) {
    this.#main = main;
    this.#platform = platform;
    this.#board = new TicketReader(data.board);
    this.#tasksPerWorker = data.tasksPerWorker;
    this.#choice = resolveChoice(data.choose, () => undefined);
    this.#reserve = new ReservedSeats(main, platform, (seat, line) => this.#hire(seat, line));
    this.#sizing = new SeatSizing(data, {
      platform,
      seats: () => this.#seats.values(),
      queued: () => this.#queued,
      onWanted: (wanted, decision) => main.post([FROM_COORDINATOR.wanted, wanted, decision]),
      onMissing: (count) => this.#reserve.start(count),
    });
    main.listen((message) => this.#hear(message as WordToCoordinator));
  }

  #hear(word: WordToCoordinator): void {
    switch (word[0]) {
      case TO_COORDINATOR.task: {
        const [, ticket, id, name, priority, args, transfer] = word;
        return this.#accept({ ticket, id, name, priority, key: undefined, args, transfer });
      }
      case TO_COORDINATOR.forget:
        for (const ticket of word[1]) this.#forget(ticket);
        return;
      case TO_COORDINATOR.hire:
        return this.#hire(word[1], word[2]);
      case TO_COORDINATOR.retire:
        return this.#with(word[1], (seat) => this.#retire(seat));
      case TO_COORDINATOR.gone:
        return this.#with(word[1], (seat) => this.#bury(seat));
      case TO_COORDINATOR.bounds:
        return this.#sizing.bound(word[1], word[2]);
      case TO_COORDINATOR.reserve:
        this.#reserve.add(word[1], word[2], word[3]);
        return this.#sizing.look(); // there may have been nobody to start when one was missing
      case TO_COORDINATOR.end:
        return this.#reserve.end(word[1]);
      case TO_COORDINATOR.choose:
        this.#choice = resolveChoice(word[1], () => undefined);
    }
  }

  #hearSeat(seat: Seat, word: WordFromSeat): void {
    seat.completed++;
    switch (word[0]) {
      case FROM_SEAT.hello:
        seat.isReady = true;
        seat.threadId = word[1];
        break;
      case FROM_SEAT.ended: {
        const [, ticket, name, runMs, utilization] = word;
        seat.given.delete(ticket);
        seat.utilization = utilization;
        seat.ended++;
        seat.runMs += runMs;
        this.#prefetch.observe(name, runMs);
        break;
      }
      case FROM_SEAT.passed:
        seat.given.delete(word[1]);
        break;
      case FROM_SEAT.letters:
        if (word[1] < seat.letters) seat.ended++;
        seat.letters = word[1];
        break;
      case FROM_SEAT.enough:
        seat.isLeaving = true;
        this.#takeBack(seat);
        break;
    }
    if (seat.load === 0) seat.idleSince = this.#platform.now();
    this.#pump();
  }

  #with(id: number, act: (seat: Seat) => void): void {
    const seat = this.#seats.get(id);
    if (seat === undefined) return;
    act(seat);
    this.#pump();
  }

  // --- tasks ---

  #accept(entry: Entry): void {
    const { id, priority } = entry;
    if (this.#queue.size === 0) this.#youngest.clear();
    const isBack = id < (this.#youngest.get(priority) ?? 0);
    if (!isBack) this.#youngest.set(priority, id);
    this.#enqueue(entry, isBack);
    this.#pump();
  }

  #enqueue(entry: Entry, isBack: boolean): void {
    this.#waiting.set(entry.ticket, entry);
    if (isBack) this.#queue.pushFront(entry, entry.priority);
    else this.#queue.push(entry, entry.priority);
  }

  #forget(ticket: number): void {
    const entry = this.#waiting.get(ticket);
    if (entry === undefined) return;
    this.#waiting.delete(ticket);
    this.#queue.remove(entry);
  }

  /** Gives what waits to whoever is free, and looks whether there are enough of them. */
  #pump(): void {
    this.#giveAll();
    this.#sizing.look();
  }

  #giveAll(): void {
    for (let entry = this.#queue.peek(); entry !== undefined; entry = this.#queue.peek()) {
      const seat = this.#board.isPosted(entry.ticket) ? this.#choose(entry) : undefined;
      if (seat === undefined && this.#board.isPosted(entry.ticket)) return;
      this.#queue.shift();
      this.#waiting.delete(entry.ticket);
      if (seat !== undefined) this.#give(entry, seat);
    }
  }

  #choose(entry: Entry): Seat | undefined {
    // A task that moves its arguments cannot be given twice, so it is not left lying at a worker.
    const depth = entry.transfer.length > 0 ? 0 : this.#prefetch.depth(entry.name);
    const candidates = [...this.#seats.values()].filter((seat) => this.#hasRoom(seat, depth));
    if (candidates.length <= 1) return candidates[0];
    return this.#choice.choose(entry, candidates) as Seat;
  }

  #hasRoom(seat: Seat, depth: number): boolean {
    if (!seat.isReady || seat.isLeaving || seat.isStalled) return false;
    return seat.load < this.#tasksPerWorker + depth;
  }

  #give(entry: Entry, seat: Seat): void {
    const { ticket, id, name, args, transfer } = entry;
    seat.given.set(ticket, entry);
    seat.line.post([TO_SEAT.task, ticket, id, name, args, transfer.length > 0], transfer);
    this.#watch();
  }

  /** What the worker has not begun, and another one can run, waits in the queue again. */
  #takeBack(seat: Seat): void {
    const unbegun = this.#unbegun(seat).filter(({ transfer }) => transfer.length === 0);
    for (const entry of unbegun.sort((a, b) => b.id - a.id)) {
      seat.given.delete(entry.ticket);
      this.#enqueue(entry, true);
    }
  }

  /** Tasks that nobody has, and tasks that somebody has who may run no more at a time. */
  get #queued(): number {
    let ahead = 0;
    for (const { load } of this.#seats.values()) ahead += Math.max(0, load - this.#tasksPerWorker);
    return this.#waiting.size + ahead;
  }

  #unbegun(seat: Seat): Entry[] {
    return [...seat.given.values()].filter(({ ticket }) => this.#board.isPosted(ticket));
  }

  /** As long as any worker holds unbegun tasks, looks every STALL_MS whether it got on. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#platform.timer(STALL_MS, () => {
      this.#isWatching = false;
      this.#lookForStalls();
    });
  }

  #lookForStalls(): void {
    const holders = [...this.#seats.values()].filter((seat) => this.#unbegun(seat).length > 0);
    if (holders.length > 0) this.#watch();
    for (const seat of holders) {
      if (seat.watchedAt === seat.completed) {
        seat.stalledAt = seat.completed;
        this.#takeBack(seat);
      }
      seat.watchedAt = seat.completed;
    }
    this.#pump();
  }

  // --- workers ---

  #hire(id: number, end: unknown): void {
    const seat = new Seat(id, this.#platform.port(end), this.#platform.now());
    this.#seats.set(id, seat);
    seat.line.listen((message) => this.#hearSeat(seat, message as WordFromSeat));
    this.#sizing.look();
  }

  #retire(seat: Seat): void {
    seat.isLeaving = true;
    this.#takeBack(seat);
    seat.line.post([TO_SEAT.retire]);
  }

  #bury(seat: Seat): void {
    this.#takeBack(seat);
    const lost = this.#unbegun(seat).map(({ ticket }) => ticket);
    this.#seats.delete(seat.id);
    seat.line.close();
    if (lost.length > 0) this.#main.post([FROM_COORDINATOR.lost, lost]);
  }
}
