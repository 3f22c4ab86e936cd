/** Reads one file, or many in the order of their paths, each in the way that costs least: synchronously, or by libuv's threads. */
import { type AbortSignalLike, onAbort } from '../core/calls/signals.js';
import { isObject, reject } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import type { FailedFile, FileContent, PathSource, ReadFileOptions, ReadFilesOptions } from './options.js';
import { resolveReadFile, resolveReadFiles } from './options.js';
import { isBudgetSpent, loopTurn, readFileLater, readFileNow, sizeLater, sizeNow } from './reading.js';
import { fileError, pathOf, Window } from './window.js';

/** The options of most calls, resolved once, so that they are not checked for each small file. */
const usual = resolveReadFile(undefined);

/**
 * Reads the whole of a regular file, into memory of its own: synchronously if it is small, within the same budget of event loop time as
 * `readFiles`; else by libuv's threads. Rejects with ERR_FILE_READ (`path`, `cause`), ERR_TASK_ABORTED, ERR_OPTION.
 */
export async function readFile(given: string | URL, options?: ReadFileOptions): Promise<Uint8Array> {
  const resolved = options === undefined ? usual : resolveReadFile(options);
  const path = pathOf(given);
  const { syncBytes, loopBudgetMs, signal } = resolved;
  while (syncBytes > 0 && isBudgetSpent(loopBudgetMs)) await loopTurn();
  throwIfAborted(signal);
  let bytes: Uint8Array | undefined;
  try {
    if (syncBytes === 0) await sizeLater(path);
    else if (sizeNow(path) <= syncBytes) bytes = readFileNow(path, syncBytes);
    bytes ??= await readFileLater(path, () => signal?.aborted === true);
  } catch (cause) {
    throw fileError(path, cause);
  }
  throwIfAborted(signal);
  return bytes;
}

/**
 * Reads files, in the order of their paths. Small files are read synchronously, each when it is wanted, and the event loop has its turn
 * every few milliseconds; large files are read by libuv's threads, several at a time and before the caller takes them, within a bounded
 * amount of memory. What is small, and how long the loop may wait, depends on where it is called: on the main thread, or in a worker.
 *
 * Only regular files are read; a FIFO or a device is not even opened. Leaving the loop (`break`) closes all files. A file that cannot be
 * read: ERR_FILE_READ, with `path` and `cause`. An aborted signal: ERR_TASK_ABORTED. Wrong options throw ERR_OPTION at once.
 */
export function readFiles(
  paths: PathSource,
  options: ReadFilesOptions & { onError: 'yield' },
): AsyncGenerator<FileContent | FailedFile, void, undefined>;
export function readFiles(
  paths: PathSource,
  options?: ReadFilesOptions & { onError?: 'throw' | undefined },
): AsyncGenerator<FileContent, void, undefined>;
export function readFiles(
  paths: PathSource,
  options?: ReadFilesOptions,
): AsyncGenerator<FileContent | FailedFile, void, undefined> {
  // A string is iterable, too, character by character.
  if (!isObject(paths) || !(Symbol.iterator in paths || Symbol.asyncIterator in paths))
    reject('paths', 'an iterable of paths, such as an array', paths);
  return steps(paths, resolveReadFiles(options));
}

async function* steps(
  paths: PathSource,
  options: ReturnType<typeof resolveReadFiles>,
): AsyncGenerator<FileContent | FailedFile, void, undefined> {
  const { signal, loopBudgetMs } = options;
  const window = new Window(paths, options);
  const unfollow = signal && onAbort(signal, () => window.wake());
  try {
    for (;;) {
      while (isBudgetSpent(loopBudgetMs)) await loopTurn();
      throwIfAborted(signal);
      const next = window.next();
      if (next === 'end') return;
      if (next === undefined) await window.change();
      else yield next;
    }
  } finally {
    unfollow?.();
    const closed = window.close();
    // After an abort, the caller does not wait for pending reads; their files are closed when they end.
    if (signal?.aborted === true) closed.catch(() => undefined);
    else await closed;
  }
}

function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted !== true) return;
  throw new ThreadwiseError('ERR_TASK_ABORTED', 'Reading was aborted', { cause: signal.reason });
}
