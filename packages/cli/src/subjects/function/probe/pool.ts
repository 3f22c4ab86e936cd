/** The function in the library's pool, with some number of threads and some way of calling. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createPool, type Lease, type Pool } from 'threadwise';
import { Gauges } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { inTurn, keepOutstanding, type Loaded, warmUp } from './outstanding.js';
import { standalone } from './values.js';

export interface PoolSetup {
  readonly module: string;
  readonly task: string;
  readonly data: unknown;
  readonly inputs: readonly unknown[];
  /** What the task gets of an input, or of a batch of them. */
  readonly passing: Passing;
  /** Its bytes lie in memory that is shared already, or are read into such. */
  readonly isLeased: boolean;
  /** Inputs in one call; 1 where it is not a batch. */
  readonly batch: number;
  readonly threads: number;
  readonly placement: 'threads' | 'auto';
  readonly outstanding: number;
  /** Calls take long: what has run of one when the time is over counts for a part of it. */
  readonly isLong: boolean;
  readonly idleDelayMs: number;
  /** How long it is warmed up at most, until it gets no faster. Milliseconds. */
  readonly warmMs: number;
}

export const open = async (setup: PoolSetup) => {
  const { task, threads, batch, outstanding, isLong, warmMs } = setup;
  const pool = createPool(setup.module, {
    name: 'threadwise analyze',
    threads,
    placement: setup.placement,
    worker: { data: standalone(setup.data) },
    classes: 'plain',
  });
  await pool.ready;
  const nextMaker = inTurn(makersOf(pool, setup));
  const gauges = new Gauges(setup.idleDelayMs);
  const beginWork = isLong ? longWork(pool, threads === outstanding) : shortWork(pool);
  const call = (): Promise<unknown> => pool.run(task, nextMaker()());
  const step = async ({ ms }: { readonly ms: number }) => {
    await gauges.begin();
    const endWork = beginWork();
    const loaded = await keepOutstanding({ outstanding, ms, call });
    const ended = gauges.end();
    const { calls, elapsedMs, runMs } = endWork(loaded);
    const { loopShare, cpuMs, loopDelayMs, residentBytes, shared, wantedCores } = await ended;
    return {
      calls: loaded.calls,
      failed: loaded.failed,
      firstFailure: loaded.firstFailure,
      rate: (batch * calls * 1000) / elapsedMs,
      cpuMs: cpuMs / (loaded.calls * batch),
      loopDelayMs,
      mainUtilization: loopShare,
      busyShare: Math.min(1, runMs / (threads * elapsedMs)),
      residentBytes,
      shared,
      wantedCores,
    };
  };
  const opened = { calls: 0, failed: 0, firstFailure: undefined as string | undefined };
  const piece = async (): Promise<number> => {
    const { calls, failed, firstFailure, rate } = await step({ ms: WARM_PIECE_MS });
    opened.calls += calls;
    opened.failed += failed;
    opened.firstFailure ??= firstFailure;
    return rate;
  };
  // Beside long calls it does not matter how fast they are handed over: once will do.
  await warmUp(piece, isLong ? 0 : warmMs);
  return { opened, step };
};

/** Milliseconds. */
const WARM_PIECE_MS = 40;

/** What of the calls of a slice counts, the time that they had for it, and for how much of it workers ran them. */
interface Work {
  readonly calls: number;
  readonly elapsedMs: number;
  readonly runMs: number;
}

/** Begins a slice; what it gives ends it. */
type Works = () => (loaded: Loaded) => Work;

/** Of short calls all count, until the last one has settled. The pool's statistics tell for how long they ran: no event is made for each. */
function shortWork(pool: Pool): Works {
  const runMsSoFar = (): number => {
    const workers = pool.stats().workers.filter(({ inline }) => !inline);
    return workers.reduce((sum, { runMs }) => sum + (runMs.count === 0 ? 0 : runMs.count * runMs.mean), 0);
  };
  return () => {
    const before = runMsSoFar();
    return ({ calls, begin, drained }) => ({
      calls,
      elapsedMs: drained - begin,
      runMs: runMsSoFar() - before,
    });
  };
}

/** Of long calls, of which only some workers would have one in the end, those count that ended in time, and a part of each that ran then. */
function longWork(pool: Pool, isOneEach: boolean): Works {
  let runs: { readonly at: number; readonly runMs: number }[] = [];
  // Without a time where the pool did not look at the clock: calls on its own thread, of which it times some.
  pool.on('task:settle', ({ runMs = 0 }) => runs.push({ at: performance.now(), runMs }));
  return () => {
    runs = [];
    return ({ begin, end, calls, parts }) => {
      const elapsedMs = end - begin;
      if (isOneEach) {
        // No call waits for another, and a call has its worker from when it was made until it has settled: its way there and back
        // is a part of that, which may take longer than its run.
        const runMs = runs.reduce((sum, run) => sum + run.runMs, 0);
        return { calls: parts, elapsedMs, runMs: (runMs / Math.max(1, calls)) * parts };
      }
      const work = { calls: 0, elapsedMs, runMs: 0 };
      for (const { at, runMs } of runs) {
        // They begin when the slice does: what lies before is the way of the news.
        const from = Math.max(begin, at - runMs);
        const within = Math.max(0, Math.min(at, end) - from);
        if (at <= end) work.calls += 1;
        else if (at > from) work.calls += within / (at - from);
        work.runMs += within;
      }
      return work;
    };
  };
}

/** For each input, or batch of them, what makes the arguments of a call, as its caller would. */
function makersOf(pool: Pool, { inputs, isLeased, passing, batch }: PoolSetup): readonly (() => unknown[])[] {
  const own = inputs.map(standalone);
  if (isLeased && passing === 'read') return own.map((path) => () => [filledFrom(path as string, pool)]);
  if (!isLeased && passing !== 'value') return own.map((input) => () => [...argumentsOf(input, passing)]);
  const singles = isLeased ? own.map((bytes) => shared(pool, bytes as Uint8Array)) : own;
  return (batch === 1 ? singles : batchesOf(singles, batch)).map((each) => () => [each]);
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
