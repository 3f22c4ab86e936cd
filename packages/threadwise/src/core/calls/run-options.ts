/** The options of one call: their types, their defaults and their validation. */
import type { Platform } from '../contracts.js';
import type { AbortSignalLike } from './signals.js';
import {
  callback,
  duration,
  finite,
  integer,
  isList,
  isObject,
  list,
  record,
  reject,
} from '../options/checks.js';

/** Options of one call. */
export interface RunOptions {
  signal?: AbortSignalLike | undefined;
  /** Milliseconds of running time. Default: the pool's. */
  timeoutMs?: number | undefined;
  /** Higher runs earlier. Default 0. */
  priority?: number | undefined;
  /** Calls with the same key go to the same worker while it lives. */
  key?: unknown;
  /** What is moved instead of copied: ArrayBuffers, MessagePorts, … */
  transfer?: readonly unknown[] | undefined;
  /** Default: the pool's. */
  retries?: number | undefined;
  /** Called with each value that the task gives to `task.progress`. */
  onProgress?: ((value: unknown) => void) | undefined;
}

/** How often a task may be run again. Also an option of the pool. */
export function retryCount(option: string, given: unknown): number {
  return integer(option, given, 0, Number.MAX_SAFE_INTEGER);
}

/** Options that have no default: they may be undefined. */
type Unset = 'signal' | 'timeoutMs' | 'onProgress';

export type ResolvedRun = {
  readonly [K in keyof RunOptions]-?: K extends Unset ? RunOptions[K] : Exclude<RunOptions[K], undefined>;
};

/** What a call without options gets; made once per pool. */
export function defaultRun({ timeoutMs, retries }: Pick<ResolvedRun, 'timeoutMs' | 'retries'>): ResolvedRun {
  const run = { signal: undefined, timeoutMs, priority: 0, key: undefined, transfer: [], retries };
  return { ...run, onProgress: undefined };
}

const RUN_KEYS = Object.keys(defaultRun({ timeoutMs: undefined, retries: 0 }));

/** The options of a call but one, for calls that cannot have it. */
export function runKeysBut(left: keyof RunOptions): string[] {
  return RUN_KEYS.filter((key) => key !== left);
}

/** Whether a value has only options of a call, and none that its prototype gives it. */
function isUsual(given: unknown): given is RunOptions {
  if (!isObject(given) || isList(given)) return false;
  for (const key in given) if (!RUN_KEYS.includes(key) || !Object.hasOwn(given, key)) return false;
  return true;
}

/** Validates the options of one call. Throws ERR_OPTION. */
export function resolveRun(given: unknown, defaults: ResolvedRun, platform: Platform): ResolvedRun {
  if (given === undefined) return defaults;
  // Only unusual options are looked at one by one: calls with options are frequent.
  const run: RunOptions = isUsual(given) ? given : record('options', given, RUN_KEYS);
  const { signal, timeoutMs, priority = 0, key, transfer = [], retries = defaults.retries, onProgress } = run;
  const most = retryCount('retries', retries);
  const moved = list('transfer', transfer);
  return {
    signal: signal === undefined ? signal : abortSignal('signal', signal),
    timeoutMs: timeoutMs === undefined ? defaults.timeoutMs : duration('timeoutMs', timeoutMs, 1),
    priority: finite('priority', priority),
    key,
    transfer: moved,
    retries: moved.length > 0 ? 0 : most, // the caller has lost what moves, and it is kept nowhere
    // Called in the async context of the call, not in that of the message.
    onProgress: onProgress === undefined ? onProgress : platform.bind(callback('onProgress', onProgress)),
  };
}

/** Whether a call with these options can be a plain one: they matter only when it is aborted, times out or reports. */
export function mayBePlain({ priority, key, transfer, retries }: ResolvedRun): boolean {
  return priority === 0 && key === undefined && transfer.length === 0 && retries === 0;
}

export function abortSignal(option: string, value: unknown): AbortSignalLike {
  const signal = (isObject(value) ? value : {}) as AbortSignalLike;
  const methods: unknown[] = [signal.addEventListener, signal.removeEventListener];
  const isSignal = 'aborted' in signal && methods.every((method) => typeof method === 'function');
  return isSignal ? signal : reject(option, 'an AbortSignal', value);
}
