/** What bounds the harm that clients can do: a slow one, a dead one, a thousand of them. Tests make some of it smaller. */

/**
 * None of it is measured. A connection costs some ten kilobytes: 2,048 are enough for a thousand clients to be told that
 * there are too many of them, and too few to hurt. A backlog of 1 MiB is some minutes of snapshots of a usual pool.
 * A Redis answers in milliseconds; who scrapes waits for ten seconds by default.
 */
export const LIMITS = {
  /** Connections at a time; one more is closed unanswered. */
  connections: 2048,
  /** Of a request, without its headers. */
  bodyBytes: 16 * 1024,
  /** From the connection to the end of the request's headers. */
  headersTimeoutMs: 10_000,
  /** From the connection to the end of the request. */
  requestTimeoutMs: 30_000,
  /** Whoever is refused before the request has ended may send on for so long, and is not listened to. */
  lingerMs: 2_000,
  /** How often connections are looked at for the two above. */
  checkIntervalMs: 5_000,
  /** How long an idle connection stays open for a next request. */
  keepAliveMs: 5_000,
  /** A connection on which nothing has moved for so long is ended: a client that does not take its answer. */
  stalledMs: 60_000,
  /** Event streams at a time, of all pools together. */
  streams: 64,
  /** What may wait to be read by the client of one stream. */
  backlogBytes: 1024 * 1024,
  /** Between two snapshots on a stream. */
  statsIntervalMs: 1_000,
  /** Between two readings that are kept for the charts. */
  historyIntervalMs: 2_000,
  /** How long a fleet's Redis may take to answer. */
  fleetTimeoutMs: 2_000,
};

export type Limits = Readonly<typeof LIMITS>;
