/** What can be done to a pool while it runs, beside calling it: pause, resume, drain, recycle, and change its options. */
import { checked, oneOf, optional, reject } from '../options/checks.js';
import type { Engine } from '../engine.js';
import { ThreadwiseError } from '../options/errors.js';
import {
  limitFrom,
  type PlacementName,
  type PoolOptions,
  placementName,
  threadBounds,
} from '../options/options.js';
import { promised } from '../promised.js';

/** What of a pool's options can be changed while it runs. */
export interface PoolChanges {
  /** As in `pool.resize`. */
  threads?: PoolOptions['threads'];
  /** The name of a strategy; not with dispatch 'shared-queue', where nobody chooses. */
  choose?: string;
  /** For calls from now on. */
  placement?: PlacementName;
  queue?: {
    /** Calls that wait already stay. */
    limit?: number;
  };
}

/** The same, checked; undefined: stays. */
export type CheckedChanges = ReturnType<typeof checkChanges>;

export class Control {
  readonly #engine: Engine;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Undefined: neither. */
  get state(): 'draining' | 'paused' | undefined {
    if (this.#drained !== undefined) return 'draining';
    return this.#engine.dispatch.isPaused ? 'paused' : undefined;
  }

  /** The error that a call gets now; undefined while calls are accepted. */
  get refusal(): ThreadwiseError | undefined {
    if (this.#drained === undefined) return undefined;
    const message = 'The pool is being drained: it takes no calls until resume()';
    return new ThreadwiseError('ERR_POOL_CLOSED', message);
  }

  /** Calls are accepted and wait; what has begun goes on. */
  pause(): void {
    this.#checkOpen();
    this.#engine.dispatch.pause();
    this.#engine.regate();
  }

  /** Undoes `pause` and `drain`. */
  resume(): void {
    this.#checkOpen();
    this.release();
  }

  /** The same, also for a pool that closes: what waits would wait for ever. */
  release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#engine.dispatch.resume();
    this.#engine.regate();
    this.#engine.pump();
  }

  /** Refuses new calls. Resolves when all accepted ones have settled, or the pool goes on before that. */
  drain(): Promise<void> {
    this.#checkOpen();
    this.#drained ??= promised();
    this.#engine.regate();
    const { promise } = this.#drained;
    this.settled();
    return promise;
  }

  /** A call has settled. */
  settled(): void {
    if (this.#drained !== undefined && this.#engine.openCalls === 0) this.#drained.resolve();
  }

  recycle(): Promise<void> {
    this.#checkOpen();
    return this.#engine.recycler.begin();
  }

  /** All of it, or, if anything is wrong with it, nothing. Throws ERR_OPTION. */
  configure(given: unknown): void {
    const changes = checkChanges(given, this.#engine);
    this.#checkOpen();
    this.#engine.apply(changes);
  }

  #checkOpen(): void {
    const { refusal } = this.#engine.lifecycle;
    if (refusal !== undefined) throw refusal;
  }
}

function checkChanges(given: unknown, { parts, dispatch }: Engine) {
  return checked('changes', given, {
    threads: optional((option, value) => threadBounds(option, value, parts.platform)),
    choose: optional((option, value) => {
      if (dispatch.name !== 'shared-queue') return oneOf(option, value, parts.choices);
      const expected = `no strategy with dispatch '${dispatch.name}': workers take tasks by themselves`;
      return reject(option, expected, value);
    }),
    placement: optional(placementName),
    queue: optional((option, value) => checked(option, value, { limit: optional(limitFrom(0)) }), {
      limit: undefined,
    }),
  });
}
