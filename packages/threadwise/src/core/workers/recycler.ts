/** Replaces every worker of a pool, one after another, so that there are never many fewer, nor many more, than usual. */
import type { Workers } from './workers.js';
import { promised } from '../promised.js';
import type { WorkerSlot } from './worker-slot.js';

export class Recycler {
  readonly #workers: Workers;
  /** Still to be replaced. */
  #old: WorkerSlot[] = [];
  /** On its way out. */
  #leaving: WorkerSlot | undefined;
  #done: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  readonly #onChange: () => void;

  /** @param onChange it has begun, or ended */
  constructor(workers: Workers, onChange: () => void) {
    this.#workers = workers;
    this.#onChange = onChange;
  }

  get isWorking(): boolean {
    return this.#done !== undefined;
  }

  /** Resolves when every worker that is there now is gone, and those that replace them are ready. */
  begin(): Promise<void> {
    this.#old = [...this.#workers.serving];
    this.#done ??= promised();
    const { promise } = this.#done;
    this.#onChange();
    this.next();
    return promise;
  }

  /** To be called whenever a worker has become ready, or is gone. */
  next(): void {
    if (this.#done === undefined) return;
    const isGone = this.#leaving === undefined || this.#leaving.state === 'dead';
    if (!isGone || this.#workers.serving.some(({ state }) => state === 'starting')) return;
    this.#leaving = this.#old.find((slot) => slot.state === 'ready');
    this.#old = this.#old.filter((slot) => slot !== this.#leaving && slot.serves);
    if (this.#leaving !== undefined) return this.#workers.recycle(this.#leaving);
    this.end();
  }

  /** Nothing more is replaced. */
  end(): void {
    this.#done?.resolve();
    this.#done = undefined;
    this.#old = [];
    this.#leaving = undefined;
    this.#onChange();
  }
}
