/** The errors of a fleet that a pool has not: what comes of Redis, of the queue and of machines. All others are the library's. */

/** A stable code; the only thing to match on. */
export type FleetErrorCode =
  /** Redis is not reached, or does not let this program in; `cause` is the client's error. */
  | 'ERR_FLEET_CONNECTION'
  /** Redis refused a command: it is out of memory, read-only, or the user may not; `cause` is its answer. */
  | 'ERR_FLEET_REDIS'
  /** The fleet or the service was closed. A job that is in the queue stays there; the message says if it was not added. */
  | 'ERR_FLEET_CLOSED'
  /** The job's data is no list of arguments, or what was written cannot be read here. */
  | 'ERR_FLEET_DATA'
  /** The machine has another version of the task module than the caller. */
  | 'ERR_FLEET_MODULE'
  /** The job is not in Redis any more: removed by somebody, or lost with a Redis that did not persist it. */
  | 'ERR_FLEET_JOB_LOST'
  /** BullMQ, or a worker that is none of ours, failed the job; the message is its reason. */
  | 'ERR_FLEET_JOB_FAILED';

export class FleetError extends Error {
  readonly code: FleetErrorCode;
  /** The job that it is about, if it is about one. */
  readonly jobId?: string;

  constructor(code: FleetErrorCode, message: string, details: { cause?: unknown; jobId?: string } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.jobId !== undefined) this.jobId = details.jobId;
    Object.defineProperty(this, 'name', { value: 'FleetError', configurable: true, writable: true });
  }
}

/** What Redis or its client threw, as an error of the fleet. `what`: what was tried. */
export function redisError(what: string, cause: unknown): FleetError {
  if (cause instanceof FleetError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const isAnswer = cause instanceof Error && cause.name === 'ReplyError';
  const code = isAnswer && !isRefusedLogin(cause) ? 'ERR_FLEET_REDIS' : 'ERR_FLEET_CONNECTION';
  return new FleetError(code, `${what}: ${message}`, { cause });
}

/** A wrong or missing password: trying again does not help. */
export function isRefusedLogin(error: unknown): boolean {
  const refusals = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR AUTH)/;
  return error instanceof Error && refusals.test(error.message);
}
