/** `threadwise`: the library. A list; everything is defined elsewhere. */
export type {
  Bucket,
  Choice,
  CpuTime,
  Distribution,
  HelperView,
  LastError,
  Outcome,
  RecentTimes,
  TaskView,
  WorkerView,
} from './core/contracts.js';
export { type ErrorCode, isThreadwiseError, ThreadwiseError } from './core/options/errors.js';
export type { ExitReason, PoolEventName, PoolEvents, TaskEnd, TaskStart } from './core/events/hooks.js';
export type { ClassCodec, ClassEntry } from './core/options/classes.js';
export type { Lease } from './core/lease.js';
export type { MapOptions } from './core/calls/map.js';
export type { StreamOptions } from './core/calls/stream.js';
export type {
  ChooseFunction,
  PoolChanges,
  PoolOptions,
  SharedProcessOptions,
  ThreadBounds,
  WorkerOptions,
} from './core/options/options.js';
export type { Pool } from './core/pool.js';
export type { RunOptions } from './core/calls/run-options.js';
export type { AbortSignalLike } from './core/calls/signals.js';
export type { SizingDecision } from './core/workers/sizer.js';
export type { FunctionStats, PoolStats, WorkerStats } from './core/stats.js';
export type { SlotState } from './core/workers/worker-slot.js';
export type {
  StreamItem,
  TaskArguments,
  TaskItem,
  TaskName,
  TaskResult,
  Tasks,
  UntypedTasks,
} from './core/types.js';
export { availableThreads, createPool } from './create-pool.js';
export { leastBusy, leastElu, random, roundRobin } from './scheduling/choice/strategies.js';
