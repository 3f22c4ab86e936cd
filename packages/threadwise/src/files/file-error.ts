/** The errors of the readers, and what they refuse to open. */
import type { Stats } from 'node:fs';
import { ThreadwiseError } from '../core/options/errors.js';
import type { AbortSignalLike } from '../core/calls/run-options.js';

export function fileError(path: string, cause: unknown): ThreadwiseError {
  return new ThreadwiseError('ERR_FILE_READ', `Cannot read '${path}': ${reasonOf(cause)}`, { path, cause });
}

/** Of a failed system call without its name and the path, which the message has already. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message.replace(/, \w+(?: '.*')?$/s, '');
}

export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted !== true) return;
  throw new ThreadwiseError('ERR_TASK_ABORTED', 'Reading was aborted', { cause: signal.reason });
}

type Kinds = Pick<Stats, 'isFile' | 'isDirectory' | 'isFIFO' | 'isSocket'>;

/** Anything else may block for ever, never end, or do something when it is opened. */
export function mustBeRegular(stats: Kinds): void {
  if (!stats.isFile()) throw new Error(`it is ${kindOf(stats)}, expected a regular file`);
}

function kindOf(stats: Kinds): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isSocket() ? 'a socket' : 'a device';
}
