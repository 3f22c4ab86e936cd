/** All clients that follow one pool: however many there are, the pool has one listener and is asked once a second. */
import type { ServerResponse } from 'node:http';
import { OBSERVED_EVENTS, type ObservedEvent, type PoolEvent, type PoolStats } from '../controllable-pool.js';
import type { Limits } from '../limits.js';
import { type ServedPool, statsOf } from '../pool-directory.js';
import { encodeEvent, encodeStats } from './event-text.js';

interface FeedListeners {
  /** For whoever needs the same reading. */
  onStats(stats: PoolStats): void;
  /** The last client has gone, and this feed has ended. */
  onIdle(): void;
}

export class PoolFeed {
  readonly #served: ServedPool;
  readonly #limits: Limits;
  readonly #told: FeedListeners;
  readonly #clients = new Set<ServerResponse>();
  readonly #listeners: readonly (readonly [ObservedEvent, (event: PoolEvent) => void])[];
  #timer: NodeJS.Timeout | undefined;
  #latest: Buffer | undefined;

  constructor(served: ServedPool, limits: Limits, told: FeedListeners) {
    this.#served = served;
    this.#limits = limits;
    this.#told = told;
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
    for (const [name, listener] of this.#listeners) this.#served.pool.on(name, listener);
    this.#timer = setInterval(() => this.#sendStats(), this.#limits.statsIntervalMs).unref();
  }

  leave(client: ServerResponse): void {
    if (!this.#clients.delete(client) || this.#clients.size > 0) return;
    for (const [name, listener] of this.#listeners) this.#served.pool.off(name, listener);
    clearInterval(this.#timer);
    this.#told.onIdle();
  }

  /** Called by a timer, where what a pool throws would end the program that is only looked at. */
  #sendStats(): void {
    try {
      const stats = statsOf(this.#served);
      this.#told.onStats(stats);
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
