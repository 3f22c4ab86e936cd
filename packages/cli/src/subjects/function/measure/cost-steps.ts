/** What does not need the user's function, but values as large as its own: what a crossing costs, and from where on it pays. */
import { clamp } from '../../../experiment/session.js';
import type { EchoSetup } from '../probe/tasks.js';
import type { Subject } from './behaviour-step.js';
import { outstandingFor } from './schedule.js';
import { type Draft, type FunctionSession, laneOf, type ProbeLane } from './session.js';

const TRANSPORTS = ['shared', 'message'] as const;
/** Milliseconds, a decade in two steps: where it pays is found between them. */
const SPINS_MS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1] as const;
/** For a process with its pools to be ready. Milliseconds. */
const OPEN_MS = 300;
/** After the first round all lengths and transports have been seen by the compiler: it is left out. */
const COLD_ROUNDS = 1;
const MOST_ROUNDS = 7;

/** Of the time of a step, so much goes into making its code warm. */
const WARM_SHARE = 0.3;

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
  const found = TRANSPORTS.map((transport) => ({ transport, cpuMs: [] as number[], loneMs: [] as number[] }));
  const timeMs = session.begin('crossings', 'crossings', OPEN_MS / 2);
  if (timeMs === undefined) return;
  const slice = { slices: found.length, least: 25, most: 150 };
  await inTurn(session, 'crossing', 'crossings', { timeMs, pattern, slice }, async (lane, ms, isCold) => {
    for (const { transport, cpuMs, loneMs } of found) {
      const measured = await lane.step({ transport, ms }, ms);
      if (measured === undefined) return false;
      if (isCold) continue;
      cpuMs.push(measured.cpuMs);
      loneMs.push(measured.loneMs);
    }
    return true;
  });
  // Without those that there was no time for.
  draft.crossings = found.filter(({ cpuMs }) => cpuMs.length > 0);
}

export async function measureSpins(session: FunctionSession, draft: Draft, pattern: Pattern): Promise<void> {
  const found = SPINS_MS.map((runMs) => ({ runMs, inline: [] as number[], pool: [] as number[] }));
  const timeMs = session.begin('spins', 'the break-even', OPEN_MS);
  if (timeMs === undefined) return;
  const slice = { slices: 2 * found.length, least: 10, most: 80 };
  await inTurn(session, 'spin', 'spins', { timeMs, pattern, slice }, async (lane, ms, isCold) => {
    for (const { runMs, inline, pool } of found) {
      const measured = await lane.step({ runMs, ms }, 2 * ms);
      if (measured === undefined) return false;
      if (isCold) continue;
      inline.push(measured.inline);
      pool.push(measured.pool);
    }
    return true;
  });
  draft.spins = found.filter(({ inline }) => inline.length > 0);
}

interface Turns {
  readonly timeMs: number;
  readonly pattern: Pattern;
  /** How many slices a round has, and how long each is. */
  readonly slice: { readonly slices: number; readonly least: number; readonly most: number };
}

/** Rounds until the time is over, or one could not be finished. */
async function inTurn<R extends 'crossing' | 'spin'>(
  session: FunctionSession,
  role: R,
  what: string,
  { timeMs, pattern, slice }: Turns,
  round: (lane: ProbeLane<R>, ms: number, isCold: boolean) => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + timeMs;
  const warmMs = WARM_SHARE * timeMs;
  const lane = laneOf(session, role, { what, setup: { ...pattern, warmMs }, openMs: OPEN_MS + warmMs });
  await lane.open();
  // So that a cold round and six others fit.
  const each = (end - performance.now()) / (COLD_ROUNDS + 6) / slice.slices;
  const ms = clamp(each, slice.least, slice.most);
  let roundMs = 0;
  for (let i = 0; !lane.isDead && i < COLD_ROUNDS + MOST_ROUNDS; i++) {
    const begin = performance.now();
    // One that counts, in any case.
    if (i > COLD_ROUNDS && begin + roundMs > end) break;
    if (!(await round(lane, ms, i < COLD_ROUNDS))) break;
    roundMs = performance.now() - begin;
  }
  await lane.close();
}
