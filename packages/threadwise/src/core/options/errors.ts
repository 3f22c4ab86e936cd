/** Every error of threadwise: one class, one list of codes. Match on `code`, never on the message. */

/** Marks the errors of all copies of the package in one program, where `instanceof` knows only those of its own copy. */
export const BRAND: unique symbol = Symbol.for('threadwise.error');

/** The codes, and the `name` that an error of each carries; null: that of its class. */
interface ErrorNames {
  /** The task ran longer than its `timeoutMs`. */
  ERR_TASK_TIMEOUT: 'TimeoutError';
  /** The call's signal was aborted; `cause` is the signal's reason. */
  ERR_TASK_ABORTED: 'AbortError';
  /** The queue holds `queue.limit` tasks already. Nothing was taken from the caller. */
  ERR_QUEUE_FULL: null;
  /** The pool was closed or destroyed before the task could run. */
  ERR_POOL_CLOSED: null;
  /** The worker that ran the task ended: `exitCode`, `taskName`, `taskId`, `workerId`; `cause` if one is known. */
  ERR_WORKER_CRASHED: null;
  /** The worker that ran the task ran out of memory. */
  ERR_WORKER_MEMORY: null;
  /** The module exports no such task; the message lists those that it does. */
  ERR_TASK_NOT_FOUND: null;
  /** The task module could not be loaded; `cause` is the loader's own error. */
  ERR_MODULE_LOAD: null;
  /** An argument, a result or a transfer cannot be cloned; `path` says where. */
  ERR_NOT_CLONEABLE: 'DataCloneError';
  /** A task that was called by `pool.stream` returned nothing that can be iterated. */
  ERR_NOT_ITERABLE: 'TypeError';
  /** A value is larger than the transport can carry. */
  ERR_PAYLOAD_TOO_LARGE: null;
  /** An option is unknown or has a wrong value. */
  ERR_OPTION: 'TypeError';
  /** A lease was used after it had been given back. */
  ERR_LEASE_RELEASED: null;
  /** Leases have all the memory that they may have, or the system gives no more. */
  ERR_LEASE_MEMORY: null;
  /** A host function was called outside of a task, or after it had ended. */
  ERR_OUTSIDE_TASK: null;
  /** Tasks waited where no worker was there or starting: a defect of threadwise. It belongs to no call; the event `error` has it. */
  ERR_NO_WORKER: null;
  /** `threadwise/files`: a file could not be read; `path` says which, `cause` why. */
  ERR_FILE_READ: null;
}

/** A stable error code of threadwise. */
export type ErrorCode = keyof ErrorNames;

/** The codes whose errors have a name of their own. */
type Named = { [Code in ErrorCode as ErrorNames[Code] extends string ? Code : never]: ErrorNames[Code] };

/** The names that are not null: a bundle need not carry the other codes. */
const NAMES: Named & Partial<ErrorNames> = {
  ERR_TASK_TIMEOUT: 'TimeoutError',
  ERR_TASK_ABORTED: 'AbortError',
  ERR_NOT_CLONEABLE: 'DataCloneError',
  ERR_NOT_ITERABLE: 'TypeError',
  ERR_OPTION: 'TypeError',
};

/** What an error may have beside its message. */
export type ErrorDetails = Partial<
  Pick<ThreadwiseError, 'cause' | 'exitCode' | 'taskName' | 'taskId' | 'workerId' | 'path'>
>;

/** Every error that threadwise itself raises. */
export class ThreadwiseError extends Error {
  /** A stable code; the only thing to match on. */
  readonly code: ErrorCode;
  // Only declared: an error has those fields that it was made with, and no others.
  /** The code that the worker's thread, or its process, ended with. */
  declare readonly exitCode?: number | undefined;
  /** The name of the call's task. */
  declare readonly taskName?: string;
  /** The number of the call, as events have it. */
  declare readonly taskId?: number;
  /** The number of the worker that the call was on. */
  declare readonly workerId?: number;
  /** ERR_NOT_CLONEABLE: which part of a value is to blame, such as `args[0].user.socket`. ERR_FILE_READ: which file. */
  declare readonly path?: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, ...fields } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    const value = NAMES[code] ?? 'ThreadwiseError';
    Object.defineProperty(this, 'name', { value, configurable: true, writable: true });
    Object.defineProperty(this, BRAND, { value: true });
    Object.assign(this, fields);
  }
}

/** Whether `value` is an error of threadwise, from any copy of the package. */
export function isThreadwiseError(value: unknown): value is ThreadwiseError {
  return value instanceof Error && (value as { [BRAND]?: unknown })[BRAND] === true;
}

/** Only newer browsers have it. */
type Capturing = { captureStackTrace?(error: Error, of: unknown): void };

/** Does `check`, and has the stack of an error of ours begin at the caller of `of`: V8 notes ten frames, and options are checked deeper than that. */
export function fromCallerOf<T>(of: (...args: never[]) => unknown, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (isThreadwiseError(error)) (Error as Capturing).captureStackTrace?.(error, of);
    throw error;
  }
}

/** A new error like this one, for another caller: each gets a stack of its own. */
export function sameAgain(error: ThreadwiseError): ThreadwiseError {
  const { code, message, cause } = error;
  return new ThreadwiseError(code, message, { cause });
}

/** How a value is shown in a message: short, on one line, never throwing. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === 'bigint') return `${value}n`;
  const isFunction = typeof value === 'function';
  if ((typeof value !== 'object' && !isFunction) || value === null) return String(value);
  try {
    if (isFunction) return `function ${value.name || '(anonymous)'}`;
    if (Array.isArray(value)) return `an array of ${value.length}`;
    const { name = '' } = value.constructor ?? {};
    if (!['', 'Object'].includes(name)) return `an instance of ${name}`;
    return `an object (${Object.keys(value).slice(0, 5).join(', ')})`;
  } catch {
    return isFunction ? 'a function' : 'an object';
  }
}

const nameAndMessage = ({ name, message }: Error) => `${name}: ${message}`;

/** The text of any thrown value for a message; `of` makes that of an error. Never throws. */
export function textOf(thrown: unknown, of = nameAndMessage): string {
  try {
    const text = thrown instanceof Error ? `${of(thrown)}` : String(thrown);
    return text === '[object Object]' ? show(thrown) : text;
  } catch {
    return show(thrown);
  }
}
