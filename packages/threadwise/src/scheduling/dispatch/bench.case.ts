/** Workers for a dispatch to choose from: real slots and lanes, lines that only take notes, time moved by hand. */

import type { Choice, Dispatch, DispatchContext, Link, PullQueue } from '../../core/contracts.js';
import { FakeLink, FakePlatform, FakeTransport, plainRun } from '../../core/fake-platform.case.js';
import type { ResolvedRun } from '../../core/calls/run-options.js';
import { Task } from '../../core/calls/task.js';
import { type SlotState, WorkerSlot } from '../../core/workers/worker-slot.js';
import { leastBusy } from '../choice/strategies.js';
import { PriorityQueue } from '../queue/priority.js';

/** A line that says what it holds; `begin` and `end` are what its worker does. */
export class NotingLink extends FakeLink {
  readonly held: Task[] = [];
  capacity = 1000;
  /** The queue that its worker has taken tasks from. */
  queue: FakePullQueue | undefined;

  constructor() {
    super();
    Object.defineProperty(this, 'room', { get: () => this.capacity - this.held.length });
    Object.defineProperty(this, 'pulled', { get: () => this.queue?.heldBy(this).length ?? 0 });
  }

  override send(task: Task): void {
    super.send(task);
    this.held.push(task);
  }

  override withdraw(task: Task): boolean {
    if (!super.withdraw(task)) return false;
    this.drop(task);
    return true;
  }

  override adopt(): readonly Task[] {
    return this.queue?.adopt(this) ?? [];
  }

  drop(task: Task): void {
    if (this.held.includes(task)) this.held.splice(this.held.indexOf(task), 1);
  }
}

export interface TaskSpec extends Partial<ResolvedRun> {
  readonly name?: string;
  readonly submittedAt?: number;
  readonly moves?: readonly unknown[];
  readonly byPort?: boolean;
}

export type MakeDispatch = (context: DispatchContext) => Dispatch;

export class DispatchBench {
  readonly platform = new FakePlatform();
  readonly slots: WorkerSlot[] = [];
  readonly dispatch: Dispatch;
  /** What the canceller was told of tasks: `+id` handed, `oid` offered, `-id` taken back. */
  readonly told: string[] = [];
  #lastTask = 0;

  constructor(make: MakeDispatch, { tasksPerWorker = 1, choice = leastBusy as Choice } = {}) {
    this.dispatch = make({
      platform: this.platform,
      exchange: new FakeTransport().open(this.platform),
      tasksPerWorker,
      choice,
      newQueue: () => new PriorityQueue<Task>(),
      slots: () => this.slots,
      batchEnded: () => this.dispatch.pump(),
      canceller: {
        handed: (task) => void this.told.push(`+${task.id}`),
        offered: (task) => void this.told.push(`o${task.id}`),
        release: (task) => void this.told.push(`-${task.id}`),
      },
    });
  }

  worker(state: SlotState = 'ready'): WorkerSlot {
    const slot = new WorkerSlot(this.slots.length + 1, new PriorityQueue<Task>(), this.platform.now());
    slot.link = new NotingLink();
    slot.thread = { terminate: async () => undefined, cpu: () => undefined, utilization: () => 0 };
    if (state === 'ready' || state === 'retiring') slot.transition('ready');
    if (state === 'retiring') slot.transition('retiring');
    this.slots.push(slot);
    return slot;
  }

