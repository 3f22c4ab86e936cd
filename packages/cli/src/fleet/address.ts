/** How the command line names a queue of a fleet: `redis://host:6379/0#queue`. */
import { UsageError } from '../exit-code.js';

export interface FleetAddress {
  /** The URL without the queue; may have a password in it. */
  readonly connection: string;
  readonly queue: string;
  /** The queue and where it is, for messages: without the password. */
  readonly shown: string;
}

const EXPECTED =
  "Expected a Redis URL and, after #, the queue, whose name has no ':', such as redis://localhost:6379/0#thumbnails";

export function parseFleetAddress(text: string): FleetAddress {
  const hash = text.indexOf('#');
  const [connection, queue] = [text.slice(0, hash), text.slice(hash + 1)];
  const url = hash > 0 && URL.canParse(connection) ? new URL(connection) : undefined;
  // BullMQ separates the parts of its keys by ':', so a queue's name must not have one.
  if (url === undefined || !/^rediss?:\/\//i.test(connection) || queue === '' || queue.includes(':'))
    // Not Commander's error, which would repeat the password.
    throw new UsageError(
      `${EXPECTED}, got '${text.replace(/^([a-z]+:\/+)?.*@/is, '$1…@').replace(/\?[^#]*/, '?…')}'`,
    );
  return { connection, queue, shown: `'${queue}' at ${url.host}${url.pathname.replace(/^\/$/, '')}` };
}
