/** The seam to the crossing: what the lines of a pool have in common, and one worker's line. `transport/<name>/`. */
import type { LeaseMemory } from '../lease.js';
import type { Payload } from '../calls/payload.js';
import type { PlainCalls } from '../calls/plain-calls.js';
import type { ResolvedRun } from '../calls/run-options.js';
import type { SizingDecision } from '../workers/sizer.js';
import type { Task } from '../calls/task.js';
import type { ModuleTraits } from './module.js';
import type { LoadView } from './policy.js';
import type { Platform, Thread, ThreadExit, ThreadSpec, Wire } from './platform.js';
import type { WorkerRecord } from '../../metrics/measured.js';

/** What main hears from a worker, decoded by the link. */
export interface LinkEvents {
  ready(taskNames: readonly string[], traits: ModuleTraits): void;
  /** A function has returned a promise; said once by each worker. */
  awaits(taskName: string): void;
  /** It has loaded the module, and calls its `setup`. */
  setsUp(): void;
  loadFailed(error: unknown): void;
  done(task: Task, value: unknown, runMs: number): void;
  failed(task: Task, error: unknown, runMs: number): void;
  progress(task: Task, value: unknown): void;
  hostCall(name: string, args: readonly unknown[]): Promise<unknown>;
  abortSeen(task: Task): void;
  memory(heapUsedBytes: number, heapLimitBytes: number): void;
  /** The worker's answer to `retire`: it takes no more tasks by itself, and those that it took have ended. */
  retired(): void;
  stopped(): void;
  /** An error that belongs to no open call. */
  error(error: unknown): void;
  /** What the worker wrote into shared memory makes no sense: it is not to be trusted with more. */
  broken(error: unknown): void;
  readonly record: WorkerRecord;
  /** The worker has ended `count` plain calls, which ran for `runMs` altogether. */
  ranPlain(count: number, runMs: number): void;
  /** A batch of messages has been handled. */
  settledBatch(): void;
}

/** The main side of the line to one worker. */
export interface Link {
  readonly wire: Wire;
  /** How many more tasks of any kind the line can carry. */
  readonly room: number;
  /** Whether the line can carry this task now: some tasks bring with them the memory that others would need. */
  hasRoomFor(task: Task): boolean;
  /** Tasks that the worker took from the shared queue by itself, and runs now. */
  readonly pulled: number;
  /** Has a worker that has not said that it is ready take no task out of shared memory. False: it may have taken some; `drain` tells that it is ready. */
  forestall(): boolean;
  send(task: Task): void;
  /** Inverse of `send`, of a task that has not begun. True: it never will begin there. */
  withdraw(task: Task): boolean;
  /** Has a worker that takes tasks by itself look for them again, since it may begin more than before. */
  wake(): void;
  /** When the task began, on the platform's clock. */
  startedAt(task: Task): number | undefined;
  /** Whether a dead worker had ended the task, with a result that could not be read. Missing where main always knows that before. */
  hasEndedUnread?(task: Task): boolean;
  abort(task: Task, reason: unknown): void;
  /** Handles now what the worker has said already. */
  drain(): void;
  /** Has the worker take nothing more by itself. False: `retired` will be told. @param isReplaced whether another is started in its place */
  retire(isReplaced?: boolean): boolean;
  /** Asks the worker to run `teardown` and say `stopped`. */
  stop(): void;
  /** Tasks that it took by itself and has begun; from now on they count as sent to it. */
  adopt(): readonly Task[];
  /** The thread is gone; to be called after `drain` and `adopt`. From now on tasks that it had not begun can go elsewhere. */
  bury(): void;
  /** The thread is about to be ended: has it wait for shared memory no more. */
  dismiss?(): void;
  close(): void;
}

/** The way of plain calls, of which main keeps no record but a slot of `PlainCalls`. */
export interface PlainWay {
  readonly cells: PlainSlots;
  /** Writes a call into a slot, and has workers take it. -1: it has to go another way. Throws what is wrong with the arguments. */
  enter(name: string, args: readonly unknown[], id: number): number;
  /** Tells the pool now of the results that their callers were told of. */
  settleUp(): void;
}

