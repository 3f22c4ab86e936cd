/**
 * What a pool has to have to be watched and steered: described by its shape, so that this package needs nothing of the
 * library at run time and a pool of any copy of it fits.
 */
import type { TypeOf } from './openapi/schema.js';
import type * as schemas from './openapi/schemas.js';

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

export type Distribution = TypeOf<typeof schemas.DISTRIBUTION>;
export type Bucket = TypeOf<typeof schemas.BUCKET>;
export type WorkerStats = TypeOf<typeof schemas.WORKER>;
export type SizingDecision = TypeOf<typeof schemas.DECISION>;
export type PoolStats = TypeOf<typeof schemas.POOL_STATS>;
