/**
 * Sends an abort to the machine that runs the job, as an event of a stream of its own. A machine that starts also reads past events, so that
 * a cancelled job whose machine died is not run again by another.
 */
import type { Redis } from 'ioredis';
import { endEvents } from './connection.js';
import { messageOf } from './failures.js';
import { JobEvents } from './job-events.js';

/** How many aborts are remembered, in Redis and on each machine. */
const MOST = 10_000;
const EVENT = 'cancel';

const NAME = 'control';
/** The stream lies below the keys of its queue, where no other queue has keys. */
const below = (prefix: string, queue: string) => `${prefix}:${queue}:threadwise`;

/** @param call the id of the call, from the options of its job */
export async function sendCancel(
  redis: Redis,
  { queue, prefix }: { readonly queue: string; readonly prefix: string },
  call: string,
  reason: unknown,
): Promise<void> {
  const stream = `${below(prefix, queue)}:${NAME}:events`; // as BullMQ names it
  const fields = ['event', EVENT, 'call', call, 'reason', messageOf(reason)];
  await redis.xadd(stream, 'MAXLEN', '~', MOST, '*', ...fields);
}

/** The machine's side. @param onCancel called for each abort */
export function listenToCancels(
  queue: string,
  prefix: string,
  redis: Redis,
  onCancel: (call: string, reason: string) => void,
  onError: (error: Error) => void,
) {
  const known = new Map<string, string>();
  const events = new JobEvents(NAME, { connection: redis, prefix: below(prefix, queue), lastEventId: '0' });
  events.on('error', onError);
  events.on(EVENT as 'waiting', (args) => {
    const { call, reason } = args as unknown as Record<'call' | 'reason', string>;
    known.set(call, reason);
    if (known.size > MOST) known.delete(known.keys().next().value!);
    onCancel(call, reason);
  });
  return {
    /** The reason for which a call was aborted; undefined if it was not. */
    reasonFor: (call: string | undefined) => (call === undefined ? undefined : known.get(call)),
    close: () => endEvents(events),
  };
}
