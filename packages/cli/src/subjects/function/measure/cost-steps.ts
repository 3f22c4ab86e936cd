/** What only explains the verdict: what a crossing costs and from where on it pays, fewer cores, and what threads cost before they do anything. */
import { describeFailure } from '../../../experiment/child.js';
import { usableCpus } from '../../../experiment/machine.js';
import { Rounds, sliceFor } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';
import { seriesOf } from '../../../experiment/statistics.js';
import type { EchoSetup } from '../probe/tasks.js';
import type { CoreSamples } from '../rules/samples.js';
import type { Subject } from './behaviour-step.js';
import { coreCounts, outstandingFor } from './schedule.js';
import { type Asks, type FunctionSession, laneOf, type Slice } from './session.js';
import type { Settings } from './settings.js';

const TRANSPORTS = ['shared', 'message'] as const;
/** Milliseconds, a decade in two steps: where it pays is found between them. */
const SPINS_MS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;
/** For a process with its pools to be ready. Milliseconds. */
const OPEN_MS = 300;
/** Of the time of a step, so much goes into making its code warm. */
const WARM_SHARE = 0.3;
const MOST_WARM_MS = 1500;
/** Between two slices. Milliseconds. */
const HAND_OVER_MS = 2;
const ROUNDS = ENOUGH_ROUNDS + 1;

export type Pattern = Omit<EchoSetup, 'warmMs'>;

export function patternOf(subject: Subject, threads: number): Pattern {
  const { inputs, passing, result, bytesIn, bytesOut } = subject;
  const outstanding = outstandingFor(0, threads, bytesIn + bytesOut);
  return { input: inputs[0]!.input, passing, result, threads, outstanding };
}

export async function measureCrossings(session: FunctionSession, pattern: Pattern): Promise<void> {
  const timeMs = session.begin('crossings', 'crossings', OPEN_MS / 2);
  if (timeMs === undefined) return;
  const options = { role: 'crossing', what: 'crossings', pattern, timeMs, least: 25, most: 150 } as const;
  const found = await inTurn(session, options, TRANSPORTS, (transport, ms) => ({ transport, ms }));
  session.draft.crossings = found.map(({ of, slices }) => ({
    transport: of,
    ...seriesOf(slices, 'cpuMs', 'loneMs'),
  }));
}

export async function measureSpins(session: FunctionSession, pattern: Pattern): Promise<void> {
  const timeMs = session.begin('spins', 'the break-even', OPEN_MS);
  if (timeMs === undefined) return;
  const options = { role: 'spin', what: 'spins', pattern, timeMs, least: 20, most: 160 } as const;
  // Half of it on the calling thread, half in the pool.
  const found = await inTurn(session, options, SPINS_MS, (runMs, ms) => ({ runMs, ms: ms / 2 }));
  session.draft.spins = found.map(({ of, slices }) => ({ runMs: of, ...seriesOf(slices, 'inline', 'pool') }));
}

interface Turns<R> {
  readonly role: R;
  readonly what: string;
  readonly pattern: Pattern;
  readonly timeMs: number;
  readonly least: number;
  readonly most: number;
}

/** One process is asked for each of them in turn. Without those that there was no time for. */
async function inTurn<R extends 'crossing' | 'spin', T>(
  session: FunctionSession,
  { role, what, pattern, timeMs, least, most }: Turns<R>,
  all: readonly T[],
  asksOf: (of: T, ms: number) => Asks<R>,
): Promise<{ readonly of: T; readonly slices: Slice<R>[] }[]> {
  const endMs = session.now() + timeMs;
  const warmMs = Math.min(MOST_WARM_MS, WARM_SHARE * timeMs);
  const lane = laneOf(session, role, { what, setup: { ...pattern, warmMs }, openMs: OPEN_MS + warmMs });
  await lane.open();
  const turns = all.map((of) => lane.turn(({ ms }) => ({ asks: asksOf(of, ms), expectedMs: ms })));
  const time = { ms: endMs - session.now(), least, most };
  const ms = sliceFor(time, turns.length, ROUNDS, HAND_OVER_MS);
  const needed = turns.length;
  const slice = { ms, least };
  // In the first round the compiler sees all of them for the first time.
  const coldOf = (): number => 1;
  const rounds = new Rounds({
    session,
    title: `${what}, `,
    turns,
    needed,
    slice,
    overheadMs: HAND_OVER_MS,
    coldOf,
    most: ROUNDS,
  });
  await rounds.run({ endMs });
  await lane.close();
  return all.map((of, i) => ({ of, slices: rounds.of(turns[i]!) })).filter(({ slices }) => slices.length > 0);
}

