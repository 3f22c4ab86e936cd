/** The options of the readers: their defaults, by the place where they read, and their validation. */
import { isMainThread } from 'node:worker_threads';
import { integer, oneOf, record, reject } from '../core/options/checks.js';
import type { AbortSignalLike } from '../core/calls/run-options.js';
import type { ReadFileOptions, ReadFilesOptions } from './contract.js';

/**
 * Bytes, measured: the figures are in docs/files.md. Main: up to there the thread is busy no longer with reading than with having it read.
 * Worker, where blocking is nobody's loss: up to there it is done earlier, too.
 */
const SYNC_BYTES = { main: 2 ** 18, worker: 2 ** 22 } as const;
/** Milliseconds. Main: as the pool's `loopBudgetMs`. Worker: so that it hears an abort now and then; chosen by hand. */
const LOOP_BUDGET_MS = { main: 5, worker: 100 } as const;
/** The size of libuv's thread pool where UV_THREADPOOL_SIZE does not say another: more would wait there. */
const CONCURRENCY = 4;
/** So that a few large files are under way, and memory is not the limit. Chosen by hand. */
const AHEAD_BYTES = 64 * 2 ** 20;
/** A synchronous read cannot be interrupted: of more, it would be forgetfulness. */
const MOST_SYNC_BYTES = 2 ** 30;
const MOST_BUDGET_MS = 1000;
/** Each has a file open. */
const MOST_CONCURRENCY = 1024;

export interface ResolvedReadFile {
  readonly syncBytes: number;
  readonly loopBudgetMs: number;
  readonly signal: AbortSignalLike | undefined;
}

export interface ResolvedReadFiles extends ResolvedReadFile {
  readonly concurrency: number;
  readonly aheadBytes: number;
  readonly onError: 'throw' | 'yield';
}

const ONE_KEYS = ['syncBytes', 'loopBudgetMs', 'signal'] satisfies (keyof ReadFileOptions)[];
const ALL_KEYS = [...ONE_KEYS, 'concurrency', 'aheadBytes', 'onError'] satisfies (keyof ReadFilesOptions)[];

export function resolveReadFile(given: unknown, isMain = isMainThread): ResolvedReadFile {
  return resolveOne(record('options', given ?? {}, ONE_KEYS), isMain);
}

export function resolveReadFiles(given: unknown, isMain = isMainThread): ResolvedReadFiles {
  const options = record('options', given ?? {}, ALL_KEYS) as ReadFilesOptions;
  const { concurrency = CONCURRENCY, aheadBytes = AHEAD_BYTES, onError = 'throw' } = options;
  return {
    ...resolveOne(options, isMain),
    concurrency: integer('concurrency', concurrency, 1, MOST_CONCURRENCY),
    aheadBytes: integer('aheadBytes', aheadBytes, 0, Number.MAX_SAFE_INTEGER),
    onError: oneOf('onError', onError, ['throw', 'yield'] as const),
  };
}

function resolveOne({ syncBytes, loopBudgetMs, signal }: ReadFileOptions, isMain: boolean): ResolvedReadFile {
  const place = isMain ? 'main' : 'worker';
  return {
    syncBytes: integer('syncBytes', syncBytes ?? SYNC_BYTES[place], 0, MOST_SYNC_BYTES),
    loopBudgetMs: budget(loopBudgetMs ?? LOOP_BUDGET_MS[place]),
    signal: signal === undefined ? undefined : abortSignal(signal),
  };
}

function budget(value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= MOST_BUDGET_MS) return value;
  return reject('loopBudgetMs', `milliseconds above 0, up to ${MOST_BUDGET_MS}`, value);
}

function abortSignal(value: unknown): AbortSignalLike {
  const isSignal =
    typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
  return isSignal ? (value as AbortSignalLike) : reject('signal', 'an AbortSignal', value);
}
