/** What can be done to a pool while it runs, beside calling it: pause, resume, drain, recycle, and change its options. */
import { integer, oneOf, record, reject } from '../options/checks.js';
import type { Dispatch } from '../contracts.js';
import { ThreadwiseError } from '../options/errors.js';
import {
  type PlacementName,
  type PoolOptions,
  placementName,
  type SizeBounds,
  threadBounds,
} from '../options/options.js';
import { promised } from '../promised.js';
import type { Recycler } from '../workers/recycler.js';

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
export interface CheckedChanges {
  readonly threads: SizeBounds | undefined;
  readonly choose: string | undefined;
  readonly placement: PlacementName | undefined;
  readonly queueLimit: number | undefined;
}

export interface ControlContext {
  readonly platform: Parameters<typeof threadBounds>[2];
  readonly choices: readonly string[];
  readonly recycler: Recycler;
  /** Throws what a call would get now. */
  checkOpen(): void;
  openCalls(): number;
  dispatch(): Dispatch;
  /** Tasks may go, and workers may be needed. */
  pump(): void;
  apply(changes: CheckedChanges): void;
  /** The state is another one. */
  changed(): void;
}

export class Control {
  readonly #context: ControlContext;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(context: ControlContext) {
    this.#context = context;
  }

  /** Undefined: neither. */
  get state(): 'draining' | 'paused' | undefined {
    if (this.#drained !== undefined) return 'draining';
    return this.#context.dispatch().isPaused ? 'paused' : undefined;
  }

  /** The error that a call gets now; undefined while calls are accepted. */
  get refusal(): ThreadwiseError | undefined {
    if (this.#drained === undefined) return undefined;
    const message = 'The pool is being drained: it takes no calls until resume()';
    return new ThreadwiseError('ERR_POOL_CLOSED', message);
  }

  /** Calls are accepted and wait; what has begun goes on. */
  pause(): void {
    this.#context.checkOpen();
    this.#context.dispatch().pause();
    this.#context.changed();
  }

  /** Undoes `pause` and `drain`. */
  resume(): void {
    this.#context.checkOpen();
    this.release();
  }

  /** The same, also for a pool that closes: what waits would wait for ever. */
  release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#context.dispatch().resume();
    this.#context.changed();
    this.#context.pump();
  }

  /** Refuses new calls. Resolves when all accepted ones have settled, or the pool goes on before that. */
  drain(): Promise<void> {
    this.#context.checkOpen();
    this.#drained ??= promised();
    this.#context.changed();
    const { promise } = this.#drained;
    this.settled();
    return promise;
  }

  /** A call has settled. */
  settled(): void {
    if (this.#drained !== undefined && this.#context.openCalls() === 0) this.#drained.resolve();
  }

  recycle(): Promise<void> {
    this.#context.checkOpen();
    return this.#context.recycler.begin();
  }

  /** All of it, or, if anything is wrong with it, nothing. Throws ERR_OPTION. */
  configure(given: unknown): void {
    const changes = this.#check(given);
    this.#context.checkOpen();
    this.#context.apply(changes);
  }

  #check(given: unknown): CheckedChanges {
    const changes = record('changes', given, ['threads', 'choose', 'placement', 'queue']) as PoolChanges;
    const { threads, choose, placement, queue = {} } = changes;
    const { limit } = record('queue', queue, ['limit']) as { limit?: number };
    return {
      threads: threads === undefined ? undefined : threadBounds('threads', threads, this.#context.platform),
      choose: choose === undefined ? undefined : this.#checkChoose(choose),
      placement: placement === undefined ? undefined : placementName(placement),
      queueLimit: limit === undefined ? undefined : queueLimit(limit),
    };
  }

  #checkChoose(choose: unknown): string {
    const { name } = this.#context.dispatch();
    if (name !== 'shared-queue') return oneOf('choose', choose, this.#context.choices);
    return reject('choose', `no strategy with dispatch '${name}': workers take tasks by themselves`, choose);
  }
}

export function queueLimit(limit: unknown): number {
  return limit === Number.POSITIVE_INFINITY
    ? limit
    : integer('queue.limit', limit, 0, Number.MAX_SAFE_INTEGER);
}
