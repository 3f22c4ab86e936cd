/** Main's side of a pool with a coordinator: hands cells to its thread, and starts that anew when it dies. */
import type { HelperView, LinkEvents, Platform, PullQueue, Thread, Transport } from '../../core/contracts.js';
import { lostError } from '../../core/workers/failures.js';
import { unreadable } from '../../core/calls/payload.js';
import type { Task } from '../../core/calls/task.js';
import { type About, AccountedLine, type Line } from '../line.js';
import { SharedExchange } from '../shared/main/exchange.js';
import {
  CELL_BYTES,
  COORDINATOR,
  HEAD,
  NAME,
  RESERVED,
  type SharedMemory,
  SIZES,
  type Sizes,
} from '../shared/layout.js';
import { argumentsOf } from '../shared/main/link.js';
import {
  AWAKE,
  type CoordinatedMemory,
  RUN_TIMES_BYTES,
  seatByteLength,
  WANTS_HINTS,
  wakeCoordinator,
} from './layout.js';
import { CoordinatedLink } from './link.js';
import { CoordinatedQueue } from './queue.js';
import { RemoteSizer } from './remote-sizer.js';
import { Reserve } from './reserve.js';
import {
  type Arguments,
  FROM_COORDINATOR,
  TO_COORDINATOR,
  type MessageFromCoordinator,
  type MessageToCoordinator,
} from './messages.js';

/** What a coordinator decides by. */
export interface CoordinatorOptions {
  readonly tasksPerWorker: number;
  /** The name of the strategy. */
  readonly choose: string;
  /** How many threads make sense for tasks that compute. */
  readonly cores: number;
  /** Infinity: idle workers stay. */
  readonly idleTimeoutMs: number;
}

/** What the coordinator's thread is given, beside its port. */
export interface CoordinatorData extends CoordinatorOptions {
  readonly sizes: Sizes;
  readonly board: ArrayBufferLike;
  readonly cells: ArrayBufferLike;
  readonly runTimes: ArrayBufferLike;
}

/** A coordinator that dies so often in a row, each time soon, is not started again: main chooses. Chosen by hand. */
const MAX_FAILURES = 3;
/** What counts as soon. Milliseconds. */
const EARLY_MS = 10_000;
const CELL_WORDS = CELL_BYTES / 4;

/**
 * @param sendsMoved what moves goes from main to the worker itself: where workers run only so many tasks, the coordinator, which does
 * not count, might give it to one that may not begin it
 */
export function coordinatedTransport(
  options: CoordinatorOptions,
  sizes: Omit<Sizes, 'mail'> = SIZES,
  sendsMoved = false,
): Transport {
  return {
    name: 'coordinator',
    open: (platform, linkCapacity) => {
      const mail = 2 ** Math.ceil(Math.log2(linkCapacity));
      return new CoordinatedExchange(platform, { ...sizes, mail }, linkCapacity, options, sendsMoved);
    },
  };
}

export class CoordinatedExchange extends SharedExchange {
  override readonly name = 'coordinator';
  readonly sizing: RemoteSizer;
  readonly #reserve: Reserve;
  onReturned: (tasks: readonly Task[]) => void = () => undefined;
  readonly sendsMoved: boolean;
  readonly #runTimes: ArrayBufferLike;
  #data: CoordinatorData;
  #thread: Thread | undefined;
  #port: Line | undefined;
  #startedAt = 0;
  #isClosed = false;
  #failures = 0;
  #restarts = 0;
  #state: 'open' | 'paused' = 'open';
  /** Seats whose worker is gone, and which the coordinator may still give something to. */
  readonly #left = new Set<number>();

