/** How busy each core of the machine is over time, from the system's own counters: by whatever runs on it. */
import os from 'node:os';

/** The counters are of a hundredth of a second: less would say nothing. Milliseconds. */
const SAMPLE_MS = 100;

type Counters = readonly { readonly busy: number; readonly all: number }[];

export class CoreMeter {
  readonly #samples: number[][] = [];
  #last: Counters = [];
  #timer: NodeJS.Timeout | undefined;

  begin(): void {
    this.#last = read();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** Inverse of `begin`: what has been sampled since then. */
  end(): number[][] {
    clearInterval(this.#timer);
    this.#sample();
    return this.#samples.splice(0);
  }

  #sample(): void {
    const now = read();
    const shares = now.map(({ busy, all }, core) => {
      const before = this.#last[core] ?? { busy: 0, all: 0 };
      const passed = all - before.all;
      return passed > 0 ? Math.min(1, Math.max(0, (busy - before.busy) / passed)) : Number.NaN;
    });
    this.#last = now;
    // In less than a tick of the counters nothing can be seen.
    if (shares.length > 0 && shares.every(Number.isFinite)) this.#samples.push(shares);
  }
}

function read(): Counters {
  return os.cpus().map(({ times: { user, nice, sys, idle, irq } }) => {
    const busy = user + nice + sys + irq;
    return { busy, all: busy + idle };
  });
}
