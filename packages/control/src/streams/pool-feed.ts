/** All clients that follow one pool: however many there are, the pool has one listener and is asked once a second. */
import {
  type ControllablePool,
  OBSERVED_EVENTS,
  type ObservedEvent,
  type PoolEvent,
  type PoolStats,
} from '../controllable-pool.js';
import { type ServedPool, statsOf } from '../pool-directory.js';
import type { EventStream } from './event-stream.js';
import { encodeEvent, encodeStats } from './event-text.js';

type Listener = (event: PoolEvent) => void;

interface FeedListeners {
  /** For whoever needs the same reading. */
  onStats(stats: PoolStats): void;
  /** The last stream has gone, and this feed has ended. */
  onIdle(): void;
}

export class PoolFeed {
  readonly #served: ServedPool;
  readonly #intervalMs: number;
  readonly #told: FeedListeners;
  readonly #streams = new Set<EventStream>();
  readonly #listeners: readonly (readonly [ObservedEvent, Listener])[];
  #timer: NodeJS.Timeout | undefined;
  #latest: Buffer | undefined;

  constructor(served: ServedPool, intervalMs: number, told: FeedListeners) {
    this.#served = served;
    this.#intervalMs = intervalMs;
    this.#told = told;
    this.#listeners = OBSERVED_EVENTS.map((name) => [name, (event) => this.#tell(name, event)] as const);
  }

  /** The last snapshot that was sent, so that many who come at once do not ask the pool as often. */
  latest(): Buffer {
    this.#latest ??= encodeStats(statsOf(this.#served));
    return this.#latest;
  }

  join(stream: EventStream): void {
    if (this.#streams.size === 0) this.#begin();
    this.#streams.add(stream);
    stream.send(this.latest());
  }

  leave(stream: EventStream): void {
    if (this.#streams.delete(stream) && this.#streams.size === 0) this.#stop();
  }

  #begin(): void {
    for (const [name, listener] of this.#listeners) this.#pool.on(name, listener);
    this.#timer = setInterval(() => this.#sendStats(), this.#intervalMs).unref();
  }

  #stop(): void {
    for (const [name, listener] of this.#listeners) this.#pool.off(name, listener);
    clearInterval(this.#timer);
    this.#told.onIdle();
  }

  get #pool(): ControllablePool {
    return this.#served.pool;
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
    if (name === 'pool:close') this.#sendLast();
  }

  /** A pool that is closed changes no more. */
  #sendLast(): void {
    this.#sendStats();
    this.#endAll();
  }

  #endAll(): void {
    for (const stream of this.#streams) {
      stream.end();
      this.leave(stream); // it may take long until a client has read the last of it
    }
  }

  #send(bytes: Buffer): void {
    for (const stream of this.#streams) stream.send(bytes);
  }
}
