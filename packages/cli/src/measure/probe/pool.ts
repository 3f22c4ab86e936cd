/** The function in the library's pool, with some number of threads and some way of calling. */
import { performance } from 'node:perf_hooks';
import { createPool, type Pool } from 'threadwise';
import { cpuMs, LoopDelay } from './gauges.js';
import { keepOutstanding } from './outstanding.js';
import type { Open, PoolOpened, PoolSetup, PoolSlice } from './protocol.js';
import { RunTimes } from './run-times.js';
import { standalone } from './values.js';
import { warmUp } from './warm-up.js';

export const open: Open<'pool'> = async (setup) => {
  const pool = createPool(setup.module, {
    name: 'threadwise analyze',
    threads: setup.threads,
    placement: setup.placement,
    worker: { data: standalone(setup.data) },
  });
  await pool.ready;
  const slices = new Slices(pool, setup);
  return { opened: await slices.warm(setup.warmMs), step: ({ ms }) => slices.run(ms) };
};

/** Milliseconds. */
const WARM_PIECE_MS = 40;

class Slices {
  readonly #pool: Pool;
  readonly #setup: PoolSetup;
  readonly #arguments: readonly unknown[];
  readonly #delay: LoopDelay;
  readonly #runTimes: RunTimes;
  #next = 0;

  constructor(pool: Pool, setup: PoolSetup) {
    this.#pool = pool;
    this.#setup = setup;
    this.#arguments = argumentsOf(pool, setup);
    this.#delay = new LoopDelay(setup.idleDelayMs);
    this.#runTimes = new RunTimes(pool, setup.isLong);
  }

  /** Beside long calls it does not matter how fast they are handed over: once will do. */
  async warm(ms: number): Promise<PoolOpened> {
    let [calls, failed] = [0, 0];
    let firstFailure: string | undefined;
    const piece = async (): Promise<number> => {
      const slice = await this.run(WARM_PIECE_MS);
      calls += slice.calls;
      failed += slice.failed;
      firstFailure ??= slice.firstFailure;
      return slice.rate;
    };
    await warmUp(piece, this.#setup.isLong ? 0 : ms);
    return { calls, failed, firstFailure };
  }

  async run(ms: number): Promise<PoolSlice> {
    const { outstanding, batch } = this.#setup;
    await this.#delay.begin();
    this.#runTimes.begin();
    const cpu = cpuMs();
    const loop = performance.eventLoopUtilization();
    const loaded = await keepOutstanding({
      outstanding,
      ms,
      turnsLoop: false,
      call: () => this.#call(),
    });
    const mainUtilization = performance.eventLoopUtilization(loop).utilization;
    const used = cpuMs() - cpu;
    const { busyShare, rate } = this.#runTimes.end(loaded, this.#setup.threads);
    const loopDelayMs = await this.#delay.end();
    const { failed, firstFailure } = loaded;
    return {
      calls: loaded.calls,
      failed,
      firstFailure,
      rate: batch * rate,
      cpuMs: used / (loaded.calls * batch),
      loopDelayMs,
      mainUtilization,
      busyShare,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  #call(): Promise<unknown> {
    this.#next = (this.#next + 1) % this.#arguments.length;
    return this.#pool.run(this.#setup.task, [this.#arguments[this.#next]]);
  }
}

function argumentsOf(pool: Pool, { inputs, kind, batch }: PoolSetup): readonly unknown[] {
  const own = inputs.map(standalone);
  if (kind === 'lease') return own.map((bytes) => shared(pool, bytes as Uint8Array));
  if (kind === 'each') return own;
  // As many batches as it takes until every input was in one of them.
  const count = Math.ceil(own.length / batch);
  return Array.from({ length: count }, (_, b) =>
    Array.from({ length: batch }, (_, i) => own[(b * batch + i) % own.length]),
  );
}

/** Filled once: what is measured is a call with bytes that lie there already. Their memory is the pool's until it ends. */
function shared(pool: Pool, bytes: Uint8Array): Uint8Array {
  const lease = pool.lease(bytes.byteLength);
  lease.bytes.set(bytes);
  return lease.bytes;
}
