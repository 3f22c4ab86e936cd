/**
 * Keeps the pool fed: cuts inputs into batches, has a bounded number of them out, and hands results on in order.
 *
 * Two loops run side by side, because inputs may be slow (lines typed at a terminal) while results are ready, and the
 * other way round: `#read` starts batches while there is room, `results` gives out what is ready. Both sleep on one
 * signal that every change wakes.
 */

import type { InputGroups } from '../inputs/input-source.js';
import type { RunBatch } from './attempts.js';
import type { Batch, BatchResult } from './batch.js';
import type { Batching } from './batching.js';
import { Signal } from './signal.js';

/** Batches read but not given out. Bounds memory if one slow input holds up the order (or the journal's mark). */
const MAX_WAITING_BATCHES = 1024;
/** The same for the text of finished ones; 32 Mi characters, guessed: far above a window of usual results. */
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024;

export interface PumpOptions {
  readonly ordered: boolean;
  readonly batching: Batching;
  readonly run: RunBatch;
  /** Called in the order of reading, before the batch runs. */
  readonly onBegin: (batch: Batch) => void;
}

interface Slot {
  result: BatchResult | undefined;
}

export class Pump {
  readonly #options: PumpOptions;
  readonly #changed = new Signal();
  /** Every batch that was read and not given out, in the order of reading. */
  #slots: Slot[] = [];
  #running = 0;
  #waitingCharacters = 0;
  #isReading = true;
  #isStopped = false;
  #error: { readonly reason: unknown } | undefined;

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  /** Everything that is ready, each time there is something; ends when all that was begun has been given out. */
  async *results(groups: InputGroups): AsyncGenerator<readonly BatchResult[]> {
    void this.#read(groups);
    for (;;) {
      const ready = this.#takeReady();
      if (ready.length > 0) yield ready;
      else if (this.#isDrained()) break;
      else await this.#changed.wait();
    }
    if (this.#error !== undefined) throw this.#error.reason;
  }

  /** Begins nothing more; what is running still comes out of `results`. */
  stop(): void {
    this.#isStopped = true;
    this.#changed.notify();
  }

  async #read(groups: InputGroups): Promise<void> {
    try {
      for await (const group of groups) {
        for (let at = 0; at < group.length;) {
          await this.#room();
          if (this.#isStopped) return;
          const size = this.#options.batching.size();
          this.#begin({ inputs: group.slice(at, at + size) });
          at += size;
        }
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
      this.#changed.notify();
    }
  }

  async #room(): Promise<void> {
    while (!this.#isStopped && !this.#hasRoom()) await this.#changed.wait();
  }

  #hasRoom(): boolean {
    return (
      this.#running < this.#options.batching.depth() &&
      this.#slots.length < MAX_WAITING_BATCHES &&
      this.#waitingCharacters < MAX_WAITING_CHARACTERS
    );
  }

  #begin(batch: Batch): void {
    const slot: Slot = { result: undefined };
    this.#slots.push(slot);
    this.#running += 1;
    this.#options.onBegin(batch);
    this.#options.run(batch).then(
      (result) => this.#settle(slot, result),
      (error) => {
        this.#drop(slot);
        this.#fail(error);
      },
    );
  }

  #settle(slot: Slot, result: BatchResult): void {
    slot.result = result;
    this.#running -= 1;
    this.#waitingCharacters += result.text.length;
    this.#options.batching.note(result);
    this.#changed.notify();
  }

  #drop(slot: Slot): void {
    this.#slots = this.#slots.filter((other) => other !== slot);
    this.#running -= 1;
  }

  #fail(reason: unknown): void {
    this.#error ??= { reason };
    this.stop();
  }

  #takeReady(): BatchResult[] {
    const { ordered } = this.#options;
    const ready: BatchResult[] = [];
    const isHeldBack = ({ result }: Slot): boolean => {
      if (result !== undefined) ready.push(result);
      return result === undefined;
    };
    if (ordered) {
      const end = this.#slots.findIndex(isHeldBack);
      this.#slots.splice(0, end === -1 ? this.#slots.length : end);
    } else if (this.#slots.some(({ result }) => result !== undefined)) {
      this.#slots = this.#slots.filter(isHeldBack);
    }
    for (const { text } of ready) this.#waitingCharacters -= text.length;
    // Room: while the consumer was slow everything may have ended, and then nobody else would wake the reading loop.
    if (ready.length > 0) this.#changed.notify();
    return ready;
  }

  #isDrained(): boolean {
    return this.#slots.length === 0 && (this.#isStopped || !this.#isReading);
  }
}
