/**
 * What main and worker say to each other over a port. The worker speaks first (`ready` or `loadFailed`); every task
 * posted is answered by exactly one `done` or `failed`, unless it was withdrawn or the worker dies; every `hostCall`
 * by one `hostReply`; `stop` by `stopped`. Tuples instead of objects: no property names cross.
 */
import type { EncodedError } from '../codec/error-codec.js';

export const TO_WORKER = { tasks: 0, abort: 1, hostReply: 2, stop: 3 } as const;
export const TO_MAIN = {
  done: 0,
  failed: 1,
  ready: 2,
  loadFailed: 3,
  progress: 4,
  hostCall: 5,
  abortSeen: 6,
  memory: 7,
  stopped: 8,
} as const;

/** cell, task id, name, arguments */
export type PostedTask = [cell: number, id: number, name: string, args: readonly unknown[]];

export type ToWorker =
  | [type: typeof TO_WORKER.tasks, tasks: PostedTask[]]
  | [type: typeof TO_WORKER.abort, id: number, reason: EncodedError]
  | [type: typeof TO_WORKER.hostReply, call: number, error: EncodedError | null, value: unknown]
  | [type: typeof TO_WORKER.stop];

export type ToMain =
  | [type: typeof TO_MAIN.done, id: number, value: unknown, runMs: number]
  | [type: typeof TO_MAIN.failed, id: number, error: EncodedError, runMs: number]
  | [type: typeof TO_MAIN.ready, taskNames: string[]]
  | [type: typeof TO_MAIN.loadFailed, error: EncodedError]
  | [type: typeof TO_MAIN.progress, id: number, value: unknown]
  | [type: typeof TO_MAIN.hostCall, call: number, name: string, args: unknown[]]
  | [type: typeof TO_MAIN.abortSeen, id: number]
  | [type: typeof TO_MAIN.memory, heapUsedBytes: number, heapLimitBytes: number]
  | [type: typeof TO_MAIN.stopped];
