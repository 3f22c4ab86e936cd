/** One worker as the main side sees it: its state, what it was handed, and its link and thread. */
import { Allowance } from './allowance.js';
import type { Link, TaskQueue, Thread, TimerHandle, WorkerRecord, WorkerView } from '../contracts.js';
import type { ExitReason } from '../events/hooks.js';
import type { Task } from '../calls/task.js';
import type { Stage } from './failures.js';

/** starting: loads the module, gets no task yet. ready: gets tasks. retiring: ends what it has begun. stopping: runs `teardown`. dead: its thread is gone. */
export type SlotState = 'starting' | 'ready' | 'retiring' | 'stopping' | 'dead';

const TRANSITIONS: Readonly<Record<SlotState, readonly SlotState[]>> = {
  starting: ['ready', 'stopping', 'dead'],
  ready: ['retiring', 'dead'],
  retiring: ['stopping', 'dead'],
  stopping: ['dead'],
  dead: [],
};

/** Returns the next state of a state machine. Throws if it may not follow: a defect of ours. @param who the machine, for the error */
export function transition<S extends string>(
  who: string,
  following: Readonly<Record<S, readonly S[]>>,
  from: S,
  to: S,
): S {
  if (following[from].includes(to)) return to;
  throw new Error(`threadwise: ${who} cannot go from '${from}' to '${to}'`);
}

export class WorkerSlot implements WorkerView {
  readonly id: number;
  /** Tasks for this worker and no other: by key, or by broadcast. */
  readonly lane: TaskQueue<Task>;
  /** Tasks that were handed over and are not known to have ended, those that timed out or were aborted included. */
  readonly handed = new Set<Task>();
  /** When its thread was started. */
  startedAt: number;
  state: SlotState = 'starting';
  stage: Stage = 'load';
  /** While it retires: it may still run tasks that it took by itself. */
  pulls = false;
  completed = 0;
  /** Running time of the tasks that it has ended. Milliseconds. */
  runMs = 0;
  /** If set, the worker retires for this reason as soon as it is ready and has got the broadcasts that are for it alone. */
  leaves: ExitReason | undefined;
  /** Why the worker ends, once that is decided. */
  exitReason: ExitReason = 'crashed';
  /** Why the pool ended it: the cause of the errors that its tasks get. */
  exitCause: unknown;
  /** When the worker ran out of work, on the platform's clock. */
  idleSince: number;
  heapUsedBytes = 0;
  heapAtFirstBytes: number | undefined;
  /** The timer that goes off if the slot stays in its state for too long. */
  deadline: TimerHandle | undefined;
  /** How many tasks it may yet begin, what is measured of it, and its link: all set before the slot is used. */
  allowance = new Allowance(undefined);
  record!: WorkerRecord;
  link!: Link;
  /** Undefined: it could not be started, and the slot goes soon. */
  thread: Thread | undefined;

  constructor(id: number, lane: TaskQueue<Task>, now: number) {
    this.id = id;
    this.lane = lane;
    this.startedAt = now;
    this.idleSince = now;
  }

  /** The only way to change state; an illegal change is a bug of ours and throws. */
  transition(to: SlotState): void {
    this.state = transition(`worker ${this.id}`, TRANSITIONS, this.state, to);
    this.deadline?.cancel();
    this.deadline = undefined;
    if (!this.serves) this.thread?.retires?.();
  }

  get load(): number {
    return this.handed.size + this.link.pulled + this.lane.size;
  }

  get utilization(): number {
    return this.thread?.utilization() ?? 0;
  }

  /** How long its thread was ready to run and had no core, where the system tells. Milliseconds. */
  get waitedMs(): number {
    return this.thread?.cpu()?.waitedMs ?? 0;
  }

  /** Whether it is, or will be, there for tasks. */
  get serves(): boolean {
    return (this.state === 'ready' || this.state === 'starting') && this.leaves === undefined;
  }

  /** Hands over a task, for which one of `allowance` was taken, unless the worker has to run it in any case. */
  hand(task: Task): void {
    task.state = 'handed';
    this.handed.add(task);
    this.link.send(task);
  }

  /** Counts tasks that the worker took by itself as handed to it, from now on. */
  adopt(): void {
    for (const task of this.link.adopt()) {
      if (task.state === 'queued') task.state = 'handed';
      this.handed.add(task);
    }
  }

  /** Whether the worker runs any task whose call is still open. */
  servesOthers(): boolean {
    this.adopt(); // what it took by itself counts, too
    return [...this.handed].some((task) => !task.settled && this.hasBegun(task));
  }

  hasBegun(task: Task): boolean {
    return this.link.startedAt(task) !== undefined;
  }

  terminate(): void {
    this.link.dismiss?.();
    this.thread?.terminate();
  }

  /** Takes a task back that was handed over and has not begun. False: it has begun. */
  withdraw(task: Task, now: number): boolean {
    if (!this.link.withdraw(task)) return false;
    this.release(task, now);
    // A worker that retires begins nothing more but what it must.
    if (this.allowance.isLimited && this.serves) {
      this.allowance.give();
      this.link.wake();
    }
    return true;
  }

  /** `withdraw` of all tasks that another worker may run. Returns those that had not begun. */
  withdrawAll(now: number, tasks: Iterable<Task> = this.handed): Task[] {
    return [...tasks].filter((task) => task.isMovable && this.withdraw(task, now));
  }

  /** Takes out of its lane what another worker may run. */
  takeLane(): Task[] {
    return [...this.lane].filter((task) => !task.pinned && this.lane.remove(task));
  }

  /** The worker has said how the task ended, or it was withdrawn. */
  release(task: Task, now: number): void {
    this.handed.delete(task);
    if (this.handed.size === 0) this.idleSince = now;
  }
}
