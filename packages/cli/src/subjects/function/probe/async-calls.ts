/** Calls of a function that returns a promise: as many outstanding as the event loop makes something of. */
import { performance } from 'node:perf_hooks';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { cpuMs } from '../../../experiment/gauges.js';
import type { Calls, Ran } from './inline.js';
import { keepOutstanding, type Loaded } from './outstanding.js';
import { some } from './sync-calls.js';

/** As many as the pool is given of calls that are short. */
const MAX_OUTSTANDING = 64;
/** More outstanding calls are worth it if they bring so much. */
const WORTH_IT = 1.3;
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
      if (more < WORTH_IT * rate) break;
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

  /** At least one call. */
  async #alone(ms: number): Promise<number[]> {
    const times: number[] = [];
    const end = performance.now() + ms;
    for (let begin = performance.now(); times.length === 0 || begin < end; begin = performance.now()) {
      await this.#call(this.#take()).catch(() => {});
      times.push(performance.now() - begin);
    }
    return times;
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

/** Where calls compute, those that end last have more of the machine: all of them in all of the time. */
function rateOf({ calls, begin, drained }: Loaded): number {
  return (calls * 1000) / (drained - begin);
}

function middle(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1]!;
}
