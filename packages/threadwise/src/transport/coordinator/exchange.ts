/** Main's side of a pool with a coordinator: hands tasks to its thread, and starts that anew when it dies. */
import type { Exchange, HelperView, LinkEvents, Platform, Thread, Transport } from '../../core/contracts.js';
import { lostError } from '../../core/failures.js';
import { LeaseStore } from '../../core/lease.js';
import { capture, type Payload, unreadable } from '../../core/payload.js';
import type { ResolvedRun } from '../../core/run-options.js';
import type { Task } from '../../core/task.js';
import { type About, AccountedLine, type Line } from '../line.js';
import { CoordinatedLink } from './link.js';
import { CoordinatedQueue } from './queue.js';
import { RemoteSizer } from './remote-sizer.js';
import { Reserve } from './reserve.js';
import { boardByteLength, CELLS, TicketOwner } from './ticket-board.js';
import {
  FROM_COORDINATOR,
  TO_COORDINATOR,
  type WordFromCoordinator,
  type WordToCoordinator,
} from './words.js';

/** What a coordinator decides by. */
export interface CoordinatorOptions {
  readonly tasksPerWorker: number;
  /** The name of the strategy. */
  readonly choose: string;
  /** The name of the scaling policy. */
  readonly scaling: string;
  /** How many threads make sense for tasks that compute. */
  readonly cores: number;
  /** Infinity: idle workers stay. */
  readonly idleTimeoutMs: number;
}

/** What the coordinator's thread is given, beside its port. */
export interface CoordinatorData extends CoordinatorOptions {
  readonly board: ArrayBufferLike;
}

/** A coordinator that dies so often in a row, each time soon, is not started again: main chooses. Chosen by hand. */
const MAX_FAILURES = 3;
/** What counts as soon. Milliseconds. */
const EARLY_MS = 10_000;

/**
 * @param sendsMoved what moves goes from main to the worker itself: where workers run only so many tasks, the coordinator, which does
 * not count, might give it to one that may not begin it
 */
export function coordinatedTransport(
  options: CoordinatorOptions,
  cells = CELLS,
  sendsMoved = false,
): Transport {
  return {
    name: 'coordinator',
    open: (platform, linkCapacity) =>
      new CoordinatedExchange(platform, linkCapacity, options, cells, sendsMoved),
  };
}

export class CoordinatedExchange implements Exchange {
  readonly name = 'coordinator';
  readonly leaseMemory = undefined;
  readonly pull = new CoordinatedQueue(this);
  readonly platform: Platform;
  readonly sizing: RemoteSizer;
  readonly #reserve: Reserve;
  readonly boardMemory: ArrayBufferLike;
  readonly board: TicketOwner;
  /** Workers whose thread has not ended, by seat. */
  readonly links = new Map<number, CoordinatedLink>();
  /** Tasks that count as handed to the worker that took them. */
  readonly adopted = new Set<Task>();
  onReturned: (tasks: readonly Task[]) => void = () => undefined;
  readonly measuresUtilization: boolean;
  readonly sendsMoved: boolean;
  #data: CoordinatorData;
  readonly #linkCapacity: number;
  #thread: Thread | undefined;
  #port: Line | undefined;
  #startedAt = 0;
  #isClosed = false;
  #failures = 0;
  #restarts = 0;
  #state: 'open' | 'paused' = 'open';
  #lastSeat = 0;
  /** To be forgotten by the coordinator, at the end of this turn. */
  #forgotten: number[] = [];