export interface PlainSlots {
  readonly count: number;
  /** Is told the ends of plain calls. */
  plain: PlainCalls | undefined;
  hasBegun(slot: number): boolean;
  payload(slot: number): Payload;
  /** The call in a slot has a record from now on. */
  keep(slot: number, task: Task): void;
}

/** A queue that workers pull from by themselves, without the main thread. */
export interface PullQueue {
  /** Whether the queue gives out the most urgent task first. If not, it is first in, first out. */
  readonly sorts: boolean;
  /** Whether such a task can go this way at all. */
  carries(task: Task): boolean;
  /** Tasks that were offered and have not ended, begun or not. */
  readonly open: number;
  /** Tasks that no worker has taken, about. */
  readonly unclaimed: number;
  readonly hasRoom: boolean;
  /** Puts a task into the queue. False: it has no room, or the task can only go over a line. */
  offer(task: Task): boolean;
  /** Takes a task back that has not begun. */
  withdraw(task: Task): boolean;
  /** Takes back everything that no worker has taken, first in first out. */
  withdrawAll(): Task[];
  /** Nothing begins until `resume`. Takes back what no worker has taken, but for a task whose arguments were moved: that waits where it is. */
  pause(): Task[];
  resume(): void;
  /** The link of the worker that has begun the task. */
  holder(task: Task): Link | undefined;
  /** The first task that no worker has begun. */
  peek(): Task | undefined;
  /** Set by the dispatch. Called with tasks that the queue cannot keep and no worker has begun: they are to be dispatched anew. */
  giveBack: (tasks: readonly Task[]) => void;
}

/** The coordinator's thread. */
export interface HelperView {
  /** How busy its event loop was since the last reading. 0 to 1. */
  readonly utilization: number;
  /** How often it had to be started again. Times. */
  readonly restarts: number;
}

/** A thread beside main that decides how many workers there should be. Main starts and ends them. */
export interface RemoteSizing {
  /** Undefined before that thread has said how many, and when it is gone: then main decides. */
  readonly wanted: number | undefined;
  /** Whether it is gone for good. */
  readonly isDown: boolean;
  bound(bounds: Pick<LoadView, 'min' | 'max' | 'cores'>): void;
  /** Handles now what that thread has said already. */
  drain(): void;
  /** Set by the scaler. Called when `wanted` changes; with the decision that changed it, if one did. */
  onWanted: (decision: SizingDecision | undefined) => void;
  /** Prepares a worker that the other thread starts by itself when main does not start one in time. */
  reserve(events: LinkEvents, specOf: (link: Link) => ThreadSpec, callbacks: ReservedEvents): Thread;
}

export interface ReservedEvents {
  /** Its thread was started. What the worker itself says may be heard before that. */
  started(): void;
  /** Its thread is gone, or will never be there. */
  exited(exit: ThreadExit): void;
}

/** What the lines of one pool have in common. */
export interface Exchange {
  readonly name: string;
  /** Undefined where workers get only what is sent to them. */
  readonly pull: PullQueue | undefined;
  /** Undefined where every call needs a record. */
  readonly plain?: PlainWay;
  /** Undefined where each lease needs a buffer of its own. */
  readonly leaseMemory: LeaseMemory | undefined;
  readonly coordinator?: HelperView | undefined;
  readonly sizing?: RemoteSizing | undefined;
  /** Sets the strategy of another thread that chooses the workers. */
  choose?(name: string): void;
  /** Captures the arguments of a call. Throws ERR_NOT_CLONEABLE, and moves nothing, when they cannot cross. */
  capture(name: string, args: readonly unknown[], run: ResolvedRun): Payload;
  connect(events: LinkEvents): Link;
  /** Returns a promise if something has to end first. */
  close(): Promise<void> | undefined;
}

/** Opens the way by which the tasks of a pool cross. @param linkCapacity how many tasks a link must be able to hold */
export type Transport = (platform: Platform, linkCapacity: number) => Exchange;
