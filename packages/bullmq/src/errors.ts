/** The errors that only a fleet has: of Redis, the queue and the machines. All others are the library's. */

/** A stable code; the only thing to match on. */
export type FleetErrorCode =
  /** Redis was not reached, or refused the login; `cause` is the client's error. */
  | 'ERR_FLEET_CONNECTION'
  /** Redis refused a command: it is out of memory, read-only, or the user lacks the permission; `cause` is its answer. */
  | 'ERR_FLEET_REDIS'
  /** The fleet or the service was closed. A job in the queue stays there; the message says if the job was not added. */
  | 'ERR_FLEET_CLOSED'
  /** The job's data is not a list of arguments, or a stored value cannot be decoded here. */
  | 'ERR_FLEET_DATA'
  /** The machine has another version of the task module than the caller. */
  | 'ERR_FLEET_MODULE'
  /** The job is not in Redis any more: removed by somebody, ended and not kept, or lost with a Redis that did not persist it. */
  | 'ERR_FLEET_JOB_LOST'
  /** BullMQ, or a worker of another library, failed the job; the message contains the reason. */
  | 'ERR_FLEET_JOB_FAILED';

export class FleetError extends Error {
  readonly code: FleetErrorCode;
  /** The id of the job that the error concerns, if there is one. */
  declare readonly jobId?: string;

  constructor(code: FleetErrorCode, message: string, details: { cause?: unknown; jobId?: string } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.jobId !== undefined) this.jobId = details.jobId;
    Object.defineProperty(this, 'name', { value: 'FleetError', configurable: true, writable: true });
  }
}

/**
 * The client's errors have the arguments of their command, among them the password of a login, and what tasks get and give; and errors get
 * into logs. Call it with each error of the client.
 */
export function hideArguments(error: unknown): void {
  const { command, lastNodeError } = Object(error) as {
    command?: { args?: unknown };
    lastNodeError?: unknown;
  };
  if (Array.isArray(command?.args)) command.args = ['…'];
  // The error of a cluster has none of its own.
  if (lastNodeError) hideArguments(lastNodeError);
}

/** Wraps an error of Redis or its client. @param what what was attempted, for the message */
export function redisError(what: string, cause: unknown): FleetError {
  if (cause instanceof FleetError) return cause;
  hideArguments(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  const isAnswer = cause instanceof Error && cause.name === 'ReplyError';
  const isLoggedIn = !isRefusedLogin(cause) || message.startsWith('NOPERM');
  const code = isAnswer && isLoggedIn ? 'ERR_FLEET_REDIS' : 'ERR_FLEET_CONNECTION';
  return new FleetError(code, `${what}: ${message}`, { cause });
}

/** Makes the errors for the case that the client has given up connecting, because its option `retryStrategy` has said so. */
export const givenUp = (consequence: string) => (jobId?: string) => {
  const message = `The client has given up connecting to Redis, as its retryStrategy says; ${consequence}`;
  return new FleetError('ERR_FLEET_CONNECTION', message, jobId === undefined ? {} : { jobId });
};

/** Whether the login was refused (a wrong or missing password, no permission, or no such database): trying again does not help. */
export function isRefusedLogin(error: unknown): boolean {
  const refusals = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR AUTH|ERR DB index)/;
  return error instanceof Error && refusals.test(error.message);
}
