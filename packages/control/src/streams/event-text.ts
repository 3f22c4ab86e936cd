/** Events as text: server-sent events, whose data is always JSON, whatever a task has thrown. */
import type { ObservedEvent, PoolEvent, PoolStats } from '../controllable-pool.js';

/** Bytes, so that every client of an event shares them. */
export function encodeStats(stats: PoolStats): Buffer {
  return encode('stats', JSON.stringify(stats));
}

/** @param pool the name under which it is served */
export function encodeEvent(name: ObservedEvent, event: PoolEvent, pool: string): Buffer {
  const described = 'error' in event ? { error: describeError(event.error) } : {};
  return encode(name, JSON.stringify({ ...event, pool, ...described }));
}

/** JSON has no line breaks of its own, so one line of data is enough. */
function encode(name: string, json: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${json}\n\n`);
}

/** A message is for people; a task may have put a file into it. Characters. */
const MAX_MESSAGE = 16 * 1024;

/** An error may be anything that was thrown: what it is called and says, without ever throwing itself. */
function describeError(error: unknown): unknown {
  if (error === undefined || error === null) return null;
  try {
    if (!(error instanceof Error)) return { name: typeof error, message: shortened(error) };
    const { name, message } = error;
    const { code } = error as { code?: unknown };
    return {
      name: String(name),
      message: shortened(message),
      ...(code === undefined ? {} : { code: String(code) }),
    };
  } catch {
    return { name: 'Error', message: 'It cannot be described' };
  }
}

function shortened(text: unknown): string {
  return String(text).slice(0, MAX_MESSAGE);
}
