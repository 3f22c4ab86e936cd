/** Replaces workers: every one of a pool when asked to, and those whose time has come or whose heap is too large. */
import type { Engine } from '../engine.js';
import type { ThreadwiseError } from '../options/errors.js';
import { promised } from '../promised.js';
import type { WorkerSlot } from './worker-slot.js';

/** A worker is replaced when its heap fills more than this share of its limit after a task: nobody promises what happens at the limit. */
const MAX_HEAP_SHARE = 0.85;
/** The share of the memory limit from which memory is short. Chosen by hand: the same as in `scheduling/scaling/measured.ts`. */
const AT_LIMIT = 0.95;
/** How much a heap must have grown for its worker to be replaced; a new worker takes about a third of it. Bytes. */
const WORTHWHILE_BYTES = 32 * 2 ** 20;
/** The heap must also be at least this many times as large as at first. */
const WORTHWHILE_FACTOR = 2;
/** The least time between two replacements: each needs memory itself until the old worker is gone. Milliseconds. */
const RELIEF_INTERVAL_MS = 10_000;

export class Recycler {
  readonly #engine: Engine;
  /** When a worker was last replaced because memory was short. */
  #relievedAt = Number.NEGATIVE_INFINITY;
  /** The workers that are still to be replaced, and the one that is being replaced. */
  #old: WorkerSlot[] = [];
  #leaving: WorkerSlot | undefined;
  #done: ReturnType<typeof promised<void>> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Whether all workers are being replaced. */
  get isWorking(): boolean {
    return this.#done !== undefined;
  }

  /** Replaces all, one after another: so there are about as many as usual. A replacement that fails ends that. */
  begin(): Promise<void> {
    this.#engine.lifecycle.checkOpen();
    this.#old = this.#engine.workers.serving;
    this.#done ??= promised();
    const { promise } = this.#done;
    promise.catch(() => undefined); // a program that does not wait for it hears of the failure by the event `error`
    this.#engine.lifecycle.updateKeepAlive();
    this.#engine.scaler.retry(); // if workers are missing because they failed, one has to start before others are replaced
    this.next();
    return promise;
  }

  /** To be called whenever a worker has become ready, or is gone. */
  next(): void {
    if (this.#done === undefined) return;
    const isGone = this.#leaving === undefined || this.#leaving.state === 'dead';
    if (!isGone || this.#engine.workers.slots.some(({ state }) => state === 'starting')) return;
    this.#leaving = this.#old.find((slot) => slot.state === 'ready' && slot.serves);
    this.#old = this.#old.filter((slot) => slot !== this.#leaving && slot.serves);
    if (this.#leaving !== undefined) this.recycle(this.#leaving);
    else this.end();
  }

  /** Nothing more is replaced. @param failure why a replacement failed, if one did */
  end(failure?: ThreadwiseError): void {
    if (failure === undefined) this.#done?.resolve();
    else this.#done?.reject(failure);
    this.#done = undefined;
    this.#old = [];
    this.#leaving = undefined;
    this.#engine.lifecycle.updateKeepAlive();
  }

  /** Replaces one worker when it has ended what it runs. */
  recycle(slot: WorkerSlot): void {
    if (slot.state !== 'ready' || !slot.serves) return;
    const { parts, workers, dispatch, scaler } = this.#engine;
    parts.recorder.counts.recycled++;
    const isReplaced = (this.isWorking || dispatch.queued > 0) && scaler.mayReplace;
    workers.retire(slot, 'recycled', isReplaced);
    if (isReplaced || dispatch.queued > 0) scaler.replace(); // what the worker had not begun waits, too
    this.#engine.workerGone();
  }

  /** Replaces a worker with too large a heap, or, near the limit of memory, the one with the largest. */
  heapMeasured(slot: WorkerSlot, usedBytes: number, limitBytes: number): void {
    const { workers, scaler } = this.#engine;
    const { options, platform } = this.#engine.parts;
    const { min, max } = scaler.bounds;
    slot.heapUsedBytes = usedBytes;
    slot.heapAtFirstBytes ??= usedBytes;
    if (scaler.isFailing) return;
    const mostBytes = Math.min(options.worker.recycle.aboveMemoryMiB * 2 ** 20, limitBytes * MAX_HEAP_SHARE);
    if (usedBytes > mostBytes) return this.recycle(slot);
    // Where memory runs short, idle workers above the minimum are retired first. In a pool of a fixed size (`least` is 0) none is recycled.
    const least = min < max ? min : 0;
    const now = platform.now();
    if (now - this.#relievedAt < RELIEF_INTERVAL_MS || workers.serving.length > least) return;
    // It must be worth it. What each worker loads, such as a cache, would be there again: only what has grown since can be given back.
    const first = slot.heapAtFirstBytes;
    if (usedBytes < Math.max(first + WORTHWHILE_BYTES, first * WORTHWHILE_FACTOR)) return;
    if (workers.serving.some((other) => other.heapUsedBytes > usedBytes)) return;
    const used = platform.memory(); // last, because it asks the system
    if (used === undefined || used.usedBytes < AT_LIMIT * used.limitBytes) return;
    this.#relievedAt = now;
    this.recycle(slot);
  }
}
