/** The steps that only explain the verdict: the cost of a crossing, the break-even, fewer cores, and the start of threads. */
import { usableCpus } from '../../../experiment/machine.js';
import { Rounds, sliceFor } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';
import { seriesOf } from '../../../experiment/statistics.js';
import { type Samples, TRANSPORTS } from '../rules/samples.js';
import type { Subject } from './behaviour-step.js';
import { coreCounts, outstandingFor, repeated } from './schedule.js';
import type { FunctionSession } from './session.js';
import type { Settings } from './turns.js';

/** Running times of tasks that only compute, two a decade: the break-even is interpolated between them. */
const SPINS_MS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;
/** How many milliseconds a process takes until all its pools are ready; a pool that is bound to fewer cores gets as long. */
const POOLS_OPEN_MS = 300;
const WARM_SHARE = 0.3;
const MOST_WARM_MS = 1500;
/** How many milliseconds pass between two slices of the same process, most of them until idle workers have settled. */
const BETWEEN_SLICES_MS = 5;
const ROUNDS = ENOUGH_ROUNDS + 1;

const SLICE_MS = { least: 25, most: 160 } as const;

/** Measures crossings, and tasks that only compute, in turn in one process; leaves out those that there was no time for. */
export async function measureCosts(session: FunctionSession, subject: Subject, threads: number) {
  const what = 'crossings and the break-even';
  const timeMs = session.begin(what, POOLS_OPEN_MS);
  if (timeMs === undefined) return;
  const endMs = session.now() + timeMs;
  const warmMs = Math.min(MOST_WARM_MS, WARM_SHARE * timeMs);
  const { reference, inputs, result } = subject;
  const lane = session.lane('costs', {
    what,
    setup: {
      input: inputs[0]!.input,
      passing: reference.passing,
      result,
      threads,
      outstanding: outstandingFor(0, threads, session.bytesOfCall),
      warmMs,
    },
    openMs: POOLS_OPEN_MS + warmMs,
  });
  await lane.open();
  const crossings = TRANSPORTS.map((transport) => lane.turn(({ ms }) => ({ transport, ms })));
  const spins = SPINS_MS.map((runMs) => lane.turn(({ ms }) => ({ runMs, ms })));
  const turns = [...crossings, ...spins];
  const ms = sliceFor({ ...SLICE_MS, ms: endMs - session.now() }, turns.length, ROUNDS, BETWEEN_SLICES_MS);
  const rounds = new Rounds({
    session,
    title: `${what}, `,
    turns,
    needed: turns.length,
    slice: { ms, least: SLICE_MS.least },
    overheadMs: BETWEEN_SLICES_MS,
    // In the first round the code of each task is still being compiled.
    coldOf: () => 1,
    most: ROUNDS,
  });
  await rounds.run({ endMs });
  await lane.close();
  const { draft } = session;
  draft.crossings = TRANSPORTS.map((transport, i) => {
    return { transport, ...seriesOf(rounds.of(crossings[i]!), 'cpuMs', 'loneMs') };
  }).filter(({ cpuMs }) => cpuMs.length > 0);
  draft.spins = SPINS_MS.map((runMs, i) => {
    return { runMs, ...seriesOf(rounds.of(spins[i]!), 'inline', 'pool') };
  }).filter(({ pool }) => pool.length > 0);
}

const CORE_ROUNDS = 3;
const WARM_MS = 300;

/** Measures the matrix of cores and threads. The figures for all cores are taken from the rounds. */
export async function measureCores(session: FunctionSession, settings: Settings, inputs: readonly unknown[]) {
  const { draft } = session;
  const { cores } = draft.machine;
  const cpus = cores === 1 ? undefined : usableCpus();
  if (cpus === undefined) {
    const why = 'a process cannot be bound to some of them here (taskset)';
    return session.skip('fewer cores', cores === 1 ? 'there is one core' : why);
  }
  const cells = coreCounts(cores)
    .filter((count) => count < cores && count < cpus.length)
    .flatMap((count) => settings.all.map((setting) => ({ count, ...setting })))
    .filter(({ count, setup }) => setup.name === undefined && setup.threads <= 2 * count);
  const timeMs = session.begin('fewer cores', POOLS_OPEN_MS);
  if (timeMs === undefined) return;
  const end = performance.now() + timeMs;
  const sliceMs = clamp((timeMs / cells.length - POOLS_OPEN_MS - WARM_MS) / CORE_ROUNDS, 50, 200);
  const found: Samples['cores'][number][] = [];
  for (const { count, what: which, setup } of cells) {
    const what = `${which} on ${count} of ${cores} cores`;
    if (session.isAborted) break;
    if (performance.now() + CORE_ROUNDS * sliceMs > end) {
      session.skipForTime(what);
      continue;
    }
    const lane = session.lane('pool', {
      what,
      setup: { ...setup, inputs, warmMs: WARM_MS },
      openMs: POOLS_OPEN_MS + WARM_MS,
      cpus: cpus.slice(0, count),
    });
    const slices = await repeated(CORE_ROUNDS, Number.POSITIVE_INFINITY, () =>
      lane.step({ ms: sliceMs }, sliceMs),
    );
    await lane.close();
    const rate = slices.map((slice) => slice.rate);
    if (rate.length > 0) found.push({ cores: count, threads: setup.threads, rate });
  }
  const all = draft.threads.map(({ threads, rate }) => ({ cores, threads, rate }));
  draft.cores = found.length === 0 ? [] : [...found, ...all];
}

const START_THREADS = 4;
const MOST_STARTS = 6;
const START_MS = 300;

/** Each start is in a process of its own: memory that ended threads gave back would be used again, and not counted. */
export async function measureStart(session: FunctionSession, { reference }: Subject): Promise<void> {
  const what = 'the start of threads';
  const timeMs = session.begin(what, START_MS / 2);
  if (timeMs === undefined) return;
  const threads = Math.min(START_THREADS, session.draft.machine.availableThreads);
  const setup = { module: reference.module, threads };
  const starts = await repeated(MOST_STARTS, timeMs, async () => {
    const lane = session.lane('start', { what, setup, openMs: START_MS });
    const started = await lane.start();
    await lane.close();
    return started;
  });
  if (starts.length > 0) session.draft.start = seriesOf(starts, 'readyMs', 'bytesPerThread');
}
