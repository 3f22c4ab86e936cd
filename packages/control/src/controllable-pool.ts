/**
 * What a pool has to have to be watched and steered: described by its shape, so that this package needs nothing of the
 * library at run time and a pool of any copy of it fits.
 */

/** The states in which a pool can be; it takes calls in the first two. */
export const POOL_STATES = ['open', 'paused', 'draining', 'broken', 'closing', 'closed'] as const;
export type PoolState = (typeof POOL_STATES)[number];

/** The events of a pool that a client is told of. */
export const OBSERVED_EVENTS = [
  'worker:start',
  'worker:ready',
  'worker:exit',
  'pool:size',
  'pool:close',
  'error',
] as const;
export type ObservedEvent = (typeof OBSERVED_EVENTS)[number];

export interface PoolEvent {
  readonly pool: string;
  readonly error?: unknown;
}

/** What can be changed while a pool runs. */
export interface PoolChanges {
  threads?: number | { min?: number; max?: number } | 'auto' | undefined;
  choose?: string | undefined;
  /** Which ones there are is the library's to say. */
  placement?: string | undefined;
  /** `limit`: Infinity for none. */
  queue?: { limit?: number | undefined } | undefined;
}

export interface ControllablePool {
  readonly name: string;
  stats(): PoolStats;
  /** All that is named, or nothing. Throws an error with the code ERR_OPTION, or ERR_POOL_CLOSED. */
  configure(changes: PoolChanges): void;
  pause(): void;
  resume(): void;
  drain(): Promise<void>;
  recycle(): Promise<void>;
  on(event: ObservedEvent, listener: (event: PoolEvent) => void): unknown;
  off(event: ObservedEvent, listener: (event: PoolEvent) => void): unknown;
}

/** Milliseconds. */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface Bucket {
  readonly belowMs: number;
  readonly count: number;
}

export interface FunctionStats {
  readonly name: string;
  readonly place: string;
  readonly why: string;
  readonly calls: number;
  /** Of them, those that ran on the thread that owns the pool. */
  readonly inline: number;
  /** Of them, those that threw, timed out, or were lost with their worker. */
  readonly failures?: number;
  /** Of the failures, those that were timeouts. */
  readonly timeouts?: number;
  readonly lastError?: LastError | null;
  /** Mean of recent calls, milliseconds. */
  readonly runMs: number;
}

export interface LastError {
  /** Epoch, milliseconds. */
  readonly at: number;
  readonly name: string;
  readonly code: string | null;
  readonly message: string;
  readonly stack: string;
}

export interface PoolStats {
  readonly name: string;
  readonly state: string;
  readonly dispatch: string;
  readonly placement: string;
  readonly choose: string;
  readonly threads: {
    readonly min: number;
    readonly max: number;
    readonly current: number;
    readonly starting: number;
    readonly idle: number;
  };
  readonly queue: { readonly size: number; readonly limit: number | null; readonly oldestMs: number };
  readonly tasks: {
    readonly completed: number;
    readonly failed: number;
    readonly aborted: number;
    readonly timedOut: number;
    readonly crashed: number;
    readonly rejected: number;
    readonly submitted: number;
    readonly open: number;
    readonly retried: number;
  };
  readonly throughput?: number;
  readonly runMs: Distribution;
  readonly waitMs: Distribution;
  /** As cumulative histograms: how many calls took less than each bound, in milliseconds. */
  readonly buckets?: { readonly runMs: readonly Bucket[]; readonly waitMs: readonly Bucket[] };
  /** Of calls that ended lately. */
  readonly recent?: { readonly ms: number; readonly runMs: Distribution; readonly waitMs: Distribution };
  readonly crashes: number;
  readonly recycled: number;
  /** Workers that were replaced because a task went on after its timeout or abort. */
  readonly interrupted?: number;
  /** What a crossing costs, milliseconds; null as long as none was measured. */
  readonly crossingMs?: number | null;
  /** Each function that was called: where it runs, and why. */
  readonly functions?: readonly FunctionStats[];
  /** Only with dispatch 'coordinator'. */
  readonly coordinator?: { readonly utilization: number; readonly restarts: number };
  readonly sizing: { readonly policy: string; readonly decisions: readonly SizingDecision[] };
  /** The thread that owns the pool, and its process. */
  readonly process?: {
    readonly utilization: number;
    readonly residentBytes: number;
    readonly heapUsedBytes: number;
  };
  readonly workers: readonly WorkerStats[];
}

export interface SizingDecision {
  /** Epoch, milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly from: number;
  readonly to: number;
  readonly why: string;
  readonly queued: number;
  readonly idle: number;
}

export interface WorkerStats {
  readonly id: number;
  readonly state: string;
  readonly inline: boolean;
  readonly load: number;
  readonly completed: number;
  readonly utilization: number;
  readonly heapUsedBytes: number;
  readonly ageMs: number;
  readonly runMs?: Distribution;
  readonly waitMs?: Distribution;
  /** Of its thread; null where the system does not tell. */
  readonly cpu?: { readonly usedMs: number; readonly waitedMs: number } | null;
}
