/** What bounds the harm that clients can do: a slow one, a dead one, a thousand of them. Tests make some of it smaller. */

export interface Limits {
  /** Connections at a time; one more is closed unanswered. */
  readonly connections: number;
  /** Of a request, without its headers. */
  readonly bodyBytes: number;
  /** From the connection to the end of the request's headers. */
  readonly headersTimeoutMs: number;
  /** From the connection to the end of the request. */
  readonly requestTimeoutMs: number;
  /** Whoever is refused before the request has ended may send on for so long, and is not listened to. */
  readonly lingerMs: number;
  /** How often connections are looked at for the two above. */
  readonly checkIntervalMs: number;
  /** How long an idle connection stays open for a next request. */
  readonly keepAliveMs: number;
  /** A connection on which nothing has moved for so long is ended: a client that does not take its answer. */
  readonly stalledMs: number;
  /** Event streams at a time, of all pools together. */
  readonly streams: number;
  /** What may wait to be read by the client of one stream. */
  readonly backlogBytes: number;
  /** Between two snapshots on a stream. */
  readonly statsIntervalMs: number;
  /** Between two readings that are kept for the charts. */
  readonly historyIntervalMs: number;
  /** How long a fleet's Redis may take to answer. */
  readonly fleetTimeoutMs: number;
}

/**
 * None of it is measured. A connection costs some ten kilobytes: 2,048 are enough for a thousand clients to be told that
 * there are too many of them, and too few to hurt. A backlog of 1 MiB is some minutes of snapshots of a usual pool.
 * A Redis answers in milliseconds; who scrapes waits for ten seconds by default.
 */
export const LIMITS: Limits = {
  connections: 2048,
  bodyBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  lingerMs: 2_000,
  checkIntervalMs: 5_000,
  keepAliveMs: 5_000,
  stalledMs: 60_000,
  streams: 64,
  backlogBytes: 1024 * 1024,
  statsIntervalMs: 1_000,
  historyIntervalMs: 2_000,
  fleetTimeoutMs: 2_000,
};
