/** The seams to the policies: values over read-only views, one file each in `scheduling/`. */
import type { SizeBounds } from '../options/options.js';

export interface TaskQueue<T> {
  readonly size: number;
  /** Puts an item behind the older ones of its priority, also one that was taken. */
  push(item: T, priority: number): void;
  peek(): T | undefined;
  shift(): T | undefined;
  /** `shift` where the item is next, else `remove`. False: the item is not there. */
  take(item: T): boolean;
  remove(item: T): boolean;
  /** Empties the queue; returns what it held, in no promised order. */
  clear(): T[];
  [Symbol.iterator](): IterableIterator<T>;
}

export interface WorkerView {
  readonly id: number;
  /** Tasks handed over and not settled. */
  readonly load: number;
  readonly completed: number;
  /** Event loop utilisation, 0 to 1, measured on access. */
  readonly utilization: number;
}

export interface TaskView {
  readonly id: number;
  readonly name: string;
  readonly priority: number;
  readonly key: unknown;
}

/** Picks one of `candidates` (never empty); each has room for the task. */
export interface Choice {
  readonly name: string;
  choose(task: TaskView, candidates: readonly WorkerView[]): WorkerView;
}

/** What a pool's size is decided on. Counts of this moment; durations in milliseconds. */
export interface LoadView extends Pick<SizeBounds, 'min' | 'max' | 'cores'> {
  readonly now: number;
  /** Workers that run or will run tasks: starting and ready. */
  readonly current: number;
  readonly starting: number;
  readonly idle: number;
  readonly queued: number;
  readonly tasksPerWorker: number;
  /** How long the longest idle worker has been idle; 0 when none is. */
  readonly longestIdleMs: number;
  readonly idleTimeoutMs: number;
  /** What was measured, which costs something: only at a look that the policy asked for, by `againMs`. */
  readonly measured: Measured | undefined;
}

/** Sums since the pool began, and what there is at this moment. */
export interface Measured {
  /** Tasks that ran to an end. */
  readonly completed: number;
  /** Those that are ready. */
  readonly workers: readonly WorkerSample[];
  /** The bytes that the process has, and those that its container or the machine lets it take. */
  readonly memory: { readonly usedBytes: number; readonly limitBytes: number } | undefined;
}

export interface WorkerSample extends Pick<WorkerView, 'id' | 'completed'> {
  readonly isBusy: boolean;
  /** How many milliseconds the tasks ran that it has ended. */
  readonly runMs: number;
  readonly cpu: CpuTime | undefined;
}

/** Processor time of a thread since it began. */
export interface CpuTime {
  /** Time on a core. Milliseconds. */
  readonly usedMs: number;
  /** Time in which the thread could have run and no core was free. Milliseconds. */
  readonly waitedMs: number;
}

/** How many workers there should be, and why. */
export interface Decision<S> {
  /** The caller keeps it within min and max. */
  readonly target: number;
  readonly why: string;
  /** What the policy is given the next time. */
  readonly state: S;
  /** Whether more waiting tasks would change nothing until something else happens: then it is not asked at each call. */
  readonly isSated: boolean;
  /** After how many milliseconds at most the policy is asked again; undefined: only when something happens. */
  readonly againMs: number | undefined;
}

/** A pure function from what is seen, and what was remembered (`initial` at first), to a decision. */
export interface Scaling<S = unknown> {
  readonly name: string;
  readonly initial: S;
  decide(load: LoadView, state: S): Decision<S>;
}

/** Where calls run: on threads, or on the thread that makes them. */
export interface Placement {
  readonly name: string;
  /** Whether any call may go to a thread: if not, none is started. */
  readonly usesThreads: boolean;
  /** Undefined where all calls go the same way. */
  readonly learner: PlacementLearner | undefined;
}

/** Learns of each function where its calls cost less. All durations in milliseconds. */
export interface PlacementLearner {
  /** What is learnt of a function that the module has; made when it is first asked for. */
  of(name: string): PlacedFunction;
  /** What is learnt of a name that is called; undefined if the module is not known to have such a function. */
  find(name: string): PlacedFunction | undefined;
}

export interface PlacedFunction {
  /** The function can run on the calling thread: until then it does not. */
  allow(): void;
  /** The function is to stay on threads. The first reason is kept. */
  forbid(why: string): void;
  /** Whether the next call is to run inline, and with it those that run on its credit. */
  takesInline(now: number): boolean;
  /** Whether calls run inline now, but for those that `takesInline` sends across. */
  readonly isInline: boolean;
  /** Whether calls cross now only to show what that costs: they are few. */
  readonly isExploring: boolean;
  /** @param ms of one call with its copying; undefined: none was timed. @param count with the calls that ran on credit. Default 1 */
  ranInline(ms: number | undefined, now: number, count?: number): void;
  ranAcross(runMs: number, now: number): void;
  /** What some call of it cost beside running when it crossed. */
  crossed(costMs: number): void;
  /** How many bytes of some call went over, and came back: estimated. */
  sized(bytesIn: number, bytesOut: number): void;
  view(): FunctionPlace;
}

/** Where the calls of a function run, and why. */
export interface FunctionPlace {
  /** Where the next calls run. */
  readonly place: 'threads' | 'inline';
  /** The reason, in words. */
  readonly why: string;
  /** Mean running time of recent calls there; undefined before one was measured. Milliseconds. */
  readonly runMs?: number;
  /** Estimated size of the arguments of a recent call; null before one was measured. Bytes. */
  readonly bytesIn: number | null;
  /** Estimated size of the result of a recent call; null before one was measured. Bytes. */
  readonly bytesOut: number | null;
  /** Processor time that a crossing of a call costs on both sides, beside running; null before one was measured. Milliseconds. */
  readonly crossingMs: number | null;
}
