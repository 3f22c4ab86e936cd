/** How `threadwise/worker`, which may be of another copy of this package than the runner, finds the task that runs: by a global symbol. */
import { isObject } from '../core/options/checks.js';
import type { RunningTask } from './running-task.js';

export type TaskContext = Pick<
  RunningTask,
  'order' | 'workerId' | 'signal' | 'context' | 'progress' | 'callHost' | 'copy' | 'run'
>;

/** What a runner registers for its thread. */
export interface RunnerSeat {
  /** The `workerId` that code outside of any task sees; 0 on a thread that is not the runner's own. */
  readonly workerId: number;
  current(): TaskContext | undefined;
}

/** The part of AsyncLocalStorage that is used. */
export interface CallStore {
  run<T>(call: unknown, run: (...args: unknown[]) => T, ...args: unknown[]): T;
  getStore(): unknown;
  disable(): void;
}

const SEATS = Symbol.for('threadwise.seats');
const TRANSFER = Symbol.for('threadwise.transfer');
const ASKED = Symbol.for('threadwise.asked');
const CALLS = Symbol.for('threadwise.calls');

const scope = globalThis as { [SEATS]?: Set<RunnerSeat>; [ASKED]?: true; [CALLS]?: number };
/** The seats of all runners of this thread: one on a worker, and on the calling thread one for each pool that runs calls there. */
export const seats = (scope[SEATS] ??= new Set());

/** The task that the calling code belongs to, whichever runner runs it. Where a task has called another pool on this thread: the inner one, which began later. */
export function currentTask(): TaskContext | undefined {
  let inner: TaskContext | undefined;
  for (const seat of seats) {
    const context = seat.current();
    if (context !== undefined && (inner === undefined || context.order > inner.order)) inner = context;
  }
  return inner;
}

/** The `order` of a call that runs on the thread that made it. Counts the calls of all copies of the package on this thread. */
export const nextOrder = (): number => (scope[CALLS] = (scope[CALLS] ?? 0) + 1);

/** The number of the worker that this thread is; 0 if it is none. */
export function currentWorkerId(): number {
  const [seat] = seats;
  return currentTask()?.workerId ?? seat?.workerId ?? 0;
}

/** Called by each copy of `threadwise/worker` when it is loaded: from now on code of this thread can ask about its task. */
export function noteAsked(): void {
  scope[ASKED] = true;
}

export const isTaskAsked = () => scope[ASKED] === true;

/**
 * Marks the parts of a result, or of a yielded value, that move to the caller instead of being copied: `return transfer(bytes, [bytes.buffer])`.
 * @param list ArrayBuffers, MessagePorts and other objects that can be transferred
 */
export function transfer<T>(value: T, list: readonly unknown[]): T {
  return { [TRANSFER]: true, value, list } as unknown as T;
}

/** Whether `transfer` has made it. */
export function isTransferred(
  value: unknown,
): value is { readonly value: unknown; readonly list: readonly unknown[] } {
  if (!isObject(value)) return false;
  try {
    return TRANSFER in value;
  } catch {
    return false; // a revoked proxy: cloning it later throws the right error
  }
}