const WHAT = 'fewer cores';
const CORE_ROUNDS = 3;
const WARM_MS = 300;

/** The matrix of cores and threads. All cores were measured in the rounds, and are taken from there. */
export async function measureCores(
  session: FunctionSession,
  settings: Settings,
  inputs: readonly unknown[],
): Promise<void> {
  const { cores } = session.draft.machine;
  if (cores === 1) return session.skip(WHAT, 'there is one core');
  const cpus = usableCpus();
  if (cpus === undefined)
    return session.skip(WHAT, 'a process cannot be bound to some of them here (taskset)');
  const plain = settings.all.filter(({ variant }) => variant === undefined);
  const cells = coreCounts(cores)
    .filter((count) => count < cores && count < cpus.length)
    .flatMap((count) =>
      plain.filter(({ setup }) => setup.threads <= 2 * count).map((setting) => ({ count, setting })),
    );
  const found: CoreSamples[] = [];
  const all = session.draft.threads.map(({ threads, rate }) => ({ cores, threads, rate }));
  const timeMs = session.begin('cores', WHAT, OPEN_MS);
  if (timeMs === undefined) return;
  const end = performance.now() + timeMs;
  const sliceMs = clamp((timeMs / cells.length - OPEN_MS - WARM_MS) / CORE_ROUNDS, 50, 200);
  for (const { count, setting } of cells) {
    const what = `${setting.what} on ${count} of ${cores} cores`;
    if (session.plan.signal.aborted) break;
    if (performance.now() + OPEN_MS + CORE_ROUNDS * sliceMs > end + OPEN_MS) {
      session.skipForTime(what);
      continue;
    }
    const setup = { ...setting.setup, inputs, warmMs: WARM_MS };
    const lane = laneOf(session, 'pool', {
      what,
      setup,
      openMs: OPEN_MS + WARM_MS,
      cpus: cpus.slice(0, count),
    });
    const rate: number[] = [];
    for (let round = 0; round < CORE_ROUNDS; round++) {
      const slice = await lane.step({ ms: sliceMs }, sliceMs);
      if (slice !== undefined) rate.push(slice.rate);
    }
    await lane.close();
    if (rate.length > 0) found.push({ cores: count, threads: setting.setup.threads, rate });
  }
  session.draft.cores = found.length === 0 ? [] : [...found, ...all];
}

const START_THREADS = 4;
const MOST_STARTS = 6;
const START_MS = 300;

/** Each time in a process of its own: memory that threads gave back would not count again. */
export async function measureStart(session: FunctionSession, { module }: Subject): Promise<void> {
  const timeMs = session.begin('start', 'the start of threads', START_MS / 2);
  if (timeMs === undefined) return;
  const threads = Math.min(START_THREADS, session.draft.machine.availableThreads);
  const end = performance.now() + timeMs;
  const readyMs: number[] = [];
  const bytesPerThread: number[] = [];
  while (readyMs.length < MOST_STARTS && (readyMs.length === 0 || performance.now() < end)) {
    const probe = session.probe('start');
    const outcome = await probe.ask('open', { module, threads }, session.patience(START_MS));
    await session.end(probe);
    if (outcome.kind !== 'done') {
      if (outcome.kind !== 'aborted') session.skip('the start of threads', describeFailure(outcome));
      break;
    }
    readyMs.push(outcome.value.readyMs);
    bytesPerThread.push(outcome.value.bytesPerThread);
  }
  if (readyMs.length > 0) session.draft.start = { readyMs, bytesPerThread };
}
