/**
 * What a pool must have to be watched and steered. It is declared by shape, so that this package needs nothing of the
 * library at run time and a pool of any copy of the library fits.
 */
import type { TypeOf } from './openapi/schema.js';
import type * as schemas from './openapi/schemas.js';

/** All states of a pool. It accepts calls in the first two. */
export const POOL_STATES = ['open', 'paused', 'draining', 'broken', 'closing', 'closed'] as const;

/** The pool events that are sent to clients. */
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
  threads?: number | { min?: number | undefined; max?: number | undefined } | 'auto' | undefined;
  choose?: string | undefined;
  /** The name of a placement; the library checks it. */
  placement?: string | undefined;
  /** `limit`: how many tasks may wait; Infinity for no limit. */
  queue?: { limit?: number | undefined } | undefined;
}

export interface ControllablePool {
  readonly name: string;
  stats(): PoolStats;
  /** Applies all changes or none. Throws an error with the code ERR_OPTION or ERR_POOL_CLOSED. */
  configure(changes: PoolChanges): void;
  pause(): void;
  resume(): void;
  drain(): Promise<void>;
  recycle(): Promise<void>;
  on(event: ObservedEvent, listener: (event: PoolEvent) => void): unknown;
  off(event: ObservedEvent, listener: (event: PoolEvent) => void): unknown;
}

export type Distribution = TypeOf<typeof schemas.DISTRIBUTION>;
export type Bucket = TypeOf<typeof schemas.BUCKET>;
export type WorkerStats = TypeOf<typeof schemas.WORKER>;
export type SizingDecision = TypeOf<typeof schemas.DECISION>;
export type PoolStats = TypeOf<typeof schemas.POOL_STATS>;
