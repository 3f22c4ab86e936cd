/** Main's side of a pool with a coordinator: hands cells to its thread, and takes back what that leaves when it dies. */
import type {
  HelperView,
  LinkEvents,
  Platform,
  PullQueue,
  RemoteSizing,
  Transport,
} from '../../core/contracts.js';
import { lostError } from '../../core/workers/failures.js';
import { unreadable } from '../../core/calls/payload.js';
import type { Task } from '../../core/calls/task.js';
import { SharedExchange } from '../shared/main/exchange.js';
import * as L from '../shared/layout.js';
import { argumentsOf } from '../shared/main/link.js';
import { ARGUMENTS } from '../shared/messages.js';
import { AWAKE, dismissCoordinator, WANTS_HINTS, wakeCoordinator } from './layout.js';
import { CoordinatedLink } from './link.js';
import { CoordinatedQueue } from './queue.js';
import { type CoordinatorOptions, CoordinatorThread } from './thread.js';

export function coordinatedTransport(
  options: CoordinatorOptions,
  sizes: Omit<L.Sizes, 'mail'> = L.SIZES,
): Transport {
  return {
    name: 'coordinator',
    open: (platform, linkCapacity) => {
      const mail = 2 ** Math.ceil(Math.log2(linkCapacity));
      return new CoordinatedExchange(platform, { ...sizes, mail }, linkCapacity, options);
    },
  };
}

export class CoordinatedExchange extends SharedExchange {
  override readonly name = 'coordinator';
  readonly options: CoordinatorOptions;
  readonly thread: CoordinatorThread;
  readonly sizing: RemoteSizing;
  onReturned: (tasks: readonly Task[]) => void = () => undefined;
  /** Seats whose worker is gone, and which the coordinator may still give something to. */
  readonly #left = new Set<number>();

  constructor(platform: Platform, sizes: L.Sizes, linkCapacity: number, options: CoordinatorOptions) {
    super(platform, sizes, linkCapacity);
    this.options = options;
    this.thread = this.sizing = new CoordinatorThread(this, options.choose, {
      ...options,
      sizes,
      board: this.board.words.buffer,
      cells: this.cells.words.buffer,
    });
  }

  get coordinator(): HelperView {
    return { utilization: this.thread.utilization(), restarts: this.thread.restarts };
  }

  choose(name: string): void {
    this.thread.set({ choose: name });
  }

  override close(): Promise<void> | undefined {
    void super.close();
    return this.thread.close();
  }

  protected override newQueue(): PullQueue {
    return new CoordinatedQueue(this);
  }

  // --- tasks ---

  override enter(name: string, args: readonly unknown[], id: number): number {
    return this.thread.isDown ? -1 : super.enter(name, args, id);
  }

  override offer(cell: number, id: number): void {
    this.cells.doubles[cell * L.DOUBLES + L.RUN_MS] = 0;
    super.offer(cell, id);
  }

  /** Offers a task at once: how long this turn will be, nobody knows. */
  handOver(task: Task, cell: number): void {
    if (this.cells.isByPort(cell)) {
      this.thread.ensureStarted();
      this.cells.words[cell * L.WORDS + L.NAME] = this.nameId(task.wireName);
      const { id, wireName, payload } = task;
      const posted = [cell, id, this.cells.nextStamp, wireName, payload.transfer, argumentsOf(task)] as const;
      this.thread.tell([ARGUMENTS, ...posted], payload.transfer);
    }
    this.cells.keep(cell, task);
    this.cells.doubles[cell * L.DOUBLES + L.RUN_MS] = task.priority;
    super.offer(cell, task.id);
  }

  protected override callForTask(): void {
    wakeCoordinator(this.board.words, WANTS_HINTS);
  }

  /** C6: the coordinator could not read the arguments, and no worker will. */
  unread(cell: number, id: number, reason: string): void {
    const task = this.cells.isUnbegun(cell) ? this.cells.taskIn(cell) : undefined;
    if (task?.id !== id || !this.pull.withdraw(task)) return;
    task.settle({ outcome: 'failed', error: unreadable('args', reason) });
  }

  // --- workers ---

  override connect(events: LinkEvents): CoordinatedLink {
    this.thread.ensureStarted();
    const link = super.connect(events) as CoordinatedLink;
    if (!this.thread.isDown) this.thread.hire(link);
    return link;
  }

  /** The line to a worker that the coordinator may start. As long as it has not, the worker counts as asleep. */
  connectReserved(events: LinkEvents): CoordinatedLink {
    const link = super.connect(events) as CoordinatedLink;
    link.measureUtilization();
    this.board.set(L.RESERVED, link.seat);
    return link;
  }

  protected override newLink(
    memory: Omit<L.SharedMemory, 'own' | 'stream' | 'ownShapes'>,
    events: LinkEvents,
    capacity: number,
  ): CoordinatedLink {
    const link = new CoordinatedLink(this.thread, this, memory, events, capacity);
    if (this.thread.settings.choose === 'least-elu') link.measureUtilization();
    return link;
  }

  protected override freeSeat(seat: number): void {
    this.#left.add(seat);
    if (!this.thread.tell(['gone', seat])) this.released(seat);
  }

  /** C3: arguments that had been moved to the worker of that seat are gone with it. */
  released(seat: number): void {
    if (!this.#left.delete(seat)) return;
    for (const task of (this.pull as CoordinatedQueue).unbegun(seat)) {
      if (this.pull.withdraw(task)) settleLost(task, 'A worker');
    }
    super.freeSeat(seat);
  }

  protected override dismissAll(): void {
    super.dismissAll();
    dismissCoordinator(this.board.words);
  }

  // --- C4: the coordinator is dead ---

  /** Takes back all that waits by way of it, and wakes everybody whom it may have been about to wake. */
  withdrawAll(): Task[] {
    for (const seat of [...this.#left]) this.released(seat);
    const unbegun = this.pull.withdrawAll();
    Atomics.store(this.board.words, L.HEAD, this.tail);
    Atomics.store(this.board.words, L.COORDINATOR, AWAKE);
    for (const seat of this.links.keys()) this.board.wakeAgain(seat);
    return unbegun;
  }

  giveBack(unbegun: readonly Task[]): void {
    for (const task of unbegun) if (task.moves) settleLost(task, 'The coordinator');
    this.onReturned(unbegun.filter((task) => !task.moves));
  }
}

function settleLost(task: Task, who: string): void {
  task.settle({ outcome: 'crashed', error: lostError(task, who) });
}
