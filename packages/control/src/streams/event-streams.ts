/** All event streams of a server: limits their number, and shares one feed per pool. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type ControllablePool,
  OBSERVED_EVENTS,
  type ObservedEvent,
  type PoolEvent,
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

export class EventStreams {
  readonly #limits: Limits;
  readonly #feeds = new Map<ControllablePool, PoolFeed>();
  readonly #histories: Histories;
  #open = 0;

  constructor(limits: Limits, histories: Histories) {
    this.#limits = limits;
    this.#histories = histories;
  }

  get open(): number {
    return this.#open;
  }

  /** Throws a RequestError, ERR_CONTROL_STREAMS. Call it before the response begins. */
  checkRoom(): void {
    const { streams } = this.#limits;
    if (this.#open < streams) return;
    const message = `There are ${streams} event streams already`;
    const headers = { 'retry-after': RETRY_AFTER_S, connection: 'close' };
    throw new RequestError('ERR_CONTROL_STREAMS', message, headers);
  }

  /** Starts a stream, which owns the response from now on. */
  begin(served: ServedPool, response: ServerResponse, headers: OutgoingHttpHeaders): void {
    if (response.destroyed) return; // the client is gone already, and 'close' would not come again
    const { item: pool } = served;
    const onIdle = () => this.#feeds.delete(pool);
    const feed = this.#feeds.get(pool) ?? new PoolFeed(served, this.#limits, this.#histories, onIdle);
    const latest = feed.latest(); // called before the response begins, so that its error can still be answered
    this.#feeds.set(pool, feed);
    response.on('error', () => undefined); // 'close' follows
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no', // tells a proxy not to buffer the stream
    });
    this.#open++;
    response.once('close', () => {
      this.#open--;
      feed.leave(response);
    });
    response.write(latest);
    feed.join(response);
  }
}

/** All clients that follow one pool. The pool has one listener per event and is asked once per interval, for any number of clients. */
class PoolFeed {
  readonly #served: ServedPool;
  readonly #limits: Limits;
  readonly #histories: Histories;
  readonly #onIdle: () => void;
  readonly #clients = new Set<ServerResponse>();
  readonly #listeners: readonly (readonly [ObservedEvent, (event: PoolEvent) => void])[];
  #timer: NodeJS.Timeout | undefined;
  #latest: Buffer | undefined;

  /** @param onIdle called when the last client has left; the feed has ended then */
  constructor(served: ServedPool, limits: Limits, histories: Histories, onIdle: () => void) {
    this.#served = served;
    this.#limits = limits;
    this.#histories = histories;
    this.#onIdle = onIdle;
    this.#listeners = OBSERVED_EVENTS.map((name) => [name, (event) => this.#tell(name, event)] as const);
  }

  /** The last snapshot that was sent, so that the pool is not asked again for each new client. */
  latest(): Buffer {
    this.#latest ??= encodeStats(statsOf(this.#served));
    return this.#latest;
  }

  /** Adds a client that has been sent the latest snapshot; it gets everything that follows. */
  join(client: ServerResponse): void {
    this.#clients.add(client);
    if (this.#clients.size > 1) return;
    for (const [name, listener] of this.#listeners) this.#served.item.on(name, listener);
    this.#timer = setInterval(() => this.#sendStats(), this.#limits.statsIntervalMs).unref();
  }

  leave(client: ServerResponse): void {
    if (!this.#clients.delete(client) || this.#clients.size > 0) return;
    for (const [name, listener] of this.#listeners) this.#served.item.off(name, listener);
    clearInterval(this.#timer);
    this.#onIdle();
  }

  /** Never throws: a timer calls it, so an error of a pool would end the program. */
  #sendStats(): void {
    try {
      const stats = statsOf(this.#served);
      this.#histories.note(this.#served.item, stats);
      this.#latest = encodeStats(stats);
      this.#send(this.#latest);
    } catch {
      this.#endAll(); // a client that reconnects gets the error as its answer
    }
  }

  #tell(name: ObservedEvent, event: PoolEvent): void {
    this.#send(encodeEvent(name, event, this.#served.name));
    if (name !== 'pool:close') return;
    this.#sendStats(); // the last snapshot: a closed pool no longer changes
    this.#endAll();
  }

  #endAll(): void {
    for (const client of this.#clients) {
      if (!client.destroyed) client.end(); // what was written still arrives
      this.leave(client); // it may take long until 'close', which comes when the client has read everything
    }
  }

  /** Writes to all clients. Cuts off a client that does not read. */
  #send(bytes: Buffer): void {
    for (const client of this.#clients) {
      if (client.destroyed) continue;
      if (client.writableLength > this.#limits.backlogBytes) client.destroy();
      else client.write(bytes);
    }
  }
}
