/** The function in the library's pool, with some number of threads and some way of calling. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createPool, type Lease, type Pool, type PoolEvents } from 'threadwise';
import { Gauges } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { keepOutstanding, type Loaded, warmUp } from './outstanding.js';
import { standalone } from './values.js';

interface Run {
  readonly at: number;
  readonly runMs: number;
}

export class RunTimes {
  readonly #pool: Pool;
  /** Undefined where calls are short: then the statistics will do, and no event is made for each call. */
  readonly #runs: Run[] | undefined;
  #before = 0;

  constructor(pool: Pool, isLong: boolean) {
    this.#pool = pool;
    this.#runs = isLong ? [] : undefined;
    if (isLong) pool.on('task:settle', (event) => this.#note(event));
  }

  begin(): void {
    this.#before = sumOf(this.#pool);
    if (this.#runs !== undefined) this.#runs.length = 0;
  }

  /**
   * Calls per second. Of short ones all, until the last one has settled; of long ones, of which only some workers would have one in
   * the end, those that ended in time and a part of each that ran then.
   */
  end(loaded: Loaded, threads: number, outstanding: number): { busyShare: number; rate: number } {
    const { begin, end, drained, calls } = loaded;
    if (this.#runs !== undefined && outstanding === threads)
      return this.#endOfOwn(this.#runs, loaded, threads);
    if (this.#runs === undefined) {
      const ms = sumOf(this.#pool) - this.#before;
      const elapsed = drained - begin;
      return { busyShare: Math.min(1, ms / (threads * elapsed)), rate: (calls * 1000) / elapsed };
    }
    let [parts, ms] = [0, 0];
    for (const { at, runMs } of this.#runs) {
      // They begin when the slice does: what lies before is the way of the news.
      const from = Math.max(begin, at - runMs);
      const within = Math.max(0, Math.min(at, end) - from);
      if (at <= end) parts += 1;
      else if (at > from) parts += within / (at - from);
      ms += within;
    }
    const elapsed = end - begin;
    return { busyShare: Math.min(1, ms / (threads * elapsed)), rate: (parts * 1000) / elapsed };
  }

  /**
   * Where no call waits for another, a call has its worker from when it was made until it has settled: its way there and back is a
   * part of that, which may take longer than its run.
   */
  #endOfOwn(runs: readonly Run[], { begin, end, parts, calls }: Loaded, threads: number) {
    const elapsed = end - begin;
    const runMs = runs.reduce((sum, run) => sum + run.runMs, 0) / Math.max(1, calls);
    return { busyShare: Math.min(1, (runMs * parts) / (threads * elapsed)), rate: (parts * 1000) / elapsed };
  }

  /** Without a time where the pool did not look at the clock: calls on its own thread, of which it times some. */
  #note({ runMs = 0 }: PoolEvents['task:settle']): void {
    this.#runs!.push({ at: performance.now(), runMs });
  }
}

function sumOf(pool: Pool): number {
  const workers = pool.stats().workers.filter(({ inline }) => !inline);
  return workers.reduce((sum, { runMs }) => sum + (runMs.count === 0 ? 0 : runMs.count * runMs.mean), 0);
}

export interface PoolSetup {
  readonly module: string;
  readonly task: string;
  readonly data: unknown;
  readonly inputs: readonly unknown[];
  /**
   * each: one input a call. batch: many. lease: its bytes lie in memory that is shared already, or are read into such. read: the
   * worker makes of the input what the function gets.
   */
  readonly kind: 'each' | 'batch' | 'lease' | 'read';
  readonly passing: Passing;
  /** Inputs in one call; 1 where it is not a batch. */
  readonly batch: number;
  readonly threads: number;
  readonly placement: 'threads' | 'auto';
  readonly outstanding: number;
  /** Calls take long: what has run of one when the time is over counts for a part of it. */
  readonly isLong: boolean;
  readonly idleDelayMs: number;
  /** At most so long, until it gets no faster. */
  readonly warmMs: number;
}

export const open = async (setup: PoolSetup) => {
  const pool = createPool(setup.module, {
    name: 'threadwise analyze',
    threads: setup.threads,
    placement: setup.placement,
    worker: { data: standalone(setup.data) },
    classes: 'plain',
  });
  await pool.ready;
  const slices = new Slices(pool, setup);
  return {
    opened: await slices.warm(setup.warmMs),
    step: ({ ms }: { readonly ms: number }) => slices.run(ms),
  };
};

/** Milliseconds. */
const WARM_PIECE_MS = 40;

class Slices {
  readonly #pool: Pool;
  readonly #setup: PoolSetup;
  /** Each makes the arguments of a call, as its caller would. */
  readonly #makers: readonly Maker[];
  readonly #gauges: Gauges;
  readonly #runTimes: RunTimes;
  #next = 0;

  constructor(pool: Pool, setup: PoolSetup) {
    this.#pool = pool;
    this.#setup = setup;
    this.#makers = makersOf(pool, setup);
    this.#gauges = new Gauges(setup.idleDelayMs);
    this.#runTimes = new RunTimes(pool, setup.isLong);
  }

  /** Beside long calls it does not matter how fast they are handed over: once will do. */
  async warm(ms: number) {
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

  async run(ms: number) {
    const { outstanding, batch } = this.#setup;
    await this.#gauges.begin();
    this.#runTimes.begin();
    const load = { outstanding, ms, turnsLoop: false };
    const loaded = await keepOutstanding({ ...load, call: () => this.#call() });
    const ended = this.#gauges.end();
    const { busyShare, rate } = this.#runTimes.end(loaded, this.#setup.threads, outstanding);
    const { loopShare, cpuMs, loopDelayMs, residentBytes, shared, wantedCores } = await ended;
    const { calls, failed, firstFailure } = loaded;
    return {
      calls,
      failed,
      firstFailure,
      rate: batch * rate,
      cpuMs: cpuMs / (calls * batch),
      loopDelayMs,
      mainUtilization: loopShare,
      busyShare,
      residentBytes,
      shared,
      wantedCores,
    };
  }

  #call(): Promise<unknown> {
    this.#next = (this.#next + 1) % this.#makers.length;
    return this.#pool.run(this.#setup.task, this.#makers[this.#next]!());
  }
}

type Maker = () => unknown[];

function makersOf(pool: Pool, { inputs, kind, passing, batch }: PoolSetup): readonly Maker[] {
  const own = inputs.map(standalone);
  switch (kind) {
    case 'each':
      return passing === 'value'
        ? own.map((input) => () => [input])
        : own.map((input) => () => [...argumentsOf(input, passing)]);
    case 'read':
      if (batch > 1) return batchesOf(own, batch).map((paths) => () => [paths]);
      return own.map((path) => () => [path]);
    case 'lease':
      return passing === 'read'
        ? own.map((path) => () => [filledFrom(path as string, pool)])
        : own.map((bytes) => shared(pool, bytes as Uint8Array)).map((bytes) => () => [bytes]);
    case 'batch':
      return batchesOf(own, batch).map((each) => () => [each]);
  }
}

/** As many batches as it takes until every input was in one of them. */
function batchesOf(inputs: readonly unknown[], size: number): unknown[][] {
  const count = Math.ceil(inputs.length / size);
  return Array.from({ length: count }, (_, b) =>
    Array.from({ length: size }, (_, i) => inputs[(b * size + i) % inputs.length]),
  );
}

/** Filled once: what is measured is a call with bytes that lie there already. Their memory is the pool's until it ends. */
function shared(pool: Pool, bytes: Uint8Array): Uint8Array {
  const lease = pool.lease(bytes.byteLength);
  lease.bytes.set(bytes);
  return lease.bytes;
}

/** What a caller does who wants no copy: the file is read into memory that the worker sees. */
function filledFrom(path: string, pool: Pool): Lease {
  const file = openSync(path, 'r');
  try {
    const lease = pool.lease(fstatSync(file).size);
    let [filled, count] = [0, -1];
    while (filled < lease.bytes.length && count !== 0) {
      count = readSync(file, lease.bytes, filled, lease.bytes.length - filled, null);
      filled += count;
    }
    return lease;
  } finally {
    closeSync(file);
  }
}

serveSteps(open);
