/** Calls on the calling thread, in one of the two ways that there are: one after the other, or, of what returns a promise, many outstanding. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { cpuMs } from '../../../experiment/gauges.js';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { HOLD_MS, keepOutstanding, type Loaded, middle, oneByOne, rateOf } from './outstanding.js';

export interface Calls {
  /** Mean time of a warm call, one at a time; and how many calls are outstanding, for the rate of an asynchronous function. */
  warm(ms: number): Promise<{ readonly callMs: number; readonly outstanding: number }>;
  run(ms: number): Promise<Ran>;
  /** Mean time of a call with this input alone. */
  only(input: number): Promise<number>;
}

interface Ran {
  readonly rate: number;
  readonly cpuMs: number;
  readonly callMs: readonly number[];
}

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
function some(times: readonly number[]): number[] {
  if (times.length <= MAX_TIMES) return [...times];
  return Array.from({ length: MAX_TIMES }, (_, i) => times[Math.floor((i * times.length) / MAX_TIMES)]!);
}

/** As many as the pool is given of calls that are short. */
const MAX_OUTSTANDING = 64;
/** As many more are kept outstanding as long as they bring so much. */
const FASTER_AT_ONCE = 1.3;
/** Share of a slice in which calls are made one at a time. */
const ALONE_SHARE = 0.2;

export class AsyncCalls implements Calls {
  readonly #run: TaskFunction;
  readonly #inputs: readonly unknown[];
  #outstanding = 8;
  #waits = false;
  #next = 0;

  constructor(run: TaskFunction, inputs: readonly unknown[]) {
    this.#run = run;
    this.#inputs = inputs;
  }

  /** Doubles what is outstanding as long as that brings more: calls that compute would only wait for one another. */
  async warm(ms: number): Promise<{ callMs: number; outstanding: number }> {
    const end = performance.now() + ms;
    const callMs = middle(await this.#alone(ms / 8));
    let rate = rateOf(await this.#load(ms / 8, this.#outstanding));
    while (this.#outstanding < MAX_OUTSTANDING && performance.now() < end) {
      const more = rateOf(await this.#load(ms / 8, 2 * this.#outstanding));
      if (more < FASTER_AT_ONCE * rate) break;
      this.#outstanding *= 2;
      rate = more;
    }
    // By Little's law so many calls were on their way at once, each as fast as if it were alone.
    this.#waits = callMs >= 1 && (rate * callMs) / 1000 > this.#outstanding / 2;
    // Then, or where calls are short, nothing is lost by as many as a pool would get.
    if (callMs < 1 || this.#waits) this.#outstanding = MAX_OUTSTANDING;
    return { callMs, outstanding: this.#outstanding };
  }

  async run(ms: number): Promise<Ran> {
    const cpu = cpuMs();
    const loaded = await this.#load(ms * (1 - ALONE_SHARE), this.#outstanding);
    const used = cpuMs() - cpu;
    const times = await this.#alone(ms * ALONE_SHARE);
    const rate = this.#waits ? loaded.ratePerLane : rateOf(loaded);
    return { rate, cpuMs: used / loaded.calls, callMs: some(times) };
  }

  async only(input: number): Promise<number> {
    const begin = performance.now();
    await this.#call(this.#inputs[input]);
    return performance.now() - begin;
  }

  #alone(ms: number): Promise<number[]> {
    return oneByOne(() => this.#call(this.#take()).catch(() => {}), ms);
  }

  #load(ms: number, outstanding: number): Promise<Loaded> {
    const call = () => this.#call(this.#take());
    return keepOutstanding({ outstanding, ms, turnsLoop: true, call });
  }

  async #call(input: unknown): Promise<unknown> {
    return this.#run(input);
  }

  #take(): unknown {
    this.#next = (this.#next + 1) % this.#inputs.length;
    return this.#inputs[this.#next];
  }
}
