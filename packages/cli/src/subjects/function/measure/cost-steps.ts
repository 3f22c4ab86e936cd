/** What does not need the user's function, but values as large as its own: what a crossing costs, and from where on it pays. */
import { Rounds, sliceFor } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { seriesOf } from '../../../experiment/statistics.js';
import type { EchoSetup } from '../probe/tasks.js';
import type { Subject } from './behaviour-step.js';
import { outstandingFor } from './schedule.js';
import { type Asks, type Draft, type FunctionSession, laneOf, type Slice } from './session.js';

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

export async function measureCrossings(
  session: FunctionSession,
  draft: Draft,
  pattern: Pattern,
): Promise<void> {
  const timeMs = session.begin('crossings', 'crossings', OPEN_MS / 2);
  if (timeMs === undefined) return;
  const options = { role: 'crossing', what: 'crossings', pattern, timeMs, least: 25, most: 150 } as const;
  const found = await inTurn(session, options, TRANSPORTS, (transport, ms) => ({ transport, ms }));
  draft.crossings = found.map(({ of, slices }) => ({
    transport: of,
    ...seriesOf(slices, 'cpuMs', 'loneMs'),
  }));
}

export async function measureSpins(session: FunctionSession, draft: Draft, pattern: Pattern): Promise<void> {
  const timeMs = session.begin('spins', 'the break-even', OPEN_MS);
  if (timeMs === undefined) return;
  const options = { role: 'spin', what: 'spins', pattern, timeMs, least: 20, most: 160 } as const;
  // Half of it on the calling thread, half in the pool.
  const found = await inTurn(session, options, SPINS_MS, (runMs, ms) => ({ runMs, ms: ms / 2 }));
  draft.spins = found.map(({ of, slices }) => ({ runMs: of, ...seriesOf(slices, 'inline', 'pool') }));
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
