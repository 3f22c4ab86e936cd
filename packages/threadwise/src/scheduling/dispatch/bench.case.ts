/** Workers for a dispatch to choose from: real slots and lanes, lines that only take notes, time moved by hand. */

import type { Choice, Dispatch, DispatchContext } from '../../core/contracts.js';
import { FakeLink, FakePlatform, FakeTransport, plainRun } from '../../core/fake-platform.case.js';
import type { ResolvedRun } from '../../core/options.js';
import { Task } from '../../core/task.js';
import { type SlotState, WorkerSlot } from '../../core/worker-slot.js';
import { leastBusy } from '../choice/least-busy.js';
import { PriorityQueue } from '../queue/priority.js';

/** A line that says what it holds; `begin` and `end` are what its worker does. */
export class NotingLink extends FakeLink {
  readonly held: Task[] = [];
  capacity = 1000;

  constructor() {
    super();
    Object.defineProperty(this, 'room', { get: () => this.capacity - this.held.length });
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

  drop(task: Task): void {
    this.held.splice(this.held.indexOf(task), 1);
  }
}

export interface TaskSpec extends Partial<ResolvedRun> {
  readonly name?: string;
  readonly submittedAt?: number;
  readonly moves?: readonly unknown[];
}

export type MakeDispatch = (context: DispatchContext) => Dispatch;

export class DispatchBench {
  readonly platform = new FakePlatform();
  readonly slots: WorkerSlot[] = [];
  readonly dispatch: Dispatch;
  /** What was told of tasks on their way: `+ id` handed, `- id` withdrawn. */
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
      onHand: (task) => void this.told.push(`+${task.id}`),
      onOffer: (task) => void this.told.push(`o${task.id}`),
      onWithdraw: (task) => void this.told.push(`-${task.id}`),
    });
  }

  worker(state: SlotState = 'ready', inline = false): WorkerSlot {
    const slot = new WorkerSlot(
      this.slots.length + 1,
      inline,
      new PriorityQueue<Task>(),
      this.platform.now(),
    );
    slot.link = new NotingLink();
    slot.thread = { terminate: async () => undefined, utilization: () => 0 };
    if (state === 'ready' || state === 'retiring') slot.transition('ready');
    if (state === 'retiring') slot.transition('retiring');
    this.slots.push(slot);
    return slot;
  }

  task({ name = 'work', submittedAt = 0, moves = [], ...run }: TaskSpec = {}): Task {
    const payload = { args: [], transfer: moves, onSettled: undefined };
    return new Task(++this.#lastTask, name, payload, { ...plainRun, ...run }, submittedAt, () => undefined);
  }

  submit(spec: TaskSpec = {}): Task {
    const task = this.task(spec);
    this.dispatch.submit(task);
    return task;
  }

  /** The worker begins it. */
  begin(slot: WorkerSlot, task: Task): void {
    linkOf(slot).begin(task, this.platform.now());
  }

  /** The worker ends it, and main hears of it. */
  end(slot: WorkerSlot, task: Task, runMs = 1000): void {
    this.hear(slot, task, runMs);
    this.dispatch.pump();
  }

  /** What main does when it hears of an end, but for handing over more: that comes after the batch. */
  hear(slot: WorkerSlot, task: Task, runMs = 1000): void {
    linkOf(slot).drop(task);
    slot.release(task, this.platform.now());
    slot.completed++;
    this.dispatch.observe(task, runMs);
  }

  /** Lets the dispatch learn that tasks of this name are tiny. */
  learnTiny(name: string): void {
    for (let i = 0; i < 100; i++) this.dispatch.observe(this.task({ name }), 0.001);
  }
}

export function linkOf(slot: WorkerSlot): NotingLink {
  return slot.link as NotingLink;
}

/** The ids of what the worker was handed and has not ended. */
export function idsAt(slot: WorkerSlot): number[] {
  return [...slot.handed].map(({ id }) => id);
}
