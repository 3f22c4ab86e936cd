/** Many files, one after the other as their paths come, each read as it costs least. */
import type { FailedFile, FileContent, PathSource, ReadFilesOptions } from './contract.js';
import { fileError, throwIfAborted } from './file-error.js';
import { loopBudget } from './loop-budget.js';
import { type ResolvedReadFiles, resolveReadFiles } from './options.js';
import { mustBeSource } from './source.js';
import { type Done, Window } from './window.js';

/**
 * Reads files, in the order of their paths. Small ones synchronously, one as it is wanted, the event loop having its turn every few
 * milliseconds; large ones by libuv's threads, several at a time and ahead of who takes them, within a bounded amount of memory. What is
 * small, and how long the loop may wait, depends on where it is called: on the main thread, or in a worker.
 *
 * Only regular files are read; a FIFO or a device is not even opened. To leave the loop (`break`) closes all files. A file
 * that cannot be read: ERR_FILE_READ, with `path` and `cause`. Wrong options throw ERR_OPTION at once.
 */
export function readFiles(
  paths: PathSource,
  options: ReadFilesOptions & { onError: 'yield' },
): AsyncGenerator<FileContent | FailedFile, void, undefined>;
export function readFiles(
  paths: PathSource,
  options?: ReadFilesOptions & { onError?: 'throw' },
): AsyncGenerator<FileContent, void, undefined>;
export function readFiles(
  paths: PathSource,
  options?: ReadFilesOptions,
): AsyncGenerator<FileContent | FailedFile, void, undefined> {
  mustBeSource(paths);
  return steps(paths, resolveReadFiles(options));
}

async function* steps(
  paths: PathSource,
  options: ResolvedReadFiles,
): AsyncGenerator<FileContent | FailedFile, void, undefined> {
  const { signal, loopBudgetMs, onError } = options;
  const window = new Window(paths, options);
  signal?.addEventListener('abort', window.wake);
  try {
    for (;;) {
      while (loopBudget.isSpent(loopBudgetMs)) await loopBudget.nextTurn;
      throwIfAborted(signal);
      const next = window.next();
      if (next === 'end') return;
      if (next === undefined) await window.change();
      else yield stepOf(next.path, next.done, onError);
    }
  } finally {
    signal?.removeEventListener('abort', window.wake);
    const closed = window.close();
    // Whoever aborts wants to go on; the files are closed as soon as the disk lets go of them.
    if (signal?.aborted === true) closed.catch(() => undefined);
    else await closed;
  }
}

function stepOf(path: string, done: Done, onError: 'throw' | 'yield'): FileContent | FailedFile {
  if (done.kind === 'read') return { path, bytes: done.bytes };
  const error = fileError(path, done.cause);
  if (onError === 'throw') throw error;
  return { path, error };
}
