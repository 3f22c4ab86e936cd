/** Every event stream of a server: how many there may be, and which feed each gets. */
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

/** They need the same readings. */
type Histories = Pick<PoolHistories, 'note'>;

/** A client that was sent away should come again no sooner, in seconds. Chosen, not measured. */
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

  /** Throws ERR_CONTROL_STREAMS. To be called before a response is begun. */
  checkRoom(): void {
    const { streams } = this.#limits;
    if (this.#open < streams) return;
    const message = `There are ${streams} event streams already`;
    const headers = { 'retry-after': RETRY_AFTER_S, connection: 'close' };
    throw new RequestError('ERR_CONTROL_STREAMS', message, headers);
  }

  /** From here on the response is the stream's. */
  begin(served: ServedPool, response: ServerResponse, headers: OutgoingHttpHeaders): void {
    if (response.destroyed) return; // gone already: nothing would ever say so again
    const { item: pool } = served;
    const onIdle = () => this.#feeds.delete(pool);
    const feed = this.#feeds.get(pool) ?? new PoolFeed(served, this.#limits, this.#histories, onIdle);
    const latest = feed.latest(); // if that fails, it can still be said
    this.#feeds.set(pool, feed);
    response.on('error', () => undefined); // 'close' follows
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no', // a proxy should not gather it
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

/** All clients that follow one pool: however many there are, the pool has one listener and is asked once a second. */
class PoolFeed {
  readonly #served: ServedPool;
  readonly #limits: Limits;
  readonly #histories: Histories;
  readonly #onIdle: () => void;
  readonly #clients = new Set<ServerResponse>();
  readonly #listeners: readonly (readonly [ObservedEvent, (event: PoolEvent) => void])[];
  #timer: NodeJS.Timeout | undefined;
  #latest: Buffer | undefined;

  /** @param onIdle the last client has gone, and this feed has ended */
  constructor(served: ServedPool, limits: Limits, histories: Histories, onIdle: () => void) {
    this.#served = served;
    this.#limits = limits;
    this.#histories = histories;
    this.#onIdle = onIdle;
    this.#listeners = OBSERVED_EVENTS.map((name) => [name, (event) => this.#tell(name, event)] as const);
  }

  /** The last snapshot that was sent, so that many who come at once do not ask the pool as often. */
  latest(): Buffer {
    this.#latest ??= encodeStats(statsOf(this.#served));
    return this.#latest;
  }

  /** A client has the latest snapshot, and is told what comes from now on. */
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

  /** Called by a timer, where what a pool throws would end the program that is only looked at. */
  #sendStats(): void {
    try {
      const stats = statsOf(this.#served);
      this.#histories.note(this.#served.item, stats);
      this.#latest = encodeStats(stats);
      this.#send(this.#latest);
    } catch {
      this.#endAll(); // who asks again is told
    }
  }

  #tell(name: ObservedEvent, event: PoolEvent): void {
    this.#send(encodeEvent(name, event, this.#served.name));
    if (name !== 'pool:close') return;
    this.#sendStats(); // a pool that is closed changes no more
    this.#endAll();
  }

  #endAll(): void {
    for (const client of this.#clients) {
      if (!client.destroyed) client.end(); // what was sent still arrives
      this.leave(client); // it may take long until a client has read the last of it
    }
  }

  /** Each client is told as much as it reads, and cut off if it does not read. */
  #send(bytes: Buffer): void {
    for (const client of this.#clients) {
      if (client.destroyed) continue;
      if (client.writableLength > this.#limits.backlogBytes) client.destroy();
      else client.write(bytes);
    }
  }
}