  task({ name = 'work', submittedAt = 0, moves = [], byPort = false, ...run }: TaskSpec = {}): Task {
    const payload = { args: [], transfer: moves, onSettled: undefined, byPort };
    return new Task(++this.#lastTask, name, payload, { ...plainRun, ...run }, submittedAt, () => undefined);
  }

  submit(spec: TaskSpec = {}): Task {
    const task = this.task(spec);
    this.dispatch.submit(task);
    return task;
  }

  /** Makes the worker begin a task. */
  begin(slot: WorkerSlot, task: Task): void {
    linkOf(slot).begin(task, this.platform.now());
  }

  /** Makes the worker end a task, and main hear of it. */
  end(slot: WorkerSlot, task: Task, runMs = 1000): void {
    this.hear(slot, task, runMs);
    this.dispatch.pump();
  }

  /** Does what main does when it hears of an end, but hands over no more tasks: that comes after the batch. */
  hear(slot: WorkerSlot, task: Task, runMs = 1000): void {
    linkOf(slot).drop(task);
    slot.release(task, this.platform.now());
    slot.completed++;
    this.dispatch.observe(task, runMs);
  }

  /** Makes the worker take the next task by itself, end it at once, and main hear of it. */
  pull(slot: WorkerSlot, queue: FakePullQueue): Task | undefined {
    const task = queue.take(linkOf(slot));
    if (task === undefined) return undefined;
    queue.end(task);
    this.end(slot, task);
    return task;
  }

  /** Lets the dispatch learn that tasks of this name are tiny. */
  learnTiny(name: string): void {
    for (let i = 0; i < 100; i++) this.dispatch.observe(this.task({ name }), 0.001);
  }
}

/** A queue that workers pull from when they are told to. */
export class FakePullQueue implements PullQueue {
  sorts = false;
  /** How many tasks may be open at a time. */
  capacity = 1000;
  /** Gives tasks back to the dispatch. */
  giveBack: (tasks: readonly Task[]) => void = () => undefined;
  /** Tasks that can only go over a line. */
  readonly refused = new Set<Task>();
  readonly #lying: Task[] = [];
  /** How many were withdrawn one by one: each counts as unclaimed until a worker drops it. */
  #withdrawn = 0;
  readonly #running = new Map<Task, Link>();

  get open(): number {
    return this.#lying.length + this.#running.size;
  }

  get unclaimed(): number {
    return this.#lying.length + this.#withdrawn;
  }

  get hasRoom(): boolean {
    return this.open < this.capacity;
  }

  /** The ids of the tasks that nobody has taken, the next first. */
  get ids(): number[] {
    return this.#lying.map(({ id }) => id);
  }

  carries({ payload }: Task): boolean {
    return payload.byPort !== true && payload.transfer.length === 0;
  }

  offer(task: Task): boolean {
    if (!this.carries(task) || this.refused.has(task) || this.open >= this.capacity) return false;
    this.#lying.push(task);
    return true;
  }

  withdraw(task: Task): boolean {
    const at = this.#lying.indexOf(task);
    if (at < 0) return false;
    this.#lying.splice(at, 1);
    this.#withdrawn++;
    return true;
  }

  withdrawAll(): Task[] {
    this.#withdrawn = 0;
    return this.#lying.splice(0);
  }

  pause(): Task[] {
    return this.withdrawAll();
  }

  resume(): void {}

  holder(task: Task): Link | undefined {
    return this.#running.get(task);
  }

  peek(): Task | undefined {
    return this.#lying[0];
  }

  /** The worker takes the next task and begins it. */
  take(worker: Link): Task | undefined {
    this.#withdrawn = 0;
    const task = this.#lying.shift();
    if (task === undefined) return undefined;
    this.#running.set(task, worker);
    if (worker instanceof NotingLink) worker.queue = this;
    return task;
  }

  /** The tasks that the worker has taken and not ended. */
  heldBy(worker: Link): Task[] {
    return [...this.#running].flatMap(([task, holder]) => (holder === worker ? [task] : []));
  }

  /** Takes out what the worker has taken: those tasks count as handed from now on. */
  adopt(worker: Link): Task[] {
    const tasks = this.heldBy(worker);
    for (const task of tasks) this.#running.delete(task);
    return tasks;
  }

  /** The worker has ended the task. */
  end(task: Task): void {
    this.#running.delete(task);
  }
}

export function linkOf(slot: WorkerSlot): NotingLink {
  return slot.link as NotingLink;
}

/** The ids of what the worker was handed and has not ended. */
export function idsAt(slot: WorkerSlot): number[] {
  return [...slot.handed].map(({ id }) => id);
}
