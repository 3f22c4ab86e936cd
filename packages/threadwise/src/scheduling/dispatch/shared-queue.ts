/**
 * Shared queue: tasks lie in a pull queue, from which every worker takes the next one by itself, or a coordinator gives them out. Tasks
 * for one worker only, and tasks that only a message can carry, are dispatched directly.
 */
import type { DispatchContext, PullQueue, TaskQueue } from '../../core/contracts.js';
import type { Task } from '../../core/calls/task.js';
import type { WorkerSlot } from '../../core/workers/worker-slot.js';
import { DirectDispatch } from './direct.js';

/**
 * If priorities differ, the pull queue holds at most this many tasks for each that workers may run: their order cannot be changed there,
 * so they have to be taken back when a more urgent one comes. Chosen by hand.
 */
const WINDOW = 8;

export class SharedQueueDispatch extends DirectDispatch {
  override readonly name: string;
  readonly #pull: PullQueue;
  /** Tasks that the pull queue has no room for, or that its order does not suit. */
  readonly #queue: TaskQueue<Task>;
  /** The lowest priority in the pull queue, and whether there is more than one. */
  #lowest = 0;
  #isMixed = false;

  /** @param pull the pull queue of the exchange that the workers are connected by */
  constructor(context: DispatchContext, pull: PullQueue, name = 'shared-queue') {
    super(context);
    this.name = name;
    this.#pull = pull;
    this.#queue = context.newQueue();
    pull.giveBack = (tasks) => {
      this.putBack(tasks);
      this.pump();
    };
  }

  override get queued(): number {
    return this.isPaused ? 0 : super.queued + this.ahead + this.#queue.size + this.#unserved;
  }

  override get waiting(): number {
    return super.waiting + this.#queue.size + this.#unserved;
  }

  override get offered(): number {
    return this.#pull.open === 0 ? 0 : this.#pull.unclaimed;
  }

  override get hasRoom(): boolean {
    return !this.isPaused && this.#queue.size === 0 && this.#free > 0;
  }

  override get takesPlain(): boolean {
    return this.#queue.size === 0 && (this.#pull.sorts || (!this.#isMixed && this.#lowest === 0));
  }

  override submit(task: Task): void {
    if (task.key !== undefined) return super.submit(task);
    if (!this.#pull.carries(task)) return this.submitAhead(task);
    if (!this.isPaused && this.#queue.size === 0 && this.#suits(task)) {
      if (this.#offer(task)) return;
      if (this.#pull.hasRoom) return this.submitAhead(task);
    }
    // Less urgent tasks in the pull queue are taken back: from now on this queue decides.
    if (task.priority !== this.#lowest) this.#isMixed = true;
    if (!this.#pull.sorts && this.#pull.unclaimed > 0 && task.priority > this.#lowest) this.#recall();
    this.#queue.push(task, task.priority);
    this.pump();
  }

  override putBack(tasks: readonly Task[]): void {
    // A task with a key, or that only a message can carry, is handed to one worker.
    const isForOne = (task: Task) => task.key !== undefined || !this.#pull.carries(task);
    super.putBack(tasks.filter(isForOne));
    const offered = tasks.filter((task) => !isForOne(task));
    if (offered.length === 0) return;
    if (!this.#pull.sorts) this.#recall(); // the tasks that come back are older than those in the pull queue
    this.requeue(offered, this.#queue);
    this.#isMixed = true;
  }

  override remove(task: Task): boolean {
    if (!this.#pull.withdraw(task)) return this.#queue.remove(task) || super.remove(task);
    // What waits behind the task may have relied on its end, of which nobody hears now.
    if (this.waiting > 0) this.pumpSoon();
    return true;
  }

  override pause(): void {
    if (this.isPaused) return;
    super.pause();
    this.putBack(this.#pull.pause());
  }

  override resume(): void {
    if (this.isPaused) this.#pull.resume();
    super.resume();
  }

  holder(task: Task): WorkerSlot | undefined {
    const link = this.#pull.holder(task);
    const slot = link && this.context.slots().find((each) => each.link === link);
    slot?.adopt();
    return slot;
  }

  override pump(): void {
    this.handOver();
    if (this.isPaused) return;
    while (this.#queue.size > 0 && this.#hasWindow()) {
      const task = this.#queue.shift()!;
      if (this.#offer(task)) continue;
      if (!this.#pull.hasRoom) {
        this.#queue.push(task, task.priority);
        if (this.#pull.open === 0) this.pumpSoon(); // otherwise the end of an open task brings the next try
        return;
      }
      super.submit(task);
    }
    if (this.#isMixed && this.#queue.size === 0 && this.#pull.unclaimed === 0) this.#isMixed = false;
  }

  override clear(): Task[] {
    return [...this.#queue.clear(), ...super.clear(), ...this.#pull.withdrawAll()];
  }

  protected override *unbegun(): Generator<Task> {
    yield* super.unbegun();
    yield* this.#queue;
    const first = this.#pull.peek();
    if (first !== undefined) yield first;
  }

  /** Tasks of the pull queue count, too. A worker that runs one which should come later ends that first: else such tasks might overtake for ever. */
  protected override canBegin(slot: WorkerSlot, moving: Task): boolean {
    const isLater = ({ id, priority }: Task) => id > moving.id || priority < moving.priority;
    if (slot.link.pulled > 0) slot.adopt();
    if (super.canBegin(slot, moving)) return this.#free > 0 || isLater(this.#pull.peek() ?? moving);
    return slot.handed.size === this.context.tasksPerWorker && [...slot.handed].some(isLater);
  }

  /** Whether a task may go into the pull queue, behind the others. */
  #suits(task: Task): boolean {
    if (this.#pull.sorts) return true;
    if (!this.#isMixed && task.priority === this.#lowest) return true;
    if (this.#pull.unclaimed > 0) return false;
    this.#isMixed = false;
    this.#lowest = task.priority;
    return true;
  }

  #offer(task: Task): boolean {
    if (!this.#pull.offer(task)) return false;
    this.#lowest = Math.min(this.#lowest, task.priority);
    if (task.unwatch !== undefined) this.context.canceller.offered(task);
    return true;
  }

  /** Moves the tasks of the pull queue back to `#queue`. That does not count their takes, so its turns of ageing stay the same. */
  #recall(): void {
    for (const task of this.#pull.withdrawAll().reverse()) this.#queue.push(task, task.priority);
    this.#lowest = Number.POSITIVE_INFINITY;
  }

  #hasWindow(): boolean {
    if (!this.#isMixed || this.#pull.sorts) return true;
    const ready = this.context.slots().filter(({ state }) => state === 'ready').length;
    // Among those that nobody has claimed are some that were withdrawn, until a worker drops them.
    const lying = Math.min(this.#pull.unclaimed, this.#pull.open);
    return lying < WINDOW * Math.max(1, ready * this.context.tasksPerWorker);
  }

  /** How many tasks of the pull queue have to wait, since every worker has as many as it may run. */
  get #unserved(): number {
    return this.#pull.open === 0 ? 0 : Math.max(0, -this.#free);
  }

  /** How many more tasks workers could begin at once than are in the pull queue or run; below 0: how many are too many. */
  get #free(): number {
    const { slots, tasksPerWorker } = this.context;
    // A worker that retires takes no more, but runs what it has taken by itself; what was adopted is no longer in the queue.
    const places = ({ state, link, handed }: WorkerSlot) =>
      Math.max(0, (state === 'ready' ? tasksPerWorker : link.pulled) - handed.size);
    return slots().reduce((free, slot) => free + places(slot), -this.#pull.open);
  }
}
