/** The function in the library's pool, with some number of threads and some way of calling. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { sum } from 'd3-array';
import { createPool, type Lease, type Pool } from 'threadwise';
import { watchProcess } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf } from '../../../run/work/passing.js';
import type { VariantName } from '../rules/samples.js';
import { inTurn, keepOutstanding, type Loaded, warmUp } from './calls.js';
import type { SubjectReference } from './subject.js';
import { standalone } from './values.js';

export interface PoolSetup {
  readonly subject: SubjectReference & { readonly export: string };
  readonly inputs: readonly unknown[];
  readonly threads: number;
  /** The way of calling; undefined: the default one. */
  readonly name?: VariantName | undefined;
  /** How many inputs one call gets; undefined: one. */
  readonly size?: number | undefined;
  readonly outstanding: number;
  /** Whether calls are long: then one that ends after its slice counts for the part within it. */
  readonly isLong: boolean;
  readonly idleDelayMs: number;
  /** For how many milliseconds the pool is warmed up at most; it ends when the pool gets no faster. */
  readonly warmMs: number;
}

/** When a call settled, and how long it ran. Milliseconds. */
type Run = { readonly at: number; readonly runMs: number };

const OWN_TASKS = new URL('./subject.js', import.meta.url).href;

export const open = async (setup: PoolSetup) => {
  const { subject, threads, name, size = 1, outstanding, isLong, warmMs } = setup;
  // Several inputs, or those that the worker reads, are for a task of ours, which calls the function.
  const isOurs = name === 'batch' || name === 'read';
  const task = isOurs ? (setup.size === undefined ? 'runOne' : 'runAll') : subject.export;
  const pool = createPool(isOurs ? OWN_TASKS : subject.module, {
    name: 'threadwise analyze',
    threads,
    placement: name === 'auto' ? 'auto' : 'threads',
    worker: { data: isOurs ? subject : undefined },
    classes: 'plain',
  });
  await pool.ready;
  const nextMaker = inTurn(makersOf(pool, setup));
  /** The long calls that settled in a slice: an event for each short one would cost too much. */
  const runs: Run[] = [];
  // `runMs` is missing where the pool did not read the clock: it times only some of the calls on its own thread.
  if (isLong) pool.on('task:settle', ({ runMs = 0 }) => runs.push({ at: performance.now(), runMs }));
  const call = (): Promise<unknown> => pool.run(task, nextMaker()());
  let hasWorked = false;
  let firstFailure: string | undefined;
  const step = async ({ ms }: { readonly ms: number }) => {
    const end = await watchProcess(setup.idleDelayMs);
    runs.length = 0;
    const before = runMsSoFar(pool);
    const loaded = await keepOutstanding({ outstanding, ms, call });
    const ended = end();
    // All short calls count, until the last has settled.
    const short = { calls: loaded.calls, elapsedMs: loaded.drained - loaded.begin };
    const { calls, elapsedMs, runMs } = isLong
      ? longWork(loaded, runs, threads === outstanding)
      : { ...short, runMs: runMsSoFar(pool) - before };
    const { loopShare: mainUtilization, cpuMs, ...gauged } = await ended;
    hasWorked ||= loaded.failed < loaded.calls;
    firstFailure ??= loaded.firstFailure;
    return {
      ...gauged,
      mainUtilization,
      rate: (size * calls * 1000) / elapsedMs,
      cpuMs: cpuMs / (loaded.calls * size),
      busyShare: Math.min(1, runMs / (threads * elapsedMs)),
    };
  };
  // For long calls it does not matter how fast they are handed over: one piece will do.
  await warmUp(async () => (await step({ ms: WARM_PIECE_MS })).rate, isLong ? 0 : warmMs);
  if (!hasWorked) throw new Error(`every call fails: ${firstFailure}`);
  return { opened: undefined, step };
};

const WARM_PIECE_MS = 40;

/** How many milliseconds the workers ran tasks so far: by the pool's statistics, which need no event for each call. */
function runMsSoFar(pool: Pool): number {
  const workers = pool.stats().workers.filter(({ inline }) => !inline);
  // The mean of no runs is no number, which the sum leaves out.
  return sum(workers, ({ runMs }) => runMs.count * runMs.mean);
}

/** A long call that ends after the slice counts for its part within the slice: until the last one ends, only some workers are busy. */
function longWork({ begin, end, calls, parts }: Loaded, runs: readonly Run[], isOneEach: boolean) {
  const elapsedMs = end - begin;
  if (isOneEach) {
    // Each call has a worker to itself from when it is made until it settles. `parts` counts all of that time, since the way there and
    // back may take longer than the run.
    const runMs = sum(runs, (run) => run.runMs);
    return { calls: parts, elapsedMs, runMs: (runMs / Math.max(1, calls)) * parts };
  }
  const work = { calls: 0, elapsedMs, runMs: 0 };
  for (const { at, runMs } of runs) {
    const from = at - runMs;
    const within = Math.max(0, Math.min(at, end) - from);
    if (at <= end) work.calls += 1;
    else if (at > from) work.calls += within / (at - from);
    work.runMs += within;
  }
  return work;
}

/** For each input or batch, a function that makes the arguments of a call, as its caller would. */
function makersOf(pool: Pool, { inputs, subject, name, size }: PoolSetup): readonly (() => unknown[])[] {
  const own = inputs.map(standalone);
  if (name === 'lease') return own.map((path) => () => [filledFrom(path as string, pool)]);
  const isOurs = name === 'batch' || name === 'read';
  if (!isOurs) return own.map((input) => () => [...argumentsOf(input, subject.passing)]);
  return (size === undefined ? own : batchesOf(own, size)).map((each) => () => [each]);
}

/** Batches of `size` that together hold every input; the last one is filled up from the first inputs. */
function batchesOf(inputs: readonly unknown[], size: number): unknown[][] {
  const count = Math.ceil(inputs.length / size);
  return Array.from({ length: count }, (_, b) =>
    Array.from({ length: size }, (_, i) => inputs[(b * size + i) % inputs.length]),
  );
}

/** Reads the file into memory that the worker sees, as a caller does who wants no copy. */
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
