/** The options of the readers of files, and what they give: types, defaults by the place where they read, and validation. */
import { isMainThread } from 'node:worker_threads';
import { abortSignal } from '../core/calls/run-options.js';
import type { AbortSignalLike } from '../core/calls/signals.js';
import { budget, type Check, checked, integer, oneOf, optional } from '../core/options/checks.js';
import type { ThreadwiseError } from '../core/options/errors.js';

/** Paths, or URLs with `file:`. While an asynchronous source works on the next one, what it gave already is read. */
export type PathSource = Iterable<string | URL> | AsyncIterable<string | URL>;

export interface FileContent {
  /** The path as it was given; for a URL, the path that it means. */
  readonly path: string;
  /** The whole file. A Buffer with memory of its own, which may be transferred to another thread. */
  readonly bytes: Uint8Array;
  readonly error?: undefined;
}

/** A file that could not be read, with `onError: 'yield'`. */
export interface FailedFile {
  readonly path: string;
  readonly bytes?: undefined;
  /** ERR_FILE_READ; `cause` says why. */
  readonly error: ThreadwiseError;
}

export interface ReadFileOptions {
  /**
   * Files of up to this many bytes are read synchronously, larger ones by libuv's threads. 0: no file is read, or looked at,
   * synchronously, which is right where the disk is far away. Default 256 KiB on the main thread, 4 MiB in a worker.
   */
  syncBytes?: number | undefined;
  /**
   * How many milliseconds synchronous reading may hold up the event loop before that has a turn. All readers of a thread share this
   * budget. A read that has begun is finished. Default 5 on the main thread, as in a pool; 100 in a worker, which has little else to do.
   */
  loopBudgetMs?: number | undefined;
  /** When it is aborted, nothing more is read, and the reader rejects with ERR_TASK_ABORTED. */
  signal?: AbortSignalLike | undefined;
}

export interface ReadFilesOptions extends ReadFileOptions {
  /** How many large files are read at the same time. Default 4, as many as libuv has threads. */
  concurrency?: number | undefined;
  /**
   * How many bytes of large files are read before the caller takes them; the next file to be taken is read however large it is.
   * Default 64 MiB.
   */
  aheadBytes?: number | undefined;
  /** Whether a file that cannot be read ends the reading ('throw'), or is yielded as a `FailedFile` ('yield'). Default 'throw'. */
  onError?: 'throw' | 'yield' | undefined;
}

export type ResolvedReadFiles = ReturnType<typeof resolveReadFiles>;

/** Defaults of `syncBytes`, measured (docs/files.md): up to this size it takes main no longer than libuv's threads do, and a worker has the file earlier. */
const SYNC_BYTES = { main: 2 ** 18, worker: 2 ** 22 } as const;
/** Defaults of `loopBudgetMs`. Milliseconds. Main: as in a pool. Worker: so that it hears an abort now and then; chosen by hand. */
const LOOP_BUDGET_MS = { main: 5, worker: 100 } as const;
/** Default of `concurrency`: the size of libuv's thread pool, if UV_THREADPOOL_SIZE sets no other. More reads would wait there. */
const CONCURRENCY = 4;
/** Default of `aheadBytes`: enough for a few large files at a time, small beside the memory of a machine. Chosen by hand. */
const AHEAD_BYTES = 64 * 2 ** 20;
/** The largest `syncBytes`, as a synchronous read cannot be interrupted; and `concurrency`, as each read has a file open. */
const MOST_SYNC_BYTES = 2 ** 30;
const MOST_CONCURRENCY = 1024;

function checksOfOne(isMain: boolean) {
  const place = isMain ? 'main' : 'worker';
  return {
    syncBytes: (option, value) => integer(option, value ?? SYNC_BYTES[place], 0, MOST_SYNC_BYTES),
    loopBudgetMs: (option, value) => budget(option, value ?? LOOP_BUDGET_MS[place]),
    signal: optional(abortSignal),
  } satisfies Readonly<Record<keyof ReadFileOptions, Check<unknown>>>;
}

export function resolveReadFile(given: unknown = {}, isMain = isMainThread) {
  return checked('options', given, checksOfOne(isMain));
}

export function resolveReadFiles(given: unknown = {}, isMain = isMainThread) {
  return checked('options', given, {
    ...checksOfOne(isMain),
    concurrency: (option, value) => integer(option, value ?? CONCURRENCY, 1, MOST_CONCURRENCY),
    aheadBytes: (option, value) => integer(option, value ?? AHEAD_BYTES, 0, Number.MAX_SAFE_INTEGER),
    onError: (option, value) => oneOf(option, value ?? 'throw', ['throw', 'yield'] as const),
  } satisfies Readonly<Record<keyof ReadFilesOptions, Check<unknown>>>);
}
