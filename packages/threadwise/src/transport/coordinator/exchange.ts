/** Main's side of a pool with a coordinator: hands cells to the coordinator's thread, and takes back what it leaves when it dies. */
import type { HelperView, LinkEvents, Platform, Transport } from '../../core/contracts.js';
import { lostError } from '../../core/workers/failures.js';
import { unreadable } from '../../core/calls/payload.js';
import type { Task } from '../../core/calls/task.js';
import { SharedExchange } from '../shared/main/exchange.js';
import * as L from '../shared/layout.js';
import { SharedLink } from '../shared/main/link.js';
import { SharedQueue } from '../shared/main/queue.js';
import { countWithin } from '../trust.js';
import { dismissCoordinator, WANTS_HINTS, wakeCoordinator } from './layout.js';
import type { CoordinatorData, Settings } from './messages.js';
import { CoordinatorThread } from './thread.js';

type Sizes = Omit<L.Sizes, 'mail'>;

type Deciding = Pick<CoordinatorData, 'tasksPerWorker' | 'idleTimeoutMs'> & Pick<Settings, 'choose'>;
interface CoordinatorOptions extends Deciding {
  /** Whether main sends tasks that move their arguments directly: where workers are replaced after some tasks, the one chosen might not begin it. */
  readonly sendsMoved: boolean;
}

export function coordinatedTransport(options: CoordinatorOptions, sizes: Sizes = L.SIZES): Transport {
  return (platform, linkCapacity) => new CoordinatedExchange(platform, sizes, linkCapacity, options);
}

export class CoordinatedExchange extends SharedExchange {
  override readonly name = 'coordinator';
  declare readonly pull: CoordinatedQueue;
  readonly options: CoordinatorOptions;
  readonly thread: CoordinatorThread;
  readonly sizing: CoordinatorThread;
  /** Seats whose worker is gone, but to which the coordinator may still give tasks. */
  readonly #left = new Set<number>();

  constructor(platform: Platform, sizes: Sizes, linkCapacity: number, options: CoordinatorOptions) {
    super(platform, sizes, linkCapacity);
    this.options = options;
    this.thread = this.sizing = new CoordinatorThread(this);
  }

  get coordinator(): HelperView {
    return { utilization: this.thread.utilization(), restarts: this.thread.restarts };
  }

  choose(choose: string): void {
    this.thread.set({ choose });
    if (choose === 'least-elu') for (const link of this.links.values()) (link as CoordinatedLink).measure();
  }

  override close(): Promise<void> | undefined {
    void super.close();
    return this.thread.close();
  }

  protected override newQueue(): CoordinatedQueue {
    return new CoordinatedQueue(this);
  }

  // --- tasks ---

  override enter(name: string, args: readonly unknown[], id: number): number {
    return this.thread.isDown ? -1 : super.enter(name, args, id);
  }

  protected override callForTask(): void {
    wakeCoordinator(this.board.words, WANTS_HINTS);
  }

  /** C6: the coordinator could not read the arguments, and no worker will, so the task fails. */
  unread(cell: number, id: number, reason: string): void {
    const task = this.cells.isUnbegun(cell) ? this.cells.taskIn(cell) : undefined;
    if (task === undefined || L.idWord(task.id) !== id || !this.pull.withdraw(task)) return;
    task.settle({ outcome: 'failed', error: unreadable('args', reason) });
  }

  // --- workers ---

  override connect(events: LinkEvents): CoordinatedLink {
    this.thread.ensureStarted();
    const link = super.connect(events) as CoordinatedLink;
    if (!this.thread.isDown) this.thread.hire(link);
    return link;
  }

  /** Prepared workers do not read their ports, where the message would keep the memory: others are prepared in their place. */
  protected override tellSegment(index: number, buffer: ArrayBufferLike | undefined): void {
    super.tellSegment(index, buffer);
    if (buffer === undefined) this.thread.tell(['drop', this.arena.segments[index]!.byteLength]);
  }

  /** The line to a worker that the coordinator may start. Until then the worker counts as parked. */
  connectReserved(events: LinkEvents): CoordinatedLink {
    const link = super.connect(events) as CoordinatedLink;
    link.measure();
    this.board.set(L.RESERVED, link.seat);
    return link;
  }

  protected override newLink(memory: L.SharedMemory, events: LinkEvents): CoordinatedLink {
    const link = new CoordinatedLink(this, memory, events);
    if (this.thread.settings.choose === 'least-elu') link.measure();
    return link;
  }

  protected override freeSeat(seat: number): void {
    this.#left.add(seat);
    if (!this.thread.tell(['gone', seat])) this.released(seat);
  }

