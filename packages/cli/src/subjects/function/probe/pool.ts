/** The function in the library's pool, with some number of threads and some way of calling. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createPool, type Lease, type Pool } from 'threadwise';
import { Gauges } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { keepOutstanding, warmUp } from './outstanding.js';
import { RunTimes } from './run-times.js';
import { standalone } from './values.js';

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
