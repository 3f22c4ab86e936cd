/**
 * Shared queue: tasks lie where every worker takes the next one by itself, or where a coordinator gives them out. What is
 * for one worker only, or can only be sent, goes the direct way.
 */
import type { Dispatch, DispatchContext, PullQueue, TaskQueue, TimerHandle } from '../../core/contracts.js';
import type { Task } from '../../core/calls/task.js';
import type { WorkerSlot } from '../../core/workers/worker-slot.js';
import { DirectDispatch } from './direct.js';

/**
 * Tasks of different priorities that lie where workers take them, per worker: their order cannot be changed there, so
 * they have to be taken back when a more urgent one comes. Chosen by hand.
 */
const WINDOW = 8;
/** How often it is tried again to offer a task while none is out. Milliseconds. */
const ROOM_MS = 1;

export class SharedQueueDispatch implements Dispatch {
  readonly name: string;
  readonly #context: DispatchContext;
  readonly #pull: PullQueue;
  readonly #direct: DirectDispatch;
  /** Tasks that the pull queue has no room for, or that its order does not suit. */
  readonly #queue: TaskQueue<Task>;
  /** The lowest priority in the pull queue, and whether there is more than one. */
  #lowest = 0;
  #isMixed = false;
  #roomTimer: TimerHandle | undefined;
  #state: 'open' | 'paused' = 'open';

  /** @param pull of the exchange that the workers are connected by */
  constructor(context: DispatchContext, pull: PullQueue, name = 'shared-queue') {
    this.name = name;
    this.#context = context;
    this.#pull = pull;
    this.#direct = new DirectDispatch(context);
    this.#queue = context.newQueue();
    pull.onReturned((tasks) => {
      this.putBack(tasks);
      this.pump();
    });
  }

  get isPaused(): boolean {
    return this.#state === 'paused';
  }

  get queued(): number {
    return this.isPaused ? 0 : this.#queue.size + this.#direct.queued + this.#unserved;
  }

  get waiting(): number {
    return this.#queue.size + this.#direct.waiting + this.#unserved;
  }

  get offered(): number {
    return this.#pull.open === 0 ? 0 : this.#pull.unclaimed;
  }

  get hasRoom(): boolean {
    return !this.isPaused && this.#queue.size === 0 && this.#pull.open + this.#handed < this.#places;
  }

  get takesPlain(): boolean {
    return this.#queue.size === 0 && (this.#pull.sorts || (!this.#isMixed && this.#lowest === 0));
  }

  submit(task: Task): void {
    if (this.#isForOne(task)) return this.#direct.submit(task);
    if (!this.isPaused && this.#queue.size === 0 && this.#suits(task)) {
      if (this.#offer(task)) return;
      if (this.#pull.hasRoom) return this.#direct.submit(task);
    }
    this.#enqueue(task);
    this.pump();
  }

  submitTo(slot: WorkerSlot, task: Task): void {
    this.#direct.submitTo(slot, task);
  }

  putBack(tasks: readonly Task[]): void {
    const sent = tasks.filter((task) => this.#isForOne(task));
    const offered = tasks.filter((task) => !this.#isForOne(task));
    if (sent.length > 0) this.#direct.putBack(sent);
    if (offered.length === 0) return;
    if (!this.#pull.sorts) this.#recall(); // they are older than what lies there
    for (const task of offered.toSorted((a, b) => b.id - a.id)) {
      task.state = 'queued';
      this.#queue.pushFront(task, task.priority);
    }
    this.#isMixed = true;
  }

  remove(task: Task): boolean {
    return this.#pull.withdraw(task) || this.#queue.remove(task) || this.#direct.remove(task);
  }

  pause(): void {
    if (this.isPaused) return;
    this.#state = 'paused';
    this.#direct.pause();
    this.putBack(this.#pull.pause());
  }

  resume(): void {
    if (!this.isPaused) return;
    this.#state = 'open';
    this.#pull.resume();
    this.#direct.resume();
    this.pump();
  }

  holder(task: Task): WorkerSlot | undefined {
    const link = this.#pull.holder(task);
    if (link === undefined) return undefined;
    const slot = this.#context.slots().find((each) => each.link === link);
    slot?.adopt(link.adopt());
    return slot;
  }

  observe(task: Task, runMs: number): void {
    this.#direct.observe(task, runMs);
  }

  pump(): void {
    this.#direct.pump();
    if (this.isPaused) return;
    while (this.#queue.size > 0 && this.#hasWindow()) {
      const task = this.#queue.shift()!;
      if (this.#offer(task)) continue;
      if (this.#pull.hasRoom) {
        this.#direct.submit(task);
        continue;
      }
      this.#queue.pushFront(task, task.priority);
      return this.#watchForRoom();
    }
    if (this.#isMixed && this.#queue.size === 0 && this.#pull.unclaimed === 0) this.#isMixed = false;
  }

  /** As long as tasks are out, their ends bring the next try. */
  #watchForRoom(): void {
    if (this.#roomTimer !== undefined || this.#pull.open > 0) return;
    this.#roomTimer = this.#context.platform.timer(ROOM_MS, () => {
      this.#roomTimer = undefined;
      this.pump();
    });
  }

  clear(): Task[] {
    return [...this.#queue.clear(), ...this.#direct.clear(), ...this.#pull.withdrawAll()];
  }

  oldestSubmittedAt(): number | undefined {
    let oldest = this.#direct.oldestSubmittedAt();
    const first = this.#pull.peek();
    for (const task of first === undefined ? this.#queue : [first, ...this.#queue]) {
      oldest = Math.min(oldest ?? task.submittedAt, task.submittedAt);
    }
    return oldest;
  }

  /** Whether a task may simply lie down behind the others. */
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
    if (task.priority < this.#lowest) this.#lowest = task.priority;
    if (task.unwatch !== undefined) this.#context.onOffer(task);
    return true;
  }

  /** Where less urgent ones lie ready, they are taken back: from now on the queue decides. */
  #enqueue(task: Task): void {
    if (task.priority !== this.#lowest) this.#isMixed = true;
    const isOutOfOrder = !this.#pull.sorts && this.#pull.unclaimed > 0 && task.priority > this.#lowest;
    if (isOutOfOrder) this.#recall();
    this.#queue.push(task, task.priority);
  }

  /** Takes back what lies ready. The queue forgets that it had let it go, so whose turn it is stays the same. */
  #recall(): void {
    for (const task of this.#pull.withdrawAll().reverse()) this.#queue.pushFront(task, task.priority);
    this.#lowest = Number.POSITIVE_INFINITY;
  }

  #hasWindow(): boolean {
    return !this.#isMixed || this.#pull.sorts || this.#pull.unclaimed < WINDOW * Math.max(1, this.#places);
  }

  /** Tasks that lie ready while every worker has as many as it may run. */
  get #unserved(): number {
    const { open } = this.#pull;
    return open === 0 ? 0 : Math.max(0, open - Math.max(0, this.#places - this.#handed));
  }

  /** Tasks that all workers together may run at a time. */
  get #places(): number {
    let places = 0;
    for (const slot of this.#context.slots()) {
      if (slot.state === 'ready') places += this.#context.tasksPerWorker;
    }
    return places;
  }

  /** Tasks that were handed to a worker, to be run by it and no other. */
  get #handed(): number {
    let handed = 0;
    for (const slot of this.#context.slots()) handed += slot.handed.size;
    return handed;
  }

  /** Whether only one worker can get it: it belongs to one, or can only go over a line. */
  #isForOne(task: Task): boolean {
    return task.key !== undefined || !this.#pull.carries(task);
  }
}
