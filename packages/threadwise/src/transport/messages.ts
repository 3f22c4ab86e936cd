/**
 * What main and worker say to each other over a port, for all ways of tasks. The worker speaks first (`ready` or `loadFailed`, and `setsUp` before
 * it where the module has a `setup`); every `hostCall` is answered by one `hostReply`, `retire` by `retired`, `stop` by `stopped`. Tuples instead of
 * objects: no property names cross. What came from a caller or a task is the last part of a word, see `line.ts`. A transport's own words have
 * numbers from 11.
 */
import type { ModuleTraits } from '../core/contracts.js';
import type { EncodedError } from './codec/error-codec.js';

export const TO_WORKER = { abort: 0, hostReply: 1, stop: 2, retire: 3 } as const;
export const TO_MAIN = {
  ready: 0,
  loadFailed: 1,
  progress: 2,
  hostCall: 3,
  abortSeen: 4,
  memory: 5,
  stopped: 6,
  retired: 7,
  awaits: 8,
  error: 9,
  setsUp: 10,
} as const;

export type MessageToWorker =
  | readonly [type: typeof TO_WORKER.abort, id: number, reason: EncodedError]
  | readonly [type: typeof TO_WORKER.hostReply, call: number, error: EncodedError | null, value?: unknown]
  | readonly [type: typeof TO_WORKER.stop | typeof TO_WORKER.retire];

export type MessageToMain =
  | readonly [type: typeof TO_MAIN.ready, taskNames: readonly string[], traits: ModuleTraits]
  | readonly [type: typeof TO_MAIN.awaits, taskName: string]
  | readonly [type: typeof TO_MAIN.progress, id: number, value: unknown]
  | readonly [type: typeof TO_MAIN.hostCall, call: number, name: string, args: readonly unknown[]]
  | readonly [type: typeof TO_MAIN.abortSeen, id: number]
  | readonly [type: typeof TO_MAIN.memory, heapUsedBytes: number, heapLimitBytes: number]
  | readonly [type: typeof TO_MAIN.setsUp | typeof TO_MAIN.stopped | typeof TO_MAIN.retired]
  /** `error`: something went wrong that belongs to no call which is still open. */
  | readonly [type: typeof TO_MAIN.loadFailed | typeof TO_MAIN.error, error: EncodedError];
