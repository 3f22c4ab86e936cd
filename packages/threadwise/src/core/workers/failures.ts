/** The errors that the death of a worker, or a module that does not load, means for a caller. */
import type { ThreadExit } from '../contracts.js';
import { type ErrorDetails, isThreadwiseError, ThreadwiseError } from '../options/errors.js';
import { didYouMean } from '../options/nearest.js';
import type { Task } from '../calls/task.js';

/** What a task gets that ran on a worker when it ended. `cause`: why we ended it, if we did. */
export function crashError(task: Task, workerId: number, exit: ThreadExit, cause: unknown): ThreadwiseError {
  const details = {
    exitCode: exit.exitCode,
    taskName: task.name,
    taskId: task.id,
    workerId,
    cause: exit.error ?? cause,
  };
  if (exit.outOfMemory) {
    const message = `Worker ${workerId} ran out of memory while it ran task '${task.name}'`;
    return new ThreadwiseError('ERR_WORKER_MEMORY', message, details);
  }
  const message = `Worker ${workerId} ended while it ran task '${task.name}' (${why(exit, cause)})`;
  return new ThreadwiseError('ERR_WORKER_CRASHED', message, details);
}

function why(exit: ThreadExit, cause: unknown): string {
  if (exit.error instanceof Error) return `uncaught ${exit.error.name}: ${exit.error.message}`;
  if (exit.error !== undefined) return `uncaught ${String(exit.error)}`;
  if (cause instanceof Error) return `its thread was replaced: ${cause.message}`;
  return `exit code ${exit.exitCode}`;
}

/** Of a call whose arguments had been moved to a worker that ended before it began: they are gone with it. */
export function movedError(task: Task, workerId: number, exit: ThreadExit): ThreadwiseError {
  return lostError(task, `Worker ${workerId}`, { exitCode: exit.exitCode, workerId, cause: exit.error });
}

/** The same, where all that is known is what kind of thread it was. */
export function lostError(task: Task, who: string, details: ErrorDetails = {}): ThreadwiseError {
  const message = `${who} ended before it began task '${task.name}', whose arguments had been moved to it`;
  const of = { taskName: task.name, taskId: task.id };
  return new ThreadwiseError('ERR_WORKER_CRASHED', message, { ...of, ...details });
}

export function taskNotFound(name: string, names: readonly string[]): ThreadwiseError {
  const message = `The module exports no task '${name}'.${didYouMean(name, names)} Tasks: ${names.join(', ')}`;
  return new ThreadwiseError('ERR_TASK_NOT_FOUND', message, { taskName: name });
}

/** Of a call with a transfer, made before main knew which tasks there are: a worker has found none, and has what was moved. */
export function sayLost(task: Task, error: unknown): void {
  const isNotFound = isThreadwiseError(error) && error.code === 'ERR_TASK_NOT_FOUND';
  if (!isNotFound || task.payload.transfer.length === 0 || (error as ErrorDetails).taskName !== task.name)
    return;
  const { message, stack } = error;
  error.message = `${message}. What the call transferred is lost: no worker had loaded the module when it was made`;
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
}

/** What `ready` and every waiting call get. */
export function loadError(moduleUrl: string, cause: unknown): ThreadwiseError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const message = `Cannot load the task module ${shorten(moduleUrl)}: ${reason}${hint(moduleUrl, cause)}`;
  return new ThreadwiseError('ERR_MODULE_LOAD', message, { cause });
}

function shorten(url: string): string {
  return url.length > 200 ? `${url.slice(0, 200)}…` : url;
}

/** Ways out, for the load errors that people meet most. */
function hint(moduleUrl: string, cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?tsx?$/.test(moduleUrl)) {
    return (
      '\nThis runtime does not strip types. Either use Node.js 22.18 or later, or compile the module to JavaScript,' +
      " or pass a loader: createPool(url, { worker: { execArgv: ['--import', 'tsx'] } })"
    );
  }
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return '\nNode.js strips no types under node_modules: publish the module as JavaScript';
  }
  return '';
}

export function queueFullError(name: string, limit: number): ThreadwiseError {
  const message = `Task '${name}' was refused: ${limit} tasks wait already (option queue.limit). See pool.room()`;
  return new ThreadwiseError('ERR_QUEUE_FULL', message, { taskName: name });
}
