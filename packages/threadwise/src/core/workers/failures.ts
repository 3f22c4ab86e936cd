/** The errors of calls that no worker can run: of a module that does not load, of a task that it does not have. */
import { type ErrorDetails, isThreadwiseError, show, textOf, ThreadwiseError } from '../options/errors.js';
import { didYouMean } from '../options/nearest.js';
import type { Task } from '../calls/task.js';

/** The error of a call whose thread ended before it began the task, and which no other one can run. */
export function lostError(task: Task, who: string, details: ErrorDetails = {}): ThreadwiseError {
  const { name: taskName, id: taskId, moves } = task;
  const why = moves ? ', whose arguments had been moved to it' : '';
  const message = `${who} ended before it began task '${taskName}'${why}`;
  return new ThreadwiseError('ERR_WORKER_CRASHED', message, { taskName, taskId, ...details });
}

export function taskNotFound(name: string, names: readonly string[]): ThreadwiseError {
  const tasks = names.length === 0 ? '' : ` Tasks: ${names.join(', ')}`;
  const message = `The module exports no task '${name}'.${didYouMean(name, names)}${tasks}`;
  return new ThreadwiseError('ERR_TASK_NOT_FOUND', message, { taskName: name });
}

export function hostNotFound(name: string, names: readonly string[]): ThreadwiseError {
  const message = `The pool's owner offers no host function ${show(name)}. Offered: ${names.join(', ') || 'none'}`;
  return new ThreadwiseError('ERR_TASK_NOT_FOUND', message);
}

/** Adds to ERR_TASK_NOT_FOUND that what the call transferred is lost, as in a call before any worker has told main which tasks there are. */
export function sayLost(task: Task, error: unknown): void {
  const isNotFound = isThreadwiseError(error) && error.code === 'ERR_TASK_NOT_FOUND';
  if (!isNotFound || task.run.transfer.length === 0 || error.taskName !== task.name) return;
  const { message, stack } = error;
  error.message = `${message}. What the call transferred is lost: no worker had loaded the module when it was made`;
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
}

/** How far a worker has come: it loads the module, runs its `setup`, or is ready for tasks. */
export type Stage = 'load' | 'setup' | 'ready';

/** The error with which `ready` and every waiting call reject when workers fail before they do anything. @param stage where the last one failed */
export function loadError(moduleUrl: string, cause: unknown, stage: Stage): ThreadwiseError {
  const place = isThreadwiseError(cause) ? undefined : placeOf(cause); // an error of the library's own has no place in the user's code
  const module = `the task module ${moduleUrl.length > 200 ? `${moduleUrl.slice(0, 200)}…` : moduleUrl}`;
  const what = {
    load: `Cannot load ${module}`,
    setup: `setup() of ${module} failed`,
    ready: `A worker that had loaded ${module} ended`,
  }[stage];
  const where = place === undefined ? '' : ` (${place})`;
  const way = wayOut((cause as { code?: unknown } | null | undefined)?.code, moduleUrl);
  const message = `${what}: ${textOf(cause)}${where}${way === undefined ? '' : `\n${way}`}`;
  return new ThreadwiseError('ERR_MODULE_LOAD', message, { cause });
}

/** Whether a worker failed for want of processes, threads, files or memory, which the next one may have: that says nothing about the module. */
export function isShortage(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ERR_WORKER_INIT_FAILED'].includes(code!);
}

/** An error that says why a worker is missing. It has no stack: that would lead into the library. */
export function reasonOf(message: string): Error {
  const reason = new Error(message);
  reason.stack = `Error: ${message}`;
  return reason;
}

/** @param ms how many milliseconds it was given */
export function loadsTooLong(ms: number, stage: Stage): Error {
  return reasonOf(
    `It did not ${stage === 'setup' ? 'end' : 'load'} within ${ms} ms (option worker.startTimeoutMs)`,
  );
}

/** Where an error was thrown: the first place in its stack that is in a file of the user's. */
function placeOf(cause: unknown): string | undefined {
  const lines = textOf(cause, ({ stack }) => `${stack}`).split('\n');
  // Node.js puts the place before the name where it could not compile the module.
  if (/^\S+:\d+$/.test(lines[0] ?? '')) return lines[0];
  const frame = lines.find((line) => /^ {4}at /.test(line) && !/\bnode:|\[worker eval\]/.test(line));
  return /((?:file:|\/|[A-Z]:\\)[^()]*:\d+:\d+)\)?$/.exec(frame ?? '')?.[1];
}

/** The advice names a file, because on Node.js 20 `--import tsx` registers no loader in a worker. */
const LOADER =
  "a loader: createPool(url, { worker: { execArgv: ['--import', './loader.mjs'] } }), where loader.mjs is: " +
  "import 'tsx/cjs'; import { register } from 'tsx/esm/api'; register();";

/** A way out of the load errors that people meet most. A function and no table: a bundler leaves it out of the threads' code, which has no use for it. */
function wayOut(code: unknown, moduleUrl: string): string | undefined {
  switch (code) {
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      if (!/\.[cm]?tsx?$/.test(moduleUrl)) return undefined;
      return `This runtime does not strip types. Either use Node.js 22.18 or later, or compile the module to JavaScript, or pass ${LOADER}`;
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return `Node.js strips types and nothing else: an enum, a namespace or a parameter property has to be compiled, or to go through ${LOADER}`;
    case 'ERR_ACCESS_DENIED':
      return (
        "Node's permission model refuses it: workers need --allow-worker, what they load --allow-fs-read; isolation 'process' needs " +
        '--allow-child-process, too, and --allow-fs-read and --allow-fs-write for /dev/shm, or else the folder for temporary files'
      );
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return 'Node.js strips no types under node_modules: publish the module as JavaScript';
  }
}

export function queueFullError(name: string, limit: number): ThreadwiseError {
  const waiting = limit === 1 ? '1 task waits already' : `${limit} tasks wait already`;
  const why = limit === 0 ? 'no worker is free, and no task may wait' : waiting;
  const message = `Task '${name}' was refused: ${why} (option queue.limit). See pool.room()`;
  return new ThreadwiseError('ERR_QUEUE_FULL', message, { taskName: name });
}
