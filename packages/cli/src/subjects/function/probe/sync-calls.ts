/** Calls of a function that returns its result itself: one after the other, and the event loop gets a turn in between. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { cpuMs } from '../../../experiment/gauges.js';
import type { Calls, Ran } from './inline.js';
import { HOLD_MS } from './outstanding.js';

/** Reading the clock costs some 0.1 us: calls below that are timed many at a time. Milliseconds. */
const TIMED_ALONE_MS = 0.02;
/** So many single times are kept of a run. */
const MAX_TIMES = 400;
/** Measuring one input: about so long. Milliseconds. */
const ONE_INPUT_MS = 5;

export class SyncCalls implements Calls {
  readonly #run: TaskFunction;
  readonly #inputs: readonly unknown[];
  readonly #copies: boolean;
  /** Calls between two turns of the event loop. */
  #chunk = 1;
  #callMs = 0;
  #next = 0;
  #cpuMs = 0;
  /** What calls return goes here, so that none of them is optimised away. */
  readonly #kept: unknown[] = new Array(8).fill(undefined);

  constructor(run: TaskFunction, inputs: readonly unknown[], copies: boolean) {
    this.#run = run;
    this.#inputs = inputs;
    this.#copies = copies;
  }

  async warm(ms: number): Promise<{ callMs: number; outstanding: number }> {
    const end = performance.now() + ms;
    let latest: number;
    do {
      const spent = this.#time(this.#chunk);
      latest = spent / this.#chunk;
      if (spent < HOLD_MS) this.#chunk *= 2;
      else if (spent > 3 * HOLD_MS) this.#chunk = Math.max(1, this.#chunk >> 1);
      await turn();
    } while (performance.now() < end);
    this.#callMs = latest;
    // Of inputs that differ the last ones say little.
    if (latest < ms / 8) this.#callMs = 1000 / (await this.run(ms / 4)).rate;
    this.#chunk = Math.max(1, Math.round(HOLD_MS / this.#callMs));
    return { callMs: this.#callMs, outstanding: 1 };
  }

  async run(ms: number): Promise<Ran> {
    const times: number[] = [];
    const alone = this.#callMs >= TIMED_ALONE_MS ? times : undefined;
    const end = performance.now() + ms;
    this.#cpuMs = 0;
    let [calls, spent] = [0, 0];
    do {
      const chunkMs = this.#time(this.#chunk, alone);
      if (alone === undefined) times.push(chunkMs / this.#chunk);
      calls += this.#chunk;
      spent += chunkMs;
      await turn();
    } while (performance.now() < end);
    return { rate: (calls * 1000) / spent, cpuMs: this.#cpuMs / calls, callMs: some(times) };
  }

  async only(input: number): Promise<number> {
    const value = this.#inputs[input];
    const count = Math.max(1, Math.round(ONE_INPUT_MS / Math.max(this.#callMs, 1e-5)));
    const end = performance.now() + ONE_INPUT_MS;
    let [calls, spent] = [0, 0];
    do {
      const chunk = Math.min(count, this.#chunk);
      spent += this.#timeAll(Array.from({ length: chunk }, () => this.#own(value)));
      calls += chunk;
    } while (performance.now() < end);
    return spent / calls;
  }

  /** The next inputs, in turn; what it took, without what had to be prepared. */
  #time(count: number, alone?: number[]): number {
    const inputs = Array.from({ length: count }, () => {
      this.#next = (this.#next + 1) % this.#inputs.length;
      return this.#own(this.#inputs[this.#next]);
    });
    const cpu = cpuMs();
    const spent = alone === undefined ? this.#timeAll(inputs) : this.#timeEach(inputs, alone);
    this.#cpuMs += cpuMs() - cpu;
    return spent;
  }

  #timeAll(inputs: readonly unknown[]): number {
    const begin = performance.now();
    for (let i = 0; i < inputs.length; i++) this.#kept[i & 7] = this.#call(inputs[i]);
    return performance.now() - begin;
  }

  #timeEach(inputs: readonly unknown[], times: number[]): number {
    const begin = performance.now();
    let last = begin;
    for (let i = 0; i < inputs.length; i++) {
      this.#kept[i & 7] = this.#call(inputs[i]);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return last - begin;
  }

  #call(input: unknown): unknown {
    try {
      return this.#run(input);
    } catch (error) {
      return error;
    }
  }

  #own(input: unknown): unknown {
    return this.#copies ? structuredClone(input) : input;
  }
}

/** Evenly out of all. */
export function some(times: readonly number[]): number[] {
  if (times.length <= MAX_TIMES) return [...times];
  return Array.from({ length: MAX_TIMES }, (_, i) => times[Math.floor((i * times.length) / MAX_TIMES)]!);
}