  /** C3: the coordinator gives the seat nothing more. Arguments that had been moved to its worker are gone with the worker. */
  released(seat: number): void {
    if (!this.#left.delete(seat)) return;
    for (const task of this.pull.unbegun(seat)) if (this.pull.withdraw(task)) settleLost(task, 'A worker');
    super.freeSeat(seat);
  }

  protected override dismissAll(): void {
    super.dismissAll();
    dismissCoordinator(this.board.words);
  }

  // --- C4: the coordinator is dead ---

  /** Takes back all tasks that wait at the dead coordinator, and wakes all workers that it may have been about to wake. */
  withdrawAll(): Task[] {
    Atomics.store(this.board.words, L.COORDINATOR, L.AWAKE); // first, as a listener may start the next coordinator, which uses this word
    for (const seat of [...this.#left]) this.released(seat);
    const unbegun = this.pull.withdrawAll();
    Atomics.store(this.board.words, L.HEAD, this.tail);
    for (const seat of this.links.keys()) this.board.wakeAgain(seat);
    return unbegun;
  }

  giveBack(unbegun: readonly Task[]): void {
    for (const task of unbegun) if (task.moves) settleLost(task, 'The coordinator');
    this.pull.giveBack(unbegun.filter((task) => !task.settled)); // a listener may have aborted one
  }
}

/** Main's line to a worker of a pool with a coordinator. */
export class CoordinatedLink extends SharedLink {
  declare protected readonly exchange: CoordinatedExchange;
  isRetiring = false;

  /** The worker measures the utilisation of its event loop from now on. */
  measure(): void {
    this.own[L.MEASURES] = 1;
  }

  get threadId(): number {
    return Atomics.load(this.own, L.THREAD_ID);
  }

  get utilization(): number {
    return countWithin(Atomics.load(this.own, L.UTILIZATION), 1000) / 1000;
  }

  /** The coordinator tells the worker, so that the worker hears of it after everything that was assigned to it. */
  override retire(isReplaced = false): boolean {
    const { thread } = this.exchange;
    this.isRetiring = true;
    if (thread.isDown) return super.retire();
    thread.tell([isReplaced ? 'replace' : 'retire', this.seat]);
    return false;
  }
}

/** The coordinator's queue, as main sees it. */
class CoordinatedQueue extends SharedQueue {
  override readonly sorts = true;
  declare protected readonly exchange: CoordinatedExchange;

  override carries(task: Task): boolean {
    const { thread, options } = this.exchange;
    const isSent = options.sendsMoved && task.payload.transfer.length > 0;
    return task.key === undefined && !thread.isDown && !isSent;
  }

  /** Exact, as it decides whether a worker is needed. */
  override get unclaimed(): number {
    const { cells } = this.exchange;
    if (cells.offeredCount === 0) return 0;
    let count = 0;
    for (let cell = 0; cell < cells.usedCount; cell++) if (cells.isUnbegun(cell)) count++;
    return count;
  }

  /** Sends the arguments at once, since this turn may be long. */
  protected override sendArguments(task: Task): boolean {
    const { cells, thread } = this.exchange;
    thread.ensureStarted();
    cells.words[task.cell * L.WORDS + L.NAME] = this.exchange.nameId(task.wireName);
    this.exchange.postArguments(task, task.cell, (posted) => void thread.tell(posted, posted[5]));
    return true;
  }

  override withdrawAll(): Task[] {
    return this.unbegun().filter((task) => this.withdraw(task));
  }

  /** Tasks whose arguments were moved to the coordinator wait there, as no other thread has the arguments. */
  override pause(): Task[] {
    this.exchange.thread.set({ state: 'paused' });
    return this.unbegun().filter((task) => !task.moves && this.withdraw(task));
  }

  override resume(): void {
    this.exchange.thread.set({ state: 'open' });
  }

  override peek(): Task | undefined {
    return this.unbegun()[0];
  }

  /** Tasks that no worker has begun, the oldest first. @param seat only those that are assigned to this seat */
  unbegun(seat?: number): Task[] {
    const { cells } = this.exchange;
    const tasks: Task[] = [];
    for (let cell = 0; cell < cells.usedCount; cell++) {
      const isMeant = cells.isUnbegun(cell) && (seat === undefined || cells.assignedTo(cell) === seat);
      const task = isMeant ? cells.taskIn(cell) : undefined;
      if (task !== undefined) tasks.push(task);
    }
    return tasks.sort((a, b) => a.id - b.id);
  }
}

function settleLost(task: Task, who: string): void {
  task.settle({ outcome: 'crashed', error: lostError(task, who) });
}
