/**
 * How what a task threw gets to its caller. BullMQ keeps a message and stacks; class, cause and own fields stand beside them, in a field of the
 * job's hash that only this package reads.
 */
import type { Queue } from 'bullmq';
import { isThreadwiseError } from 'threadwise';
import { decodeError, type EncodedError, encodeError } from 'threadwise/internal';
import type { Redis } from 'ioredis';
import { bytesOf, decode, encode } from './encoding.js';
import { FleetError } from './errors.js';

const FIELD = 'threadwise:error';
/** Nothing is written where the job is gone meanwhile: that would leave a hash that nobody removes. */
const WRITE = `if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HSET', KEYS[1], '${FIELD}', ARGV[1]) end`;

/** What fails again, however often it is tried. */
const FINAL = new Set<unknown>([
  'ERR_TASK_NOT_FOUND',
  'ERR_TASK_ABORTED',
  'ERR_NOT_CLONEABLE',
  'ERR_PAYLOAD_TOO_LARGE',
  'ERR_OPTION',
  'ERR_FLEET_DATA',
  'ERR_FLEET_MODULE',
]);

const clone = <T>(value: T): T => structuredClone(value);

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Writes what was thrown into the job, before BullMQ hears of it. */
export async function writeFailure(redis: Redis, key: string, thrown: unknown, maxBytes: number) {
  let encoded = encode(encodeError(thrown, clone), 'auto', 'the error');
  if (bytesOf(encoded) > maxBytes) {
    const short = new Error(`${shortened(messageOf(thrown))} (shortened: larger than ${maxBytes} bytes)`);
    short.stack = '';
    encoded = encodeError(short, clone);
  }
  await redis.eval(WRITE, 1, key, JSON.stringify(encoded));
}

/** What the task of a failed job threw. `reason` is BullMQ's, and stands where the job was failed by somebody else. */
export async function readFailure(queue: Queue, redis: Redis, jobId: string, reason: string) {
  const text = await redis.hget(queue.toKey(jobId), FIELD);
  try {
    const record = text === null ? undefined : (decode(JSON.parse(text)) as EncodedError);
    if (record === undefined || !isOf(record, reason))
      return new FleetError('ERR_FLEET_JOB_FAILED', `Job ${jobId} failed: ${reason}`, { jobId });
    const error = decodeError(record);
    if (!(error instanceof Error) || error.name !== 'FleetError') return error;
    return new FleetError((error as FleetError).code, error.message, { cause: error.cause, jobId });
  } catch (cause) {
    // Thrown on, it would be taken for a Redis that is away, and the call would wait for ever.
    const message = `Job ${jobId} failed: ${reason}; what its task threw cannot be read here`;
    return new FleetError('ERR_FLEET_DATA', message, { cause, jobId });
  }
}

/** The field may be of an earlier attempt, where the last one ended with its machine. */
function isOf(record: EncodedError, reason: string): boolean {
  if (record.type === 'value') return messageOf(record.value) === reason;
  return shortened(record.message) === shortened(reason);
}

function shortened(message: string): string {
  return message.slice(0, 1000);
}

/** What BullMQ is given: it reads a message and a stack, and `name` for whether to try again. */
export function asFailure(thrown: unknown): Error {
  const failure = new Error(messageOf(thrown));
  if (thrown instanceof Error && thrown.stack !== undefined) failure.stack = thrown.stack;
  const isOurs = isThreadwiseError(thrown) || thrown instanceof FleetError;
  if (isOurs && FINAL.has(thrown.code)) failure.name = 'UnrecoverableError';
  return failure;
}
