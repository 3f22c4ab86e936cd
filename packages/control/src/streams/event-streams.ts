/** All event streams of a server: limits their number, and shares one feed per pool. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type ControllablePool,
  OBSERVED_EVENTS,
  type ObservedEvent,
  type PoolEvent,
  type PoolStats,
} from '../controllable-pool.js';
import { type ServedPool, statsOf } from '../directory.js';
import { RequestError } from '../errors.js';
import type { Limits } from '../limits.js';
import type { PoolHistories } from '../pool-histories.js';
import { encodeEvent, encodeStats } from './event-text.js';

/** A history needs the same readings as a stream. */
type Histories = Pick<PoolHistories, 'note'>;

/** How many seconds a refused client should wait before it tries again. Chosen, not measured. */
const RETRY_AFTER_S = '5';

export type EventStreams = ReturnType<typeof openStreams>;

export function openStreams(limits: Limits, histories: Histories) {
  const feeds = new Map<ControllablePool, ReturnType<typeof openFeed>>();
  const streams = { open: 0, checkRoom, begin };
  return streams;

  /** Throws a RequestError, ERR_CONTROL_STREAMS. Call it before the response begins. */
  function checkRoom(): void {
    if (streams.open < limits.streams) return;
    const message = `There are ${limits.streams} event streams already`;
    const headers = { 'retry-after': RETRY_AFTER_S, connection: 'close' };
    throw new RequestError('ERR_CONTROL_STREAMS', message, headers);
  }

  /**
   * Starts a stream, which owns the response from now on.
   * @param stats what the client gets at once: not the snapshot of the others, which may be older than what this client has changed
   */
  function begin(
    served: ServedPool,
    stats: PoolStats,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
  ): void {
    if (response.destroyed) return; // the client is gone already, and 'close' would not come again
    const { item: pool } = served;
    const feed = feeds.get(pool) ?? openFeed(served, limits, histories, () => feeds.delete(pool));
    feeds.set(pool, feed);
    response.on('error', () => undefined); // 'close' follows
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no', // tells a proxy not to buffer the stream
    });
    streams.open++;
    response.once('close', () => {
      streams.open--;
      feed.leave(response);
    });
    response.write(encodeStats(stats));
    feed.join(response);
  }
}

/**
 * All clients that follow one pool. The pool has one listener per event and is asked once per interval, for any number of clients.
 * @param onIdle called when the last client has left; the feed has ended then
 */
function openFeed(served: ServedPool, limits: Limits, histories: Histories, onIdle: () => void) {
  const pool = served.item;
  const clients = new Set<ServerResponse>();
  const listeners = OBSERVED_EVENTS.map((name) => [name, (event: PoolEvent) => tell(name, event)] as const);
  let timer: NodeJS.Timeout | undefined;
  return { join, leave };

  /** Adds a client that has been sent a snapshot; it gets everything that follows. */
  function join(client: ServerResponse): void {
    clients.add(client);
    if (clients.size > 1) return;
    for (const [name, listener] of listeners) pool.on(name, listener);
    timer = setInterval(sendStats, limits.statsIntervalMs).unref();
  }

  function leave(client: ServerResponse): void {
    if (!clients.delete(client) || clients.size > 0) return;
    for (const [name, listener] of listeners) pool.off(name, listener);
    clearInterval(timer);
    onIdle();
  }

  /** Never throws: a timer calls it, so an error of a pool would end the program. */
  function sendStats(): void {
    try {
      const stats = statsOf(served);
      histories.note(pool, stats);
      send(encodeStats(stats));
    } catch {
      endAll(); // a client that reconnects gets the error as its answer
    }
  }

  function tell(name: ObservedEvent, event: PoolEvent): void {
    send(encodeEvent(name, event, served.name));
    if (name !== 'pool:close') return;
    sendStats(); // the last snapshot: a closed pool no longer changes
    endAll();
  }

  function endAll(): void {
    for (const client of clients) {
      if (!client.destroyed) client.end(); // what was written still arrives
      leave(client); // it may take long until 'close', which comes when the client has read everything
    }
  }

  /** Writes to all clients. Cuts off a client that does not read. */
  function send(bytes: Buffer): void {
    for (const client of clients) {
      if (client.destroyed) continue;
      if (client.writableLength > limits.backlogBytes) client.destroy();
      else client.write(bytes);
    }
  }
}
