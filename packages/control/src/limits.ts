/** Limits on the harm that slow, dead or many clients can do. Tests lower some of them. */

/**
 * These values were chosen, not measured. A connection costs some 10 kB: 2,048 of them cost little, and still leave room to
 * answer a thousand clients with an error. A backlog of 1 MiB holds some minutes of snapshots of a usual pool. Redis answers
 * in milliseconds, and Prometheus waits ten seconds for a scrape by default.
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
  /** How many milliseconds a client may go on sending a request that was refused; what it sends is dropped. */
  lingerMs: 2_000,
  /** How many milliseconds pass between two checks of `headersTimeoutMs` and `requestTimeoutMs`. */
  checkIntervalMs: 5_000,
  /** How many milliseconds an idle connection stays open for a next request. */
  keepAliveMs: 5_000,
  /** After how many milliseconds without traffic a connection is ended: its client does not read the answer. */
  stalledMs: 60_000,
  /** How many event streams may be open at a time, of all pools together. */
  streams: 64,
  /** How many unread bytes may wait for the client of one stream. */
  backlogBytes: 1024 * 1024,
  /** How many milliseconds pass between two snapshots on a stream. */
  statsIntervalMs: 1_000,
  /** How many milliseconds pass between two readings that are kept for the charts of the dashboard. */
  historyIntervalMs: 2_000,
  /** How many milliseconds the Redis of a fleet may take to answer. */
  fleetTimeoutMs: 2_000,
};

export type Limits = Readonly<typeof LIMITS>;
