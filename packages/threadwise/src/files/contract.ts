/** What is given to the readers of files, and what they give. */
import type { ThreadwiseError } from '../core/options/errors.js';
import type { AbortSignalLike } from '../core/calls/run-options.js';

/** Paths, or URLs with `file:`; an asynchronous source may take its time, what it gave already is read meanwhile. */
export type PathSource = Iterable<string | URL> | AsyncIterable<string | URL>;

export interface FileContent {
  /** As it was given; of a URL, its path. */
  readonly path: string;
  /** The whole file. A Buffer with memory of its own, which may be transferred to another thread. */
  readonly bytes: Uint8Array;
  readonly error?: undefined;
}

/** With `onError: 'yield'`: a file that could not be read. */
export interface FailedFile {
  readonly path: string;
  readonly bytes?: undefined;
  /** ERR_FILE_READ; `cause` says why. */
  readonly error: ThreadwiseError;
}

export interface ReadFileOptions {
  /**
   * Files of up to so many bytes are read synchronously; larger ones by libuv's threads. 0: none, nor is any looked at
   * synchronously, which is right where the disk is far away. Default 256 KiB on the main thread, 4 MiB in a worker.
   */
  syncBytes?: number;
  /**
   * How long the event loop may be held up by synchronous reading before it has a turn, milliseconds. All readers of a thread
   * share it. A read that has begun is finished. Default 5 on the main thread, as in a pool; 100 in a worker, which has little else to do.
   */
  loopBudgetMs?: number;
  /** Aborted: nothing more is read, and the reader rejects with ERR_TASK_ABORTED. */
  signal?: AbortSignalLike;
}

export interface ReadFilesOptions extends ReadFileOptions {
  /** How many large files are read at the same time. Default 4, as many as libuv has threads. */
  concurrency?: number;
  /**
   * How many bytes of large files are read ahead of whoever takes them; the next one to be taken is read however large it is.
   * Default 64 MiB.
   */
  aheadBytes?: number;
  /** A file that cannot be read ends the reading ('throw'), or is a step as the others are ('yield'). Default 'throw'. */
  onError?: 'throw' | 'yield';
}
