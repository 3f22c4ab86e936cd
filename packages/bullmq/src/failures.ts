/**
 * How the error of a task gets to its caller. BullMQ keeps only a message and stack traces; we store the class, the cause and own fields
 * in a further field of the job's hash.
 */
import { type Queue, RATE_LIMIT_ERROR } from 'bullmq';
import { isThreadwiseError } from 'threadwise';
import { decodeError, type EncodedError, encodeError, textOf } from 'threadwise/internal';
import type { Redis } from 'ioredis';
import { decode, encode } from './encoding.js';
import { FleetError } from './errors.js';

const FIELD = 'threadwise:error';
/**
 * Writes only if the job still exists: otherwise a hash would be left that nobody removes. A Redis that is full refuses a script at its first
 * write, if that may need memory: so one comes first that needs none.
 */
const WRITE = `if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HDEL', KEYS[1], '${FIELD}')
  return redis.call('HSET', KEYS[1], '${FIELD}', ARGV[1])
end`;

/** How many bytes of a message, and of a stack, BullMQ gets at the most: it also puts the message into an event, which every caller reads. */
const MOST_BYTES = 2 ** 20;

/** Codes of errors that would come again with every retry. */
const FINAL = new Set<unknown>([
  'ERR_TASK_NOT_FOUND',
  'ERR_NOT_CLONEABLE',
  'ERR_PAYLOAD_TOO_LARGE',
  'ERR_OPTION',
  'ERR_FLEET_DATA',
  'ERR_FLEET_MODULE',
]);

const clone = <T>(value: T): T => structuredClone(value);

export function messageOf(thrown: unknown): string {
  return textOf(thrown, ({ message }) => message);
}

/** What Redis keeps of a failure. */
interface Stored {
  /** The beginning of the message that BullMQ got. If the job failed with the same words, `error` is that of its last attempt. */
  readonly reason: string;
  /** An EncodedError, encoded. */
  readonly error: unknown;
}

/** Stores the thrown value in the job; call it before BullMQ learns of the failure. @param reason the message that BullMQ gets */
export async function writeFailure(
  redis: Redis,
  key: string,
  thrown: unknown,
  reason: string,
  maxBytes: number,
) {
  const recordOf = (error: unknown) => JSON.stringify({ reason: shortened(reason), error } satisfies Stored);
  let record = recordOf(encode(encodeError(thrown, clone), 'auto', 'the error', maxBytes));
  if (Buffer.byteLength(record) > maxBytes) {
    const short = new Error(cut(messageOf(thrown), maxBytes));
    short.stack = '';
    record = recordOf(encodeError(short, clone));
  }
  await redis.eval(WRITE, 1, key, record);
}

/**
 * Reads what the task of a failed job threw. Resolves to a function that makes it anew for each call that waited for the job: a caller may
 * change it, and gets its own stack. `reason`, BullMQ's text, is used if something else failed the job.
 */
export async function readFailure(queue: Queue, redis: Redis, jobId: string, reason: string) {
  const text = await redis.hget(queue.toKey(jobId), FIELD);
  return () => failureIn(text, jobId, reason);
}

function failureIn(text: string | null, jobId: string, reason: string): unknown {
  try {
    const stored = text === null ? undefined : (JSON.parse(text) as Stored);
    if (stored !== undefined && typeof stored.reason !== 'string') throw new TypeError('It names no reason');
    // The stored error may be that of an earlier attempt, if the last one ended with its machine.
    if (stored?.reason !== shortened(reason))
      return new FleetError('ERR_FLEET_JOB_FAILED', `Job ${jobId} failed: ${reason}`, { jobId });
    const error = decodeError(decode(stored.error) as EncodedError);
    if (!(error instanceof Error) || error.name !== 'FleetError') return error;
    const { code, message, cause, stack } = error as FleetError;
    return Object.assign(new FleetError(code, message, { cause, jobId }), { stack });
  } catch (cause) {
    // If this were thrown, it would be taken for a Redis that does not answer, and the call would wait for ever.
    const message = `Job ${jobId} failed: ${reason}; what its task threw cannot be read here`;
    return new FleetError('ERR_FLEET_DATA', message, { cause, jobId });
  }
}

function shortened(message: string): string {
  return message.slice(0, 1000);
}

const cut = (text: string, maxBytes: number) =>
  `${shortened(text)} (shortened: larger than ${maxBytes} bytes)`;

function fitting(text: string, maxBytes: number): string {
  return Buffer.byteLength(text) <= maxBytes ? text : cut(text, maxBytes);
}

/**
 * Makes the error for BullMQ, which reads its message and stack, and from its `name` whether to try again. BullMQ stores both of any length.
 * @param isCancelled whether the caller has aborted the job
 */
export function asFailure(thrown: unknown, isCancelled: boolean, maxBytes: number): Error {
  const most = Math.min(maxBytes, MOST_BYTES);
  const message = fitting(messageOf(thrown), most);
  // BullMQ takes its own words for a limit of the rate: it would run the job again at once, and never end it.
  const told = message === RATE_LIMIT_ERROR ? `The task failed: ${message}` : message;
  // Half of a surrogate pair is another character when it comes back from Redis.
  const failure = new Error(Buffer.from(told).toString());
  const { stack } = thrown instanceof Error && thrown.stack !== undefined ? thrown : failure;
  failure.stack = fitting(`${stack}`, most);
  const isOurs = isThreadwiseError(thrown) || thrown instanceof FleetError;
  if (isCancelled || (isOurs && FINAL.has(thrown.code))) failure.name = 'UnrecoverableError';
  return failure;
}
