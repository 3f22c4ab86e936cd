/** Dispatch of a pool that is paused: tasks are kept, in order, until it goes on. What has begun goes on meanwhile. */
import type { Dispatch, TaskQueue } from '../../core/contracts.js';
import type { Task } from '../../core/task.js';
import type { WorkerSlot } from '../../core/worker-slot.js';

export class PausedDispatch implements Dispatch {
  readonly takesPlain = false;
  readonly name: string;
  /** Nothing that is kept is a reason for more workers. */
  readonly queued = 0;
  readonly hasRoom = false;
  readonly #inner: Dispatch;
  readonly #kept: TaskQueue<Task>;

  /** Takes over what waits in `inner`. */
  constructor(inner: Dispatch, kept: TaskQueue<Task>) {
    this.name = inner.name;
    this.#inner = inner;
    this.#kept = kept;
    for (const task of inner.recall()) this.submit(task);
  }

  get waiting(): number {
    return this.#kept.size + this.#inner.waiting;
  }

  get offered(): number {
    return this.#inner.offered;
  }

  submit(task: Task): void {
    task.state = 'queued';
    this.#kept.push(task, task.priority);
  }

  /** For one worker alone: for who looks after the pool, not for what it computes. That is not held up. */
  submitTo(slot: WorkerSlot, task: Task): void {
    this.#inner.submitTo(slot, task);
  }

  putBack(tasks: readonly Task[]): void {
    for (const task of tasks.toSorted((a, b) => b.id - a.id)) {
      task.state = 'queued';
      this.#kept.pushFront(task, task.priority);
    }
  }

  remove(task: Task): boolean {
    return this.#kept.remove(task) || this.#inner.remove(task);
  }

  /** Takes out everything that was kept, in the order in which it would have run. */
  recall(): Task[] {
    const tasks: Task[] = [];
    for (let task = this.#kept.shift(); task !== undefined; task = this.#kept.shift()) tasks.push(task);
    return tasks;
  }

  holder(task: Task): WorkerSlot | undefined {
    return this.#inner.holder(task);
  }

  observe(task: Task, runMs: number): void {
    this.#inner.observe(task, runMs);
  }

  pump(): void {
    this.#inner.pump();
  }

  clear(): Task[] {
    return [...this.#kept.clear(), ...this.#inner.clear()];
  }

  oldestSubmittedAt(): number | undefined {
    let oldest = this.#inner.oldestSubmittedAt();
    for (const { submittedAt } of this.#kept) oldest = Math.min(oldest ?? submittedAt, submittedAt);
    return oldest;
  }
}
