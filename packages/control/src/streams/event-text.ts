/** Encodes server-sent events. The data is always JSON, even if a task threw something that is not. */
import type { ObservedEvent, PoolEvent, PoolStats } from '../controllable-pool.js';

/** Returns bytes, so that all clients share them. */
export function encodeStats(stats: PoolStats): Buffer {
  return encode('stats', JSON.stringify(stats));
}

/** @param pool the name under which the pool is served */
export function encodeEvent(name: ObservedEvent, event: PoolEvent, pool: string): Buffer {
  const described = 'error' in event ? { error: describeError(event.error) } : {};
  return encode(name, JSON.stringify({ ...event, pool, ...described }));
}

/** JSON text has no line breaks, so one `data` line is enough. */
function encode(name: string, json: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${json}\n\n`);
}

/** How many characters of an error's message are sent; a task may have put a whole file into it. */
const MAX_MESSAGE = 16 * 1024;

/** Describes anything that was thrown, without throwing itself. */
function describeError(error: unknown): unknown {
  if (error === undefined || error === null) return null;
  try {
    if (!(error instanceof Error)) return { name: typeof error, message: shortened(error) };
    const { name, message } = error;
    const { code } = error as { code?: unknown };
    return {
      name: String(name),
      message: shortened(message),
      ...(code === undefined || code === null ? {} : { code: String(code) }),
    };
  } catch {
    return { name: 'Error', message: 'It cannot be described' };
  }
}

function shortened(text: unknown): string {
  return String(text).slice(0, MAX_MESSAGE);
}
