/** What bounds the harm that clients can do: a slow one, a dead one, a thousand of them. Tests make some of it smaller. */

/**
 * None of it is measured. A connection costs some ten kilobytes: 2,048 are enough for a thousand clients to be told that
 * there are too many of them, and too few to hurt. A backlog of 1 MiB is some minutes of snapshots of a usual pool.
 * A Redis answers in milliseconds; who scrapes waits for ten seconds by default.
 */
export const LIMITS = {
  /** How many connections there may be at a time; one more is closed unanswered. */
  connections: 2048,
  /** How many bytes the body of a request may have. */
  bodyBytes: 16 * 1024,
  /** How many milliseconds may pass from the connection to the end of the request's headers. */
  headersTimeoutMs: 10_000,
  /** How many milliseconds may pass from the connection to the end of the request. */
  requestTimeoutMs: 30_000,
  /** How many milliseconds a client may send on that is refused before its request has ended; nobody reads it. */
  lingerMs: 2_000,
  /** How many milliseconds pass between two checks of `headersTimeoutMs` and `requestTimeoutMs`. */
  checkIntervalMs: 5_000,
  /** How many milliseconds an idle connection stays open for a next request. */
  keepAliveMs: 5_000,
  /** After how many milliseconds without traffic a connection is ended: its client does not read the answer. */
  stalledMs: 60_000,
  /** How many event streams there may be at a time, of all pools together. */
  streams: 64,
  /** How many bytes may wait until the client of one stream reads them. */
  backlogBytes: 1024 * 1024,
  /** How many milliseconds pass between two snapshots on a stream. */
  statsIntervalMs: 1_000,
  /** How many milliseconds pass between two readings that are kept for the charts. */
  historyIntervalMs: 2_000,
  /** How many milliseconds the Redis of a fleet may take to answer. */
  fleetTimeoutMs: 2_000,
};

export type Limits = Readonly<typeof LIMITS>;