  constructor(
    platform: Platform,
    linkCapacity: number,
    options: CoordinatorOptions,
    cells: number,
    sendsMoved: boolean,
  ) {
    this.platform = platform;
    this.sendsMoved = sendsMoved;
    this.#linkCapacity = linkCapacity;
    this.boardMemory = platform.sharedMemory(boardByteLength(cells));
    this.board = new TicketOwner(this.boardMemory);
    this.#reserve = new Reserve({
      platform,
      connect: (events) => this.#connect(events, true),
      tell: (word, transfer) => this.tell(word, transfer),
    });
    this.sizing = new RemoteSizer((min, max) => this.tell([TO_COORDINATOR.bounds, min, max]), this.#reserve);
    this.#data = { ...options, board: this.boardMemory };
    this.measuresUtilization = options.choose === 'least-elu';
  }

  /** There is no coordinator, and there will be none. */
  get isDown(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  get coordinator(): HelperView {
    return { utilization: this.#thread?.utilization() ?? 0, restarts: this.#restarts };
  }

  choose(name: string): void {
    this.#data = { ...this.#data, choose: name };
    this.tell([TO_COORDINATOR.choose, name]);
  }

  pause(state: 'open' | 'paused'): void {
    this.#state = state;
    this.tell([TO_COORDINATOR.pause, state]);
  }

  capture(_name: string, args: readonly unknown[], run: ResolvedRun): Payload {
    return capture(args, run.transfer, this.platform.clone, LeaseStore.of);
  }

  connect(events: LinkEvents): CoordinatedLink {
    this.#ensureStarted();
    const link = this.#connect(events, false);
    this.#hire(link);
    return link;
  }

  #connect(events: LinkEvents, isReserved: boolean): CoordinatedLink {
    const link = new CoordinatedLink(this, ++this.#lastSeat, events, this.#linkCapacity, isReserved);
    this.links.set(link.seat, link);
    return link;
  }

  /** At once, task by task: how long this turn will be, nobody knows. */
  handOver(task: Task): void {
    this.#ensureStarted();
    const { args, transfer } = task.payload;
    const ticket = this.board.post(task);
    const word = [
      TO_COORDINATOR.task,
      ticket,
      task.id,
      task.wireName,
      task.priority,
      transfer,
      args,
    ] as const;
    this.tell(word, transfer);
  }

  forget(ticket: number): void {
    if (this.#forgotten.length === 0) this.platform.defer(() => this.#tellForgotten());
    this.#forgotten.push(ticket);
  }

  tell(word: WordToCoordinator, transfer?: readonly unknown[]): void {
    this.#port?.post(word, transfer);
  }

  close(): Promise<void> | undefined {
    this.#isClosed = true;
    this.#port?.close();
    return this.#thread?.terminate();
  }

  #tellForgotten(): void {
    const tickets = this.#forgotten;
    this.#forgotten = [];
    this.tell([TO_COORDINATOR.forget, tickets]);
  }

  /** Not before somebody needs it: a pool may wait for its first call without any thread. */
  #ensureStarted(): void {
    if (this.#port === undefined && !this.isDown) this.#start();
  }

  #restart(): void {
    this.#restarts++;
    this.#start();
  }

  #start(): void {
    const { near, far } = this.platform.channel();
    const line = new AccountedLine(near);
    this.#port = line;
    this.#startedAt = this.platform.now();
    line.listen(
      (message) => this.#hear(message as WordFromCoordinator),
      () => this.sizing.settledBatch(),
      ([type, ticket]: About, reason) => {
        if (type === TO_COORDINATOR.task) this.#unread(ticket as number, reason);
      },
    );
    const spec = {
      role: 'coordinator',
      name: 'threadwise/coordinator',
      port: far,
      data: this.#data,
    } as const;
    try {
      const thread = this.platform.startHelper(spec, () => {
        if (this.#thread === thread) this.#died();
      });
      this.#thread = thread;
    } catch {
      this.platform.defer(() => this.#died());
    }
    this.sizing.repeat();
    this.tell([TO_COORDINATOR.pause, this.#state]);
  }

  #hear(word: WordFromCoordinator): void {
    switch (word[0]) {
      case FROM_COORDINATOR.lost:
        return this.#lost(word[1]);
      case FROM_COORDINATOR.wanted:
        return this.sizing.hear(word[1], word[2]);
      case FROM_COORDINATOR.started:
        return this.#reserve.started(word[1]);
      case FROM_COORDINATOR.exited:
        return this.#reserve.exited(word[1], word[2], word[3]);
      case FROM_COORDINATOR.unread:
        return this.#unread(word[1], word[2]);
    }
  }

  /** Their worker is gone, and their arguments with it. */
  #lost(tickets: readonly number[]): void {
    for (const ticket of tickets) {
      const task = this.board.taskOf(ticket);
      if (task !== undefined && this.board.withdraw(task) !== undefined) settleLost(task, 'A worker');
    }
  }

  /** Neither the coordinator nor a worker will be able to. */
  #unread(ticket: number, reason: string): void {
    const task = this.board.taskOf(ticket);
    if (task === undefined || !this.pull.withdraw(task)) return;
    task.settle({ outcome: 'failed', error: unreadable('args', reason) });
  }

  /** What has begun goes on. What has not is handed to the next coordinator, but for arguments that were moved. */
  #died(): void {
    // Its end may be heard before its last words, and by them main knows which workers it had started.
    this.#port?.drain();
    this.#port?.close();
    this.#port = undefined;
    this.#thread = undefined;
    this.sizing.forget();
    if (this.#isClosed) return this.#reserve.endAll();
    const isEarly = this.platform.now() - this.#startedAt < EARLY_MS;
    this.#failures = isEarly ? this.#failures + 1 : 1;
    const withdrawn = this.board.posted().filter((task) => this.board.withdraw(task) !== undefined);
    if (!this.isDown) this.#restart();
    for (const link of this.links.values()) if (!link.isReserved) this.#hire(link);
    this.#reserve.endAll();
    for (const task of withdrawn) if (task.moves) settleLost(task, 'The coordinator');
    this.onReturned(withdrawn.filter((task) => !task.moves));
  }

  /** Each gets one end of a line. The worker says `hello` over it when it can run tasks. */
  #hire(link: CoordinatedLink): void {
    if (this.isDown) return link.stayWithout();
    const [here, there] = this.platform.channelEnds();
    this.tell([TO_COORDINATOR.hire, link.seat, here], [here]);
    link.join(there);
    if (link.isRetiring) this.tell([TO_COORDINATOR.retire, link.seat]);
  }
}

function settleLost(task: Task, who: string): void {
  task.settle({ outcome: 'crashed', error: lostError(task, who) });
}
