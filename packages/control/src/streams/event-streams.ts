/** Every event stream of a server: how many there may be, and which feed each gets. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ControllablePool } from '../controllable-pool.js';
import { RequestError } from '../errors.js';
import type { Limits } from '../limits.js';
import type { ServedPool } from '../pool-directory.js';
import type { PoolHistories } from '../pool-histories.js';
import { PoolFeed } from './pool-feed.js';

/** A client that was sent away should come again no sooner, in seconds. Chosen, not measured. */
const RETRY_AFTER_S = '5';

export class EventStreams {
  readonly #limits: Limits;
  readonly #feeds = new Map<ControllablePool, PoolFeed>();
  readonly #histories: Pick<PoolHistories, 'note'>;
  #open = 0;

  constructor(limits: Limits, histories: Pick<PoolHistories, 'note'>) {
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
    const feed = this.#feeds.get(served.pool) ?? this.#newFeed(served);
    const latest = feed.latest(); // if that fails, it can still be said
    this.#feeds.set(served.pool, feed);
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

  #newFeed(served: ServedPool): PoolFeed {
    const { pool } = served;
    return new PoolFeed(served, this.#limits, {
      onStats: (stats) => this.#histories.note(pool, stats),
      onIdle: () => this.#feeds.delete(pool),
    });
  }
}