  constructor(
    platform: Platform,
    sizes: Sizes,
    linkCapacity: number,
    options: CoordinatorOptions,
    sendsMoved: boolean,
  ) {
    super(platform, sizes, linkCapacity);
    this.sendsMoved = sendsMoved;
    this.#runTimes = platform.sharedMemory(RUN_TIMES_BYTES);
    this.#reserve = new Reserve({
      platform,
      connect: (events) => this.#connectReserved(events),
      tell: (word, transfer) => this.tell(word, transfer),
    });
    const tellBounds = (min: number, max: number) => this.tell([TO_COORDINATOR.bounds, min, max]);
    this.sizing = new RemoteSizer(tellBounds, () => this.#port?.drain(), this.#reserve);
    this.#data = {
      ...options,
      sizes,
      board: this.board.words.buffer,
      cells: this.cells.words.buffer,
      runTimes: this.#runTimes,
    };
  }

  protected override newQueue(): PullQueue {
    return new CoordinatedQueue(this);
  }

  protected override newLink(
    memory: Omit<SharedMemory, 'own' | 'stream' | 'ownShapes'>,
    events: LinkEvents,
    capacity: number,
  ): CoordinatedLink {
    const more: Pick<CoordinatedMemory, 'given' | 'runTimes' | 'tasksPerWorker'> = {
      given: this.platform.sharedMemory(seatByteLength(this.sizes)),
      runTimes: this.#runTimes,
      tasksPerWorker: this.#data.tasksPerWorker,
    };
    const link = new CoordinatedLink(this, { ...memory, ...more }, events, capacity);
    if (this.#data.choose === 'least-elu') link.measureUtilization();
    return link;
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

  // --- tasks ---

  override capturePlain(name: string, args: readonly unknown[]): number {
    return this.isDown ? -1 : super.capturePlain(name, args);
  }

  override offerPlain(cell: number, id: number): void {
    this.cells.postStamped(cell, id, 0);
    this.hint(cell);
    this.drain.expect();
  }

  /** A task that has its cell. At once: how long this turn will be, nobody knows. */
  handOver(task: Task): void {
    const { cell, payload } = task;
    if (this.cells.isByPort(cell)) {
      this.#ensureStarted();
      this.cells.words[cell * CELL_WORDS + NAME] = this.nameId(task.wireName);
      const [type, , id, name, args] = argumentsOf(task) as Arguments;
      this.tell([type, cell, id, name, payload.transfer, args], payload.transfer);
    }
    this.cells.keep(cell, task);
    this.cells.postStamped(cell, task.id, task.priority);
    this.hint(cell);
    this.drain.expect();
  }

  protected override callForTask(): void {
    wakeCoordinator(this.board.words, WANTS_HINTS);
  }

  // --- workers ---

  override connect(events: LinkEvents): CoordinatedLink {
    this.#ensureStarted();
    const link = super.connect(events) as CoordinatedLink;
    this.#hire(link);
    return link;
  }

  #connectReserved(events: LinkEvents): CoordinatedLink {
    const link = super.connect(events) as CoordinatedLink;
    link.isReserved = true;
    link.measureUtilization();
    this.board.set(RESERVED, link.seat); // as long as it has not been started, it counts as asleep
    return link;
  }

  protected override freeSeat(seat: number): void {
    this.#left.add(seat);
    if (this.#port === undefined) this.#released(seat);
    else this.tell([TO_COORDINATOR.gone, seat]);
  }

  /** C3: what had been moved to the worker that was there is gone with it. */
  #released(seat: number): void {
    if (!this.#left.delete(seat)) return;
    this.#settleLost((cell) => this.cells.assignedTo(cell) === seat, 'A worker');
    super.freeSeat(seat);
  }

  /** Each gets one end of a line. */
  #hire(link: CoordinatedLink): void {
    if (this.isDown) return link.stayWithout();
    const [here, there] = this.platform.channelEnds();
    this.tell([TO_COORDINATOR.hire, link.seat, link.seatMemory, here], [here]);
    link.join(there);
    if (link.isRetiring) this.tell([TO_COORDINATOR.retire, link.seat]);
  }

  // --- the coordinator's thread ---

  tell(word: MessageToCoordinator, transfer?: readonly unknown[]): void {
    this.#port?.post(word, transfer);
  }

  override close(): Promise<void> | undefined {
    this.#isClosed = true;
    void super.close();
    this.#port?.close();
    return this.#thread?.terminate();
  }

  /** Not before somebody needs it: a pool may wait for its first call without any thread. */
  #ensureStarted(): void {
    if (this.#port === undefined && !this.isDown) this.#start();
  }

  #start(): void {
    const { near, far } = this.platform.channel();
    const line = new AccountedLine(near);
    this.#port = line;
    this.#startedAt = this.platform.now();
    line.listen(
      (message) => this.#hear(message as MessageFromCoordinator),
      () => this.sizing.settledBatch(),
      ([type, cell, id]: About, reason) => {
        if (type === TO_COORDINATOR.args) this.#unread(cell as number, id as number, reason);
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

  #hear(word: MessageFromCoordinator): void {
    switch (word[0]) {
      case FROM_COORDINATOR.released:
        return this.#released(word[1]);
      case FROM_COORDINATOR.wanted:
        return this.sizing.hear(word[1], word[2]);
      case FROM_COORDINATOR.started:
        return this.#reserve.started(word[1]);
      case FROM_COORDINATOR.exited:
        return this.#reserve.exited(word[1], word[2], word[3]);
    }
  }

  /** C6: the coordinator could not read the arguments, and no worker will. */
  #unread(cell: number, id: number, reason: string): void {
    const task = this.cells.isUnbegun(cell) ? this.cells.taskIn(cell) : undefined;
    if (task?.id !== id || !this.pull.withdraw(task)) return;
    task.settle({ outcome: 'failed', error: unreadable('args', reason) });
  }

  /** C4, C5. */
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
    for (const seat of [...this.#left]) this.#released(seat);
    const queue = this.pull as CoordinatedQueue;
    const withdrawn = queue.withdrawAll();
    const { words } = this.board;
    Atomics.store(words, HEAD, this.tail);
    Atomics.store(words, COORDINATOR, AWAKE);
    for (const seat of this.links.keys()) this.board.wakeAgain(seat);
    if (!this.isDown) {
      this.#restarts++;
      this.#start();
    }
    for (const link of this.#coordinatedLinks()) if (!link.isReserved) this.#hire(link);
    this.#reserve.endAll();
    for (const task of withdrawn) if (task.moves) settleLost(task, 'The coordinator');
    this.onReturned(withdrawn.filter((task) => !task.moves));
  }

  #settleLost(isLost: (cell: number) => boolean, who: string): void {
    for (let cell = 0; cell < this.cells.usedCount; cell++) {
      const task = isLost(cell) ? this.cells.taskIn(cell) : undefined;
      if (task !== undefined && this.pull.withdraw(task)) settleLost(task, who);
    }
  }

  #coordinatedLinks(): CoordinatedLink[] {
    return [...this.links.values()] as CoordinatedLink[];
  }
}

function settleLost(task: Task, who: string): void {
  task.settle({ outcome: 'crashed', error: lostError(task, who) });
}
