/** The steps that only explain the verdict: the cost of a crossing, the break-even, fewer cores, and the start of threads. */
import { describeFailure } from '../../../experiment/child.js';
import { usableCpus } from '../../../experiment/machine.js';
import { Rounds, sliceFor } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';
import { seriesOf } from '../../../experiment/statistics.js';
import type { EchoSetup } from '../probe/tasks.js';
import { type CoreSamples, TRANSPORTS } from '../rules/samples.js';
import type { Subject } from './behaviour-step.js';
import { coreCounts, outstandingFor } from './schedule.js';
import type { Asks, FunctionSession, Opened, Slice } from './session.js';
import type { Settings } from './settings.js';

/** Running times of tasks that only compute, two a decade: the break-even is interpolated between them. */
const SPINS_MS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;
/** How many milliseconds a process takes until all its pools are ready; a pool that is bound to fewer cores gets as long. */
const POOLS_OPEN_MS = 300;
/** The share of a step's time that goes into warming up. */
const WARM_SHARE = 0.3;
const MOST_WARM_MS = 1500;
/** How many milliseconds pass between two slices of the same process. */
const BETWEEN_SLICES_MS = 2;
const ROUNDS = ENOUGH_ROUNDS + 1;

type Pattern = Omit<EchoSetup, 'warmMs'>;

export function patternOf(
  { reference, inputs, result, bytesIn, bytesOut }: Subject,
  threads: number,
): Pattern {
  const outstanding = outstandingFor(0, threads, bytesIn + bytesOut);
  return { input: inputs[0]!.input, passing: reference.passing, result, threads, outstanding };
}

/** The probes that measure several things in turn: the step, and the lengths of the step and of a slice in milliseconds. */
const IN_TURN = {
  crossing: { step: 'crossings', leastMs: POOLS_OPEN_MS / 2, slice: { least: 25, most: 150 } },
  spin: { step: 'the break-even', leastMs: POOLS_OPEN_MS, slice: { least: 20, most: 160 } },
} as const;

export async function measureCrossings(session: FunctionSession, pattern: Pattern): Promise<void> {
  const found = await inTurn(session, 'crossing', pattern, TRANSPORTS, (transport, ms) => ({
    transport,
    ms,
  }));
  session.draft.crossings = found.map(([transport, slices]) => ({
    transport,
    ...seriesOf(slices, 'cpuMs', 'loneMs'),
  }));
}

export async function measureSpins(session: FunctionSession, pattern: Pattern): Promise<void> {
  // Half of the slice is on the calling thread, half in the pool.
  const found = await inTurn(session, 'spin', pattern, SPINS_MS, (runMs, ms) => ({ runMs, ms: ms / 2 }));
  session.draft.spins = found.map(([runMs, slices]) => ({ runMs, ...seriesOf(slices, 'inline', 'pool') }));
}

/** Measures all of them in turn in one process, and leaves out those that there was no time for. */
async function inTurn<R extends keyof typeof IN_TURN, T>(
  session: FunctionSession,
  role: R,
  pattern: Pattern,
  all: readonly T[],
  asksOf: (of: T, ms: number) => Asks<R>,
): Promise<(readonly [T, Slice<R>[]])[]> {
  const { step, leastMs, slice } = IN_TURN[role];
  const timeMs = session.begin(step, leastMs);
  if (timeMs === undefined) return [];
  const endMs = session.now() + timeMs;
  const warmMs = Math.min(MOST_WARM_MS, WARM_SHARE * timeMs);
  const what = `${role}s`;
  const lane = session.lane(role, { what, setup: { ...pattern, warmMs }, openMs: POOLS_OPEN_MS + warmMs });
  await lane.open();
  const turns = all.map((of) => lane.turn(({ ms }) => ({ asks: asksOf(of, ms), expectedMs: ms })));
  const ms = sliceFor({ ...slice, ms: endMs - session.now() }, turns.length, ROUNDS, BETWEEN_SLICES_MS);
  const rounds = new Rounds({
    session,
    title: `${what}, `,
    turns,
    needed: turns.length,
    slice: { ms, least: slice.least },
    overheadMs: BETWEEN_SLICES_MS,
    // In the first round the code of each is still being compiled.
    coldOf: () => 1,
    most: ROUNDS,
  });
  await rounds.run({ endMs });
  await lane.close();
  return all.map((of, i) => [of, rounds.of(turns[i]!)] as const).filter(([, slices]) => slices.length > 0);
}

const CORE_ROUNDS = 3;
const WARM_MS = 300;

/** Measures the matrix of cores and threads. The figures for all cores are taken from the rounds. */
export async function measureCores(
  session: FunctionSession,
  settings: Settings,
  inputs: readonly unknown[],
): Promise<void> {
  const { draft } = session;
  const { cores } = draft.machine;
  if (cores === 1) return session.skip('fewer cores', 'there is one core');
  const cpus = usableCpus();
  if (cpus === undefined)
    return session.skip('fewer cores', 'a process cannot be bound to some of them here (taskset)');
  const cells = coreCounts(cores)
    .filter((count) => count < cores && count < cpus.length)
    .flatMap((count) => settings.all.map((setting) => ({ count, ...setting })))
    .filter(({ count, variant, setup }) => variant === undefined && setup.threads <= 2 * count);
  const timeMs = session.begin('fewer cores', POOLS_OPEN_MS);
  if (timeMs === undefined) return;
  const end = performance.now() + timeMs;
  const sliceMs = clamp((timeMs / cells.length - POOLS_OPEN_MS - WARM_MS) / CORE_ROUNDS, 50, 200);
  const found: CoreSamples[] = [];
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
    const rate: number[] = [];
    for (let round = 0; round < CORE_ROUNDS; round++) {
      const slice = await lane.step({ ms: sliceMs }, sliceMs);
      if (slice !== undefined) rate.push(slice.rate);
    }
    await lane.close();
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
  const timeMs = session.begin('the start of threads', START_MS / 2);
  if (timeMs === undefined) return;
  const threads = Math.min(START_THREADS, session.draft.machine.availableThreads);
  const end = performance.now() + timeMs;
  const starts: Opened<'start'>[] = [];
  while (starts.length < MOST_STARTS && (starts.length === 0 || performance.now() < end)) {
    const probe = session.probe('start');
    const setup = { module: reference.module, threads };
    const outcome = await probe.ask('open', setup, session.patience(START_MS));
    await probe.kill();
    if (outcome.kind !== 'done') {
      if (outcome.kind !== 'aborted') session.skip('the start of threads', describeFailure(outcome));
      break;
    }
    starts.push(outcome.value);
  }
  if (starts.length > 0) session.draft.start = seriesOf(starts, 'readyMs', 'bytesPerThread');
}
