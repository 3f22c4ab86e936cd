/** What does not need the user's function, but values as large as its own: what a crossing costs, and from where on it pays. */
import type { CrossingSamples, SpinSamples } from '../rules/samples.js';
import { describeFailure, type Outcome } from '../../../experiment/child/ask.js';
import type { Subject } from './behaviour-step.js';
import type { Draft } from './draft.js';
import type { EchoSetup } from '../probe/protocol.js';
import { clamp, outstandingFor } from './schedule.js';
import type { Session } from '../../../experiment/session.js';

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

export async function measureCrossings(session: Session, draft: Draft, pattern: Pattern): Promise<void> {
  const timeMs = session.begin('crossings', 'crossings', OPEN_MS / 2);
  if (timeMs === undefined) return;
  const probe = session.start('crossing');
  const found: (CrossingSamples & { cpuMs: number[]; loneMs: number[] })[] = TRANSPORTS.map((transport) => ({
    transport,
    cpuMs: [],
    loneMs: [],
  }));
  const begun = performance.now();
  const warmMs = WARM_SHARE * timeMs;
  const opened = await probe.open({ ...pattern, warmMs }, session.patience(OPEN_MS + warmMs));
  const restMs = timeMs - (performance.now() - begun);
  const ms = sliceOf(restMs, found.length, 25, 150);
  await inTurn(session, restMs, 'crossings', opened, async (isCold) => {
    for (const { transport, cpuMs, loneMs } of found) {
      const slice = await probe.step({ transport, ms }, session.patience(ms));
      if (slice.kind !== 'done') return slice;
      if (isCold) continue;
      cpuMs.push(slice.value.cpuMs);
      loneMs.push(slice.value.loneMs);
    }
    return undefined;
  });
  await session.end(probe);
  draft.crossings = withValues(found, ({ cpuMs }) => cpuMs);
}

export async function measureSpins(session: Session, draft: Draft, pattern: Pattern): Promise<void> {
  const timeMs = session.begin('spins', 'the break-even', OPEN_MS);
  if (timeMs === undefined) return;
  const probe = session.start('spin');
  const found: (SpinSamples & { inline: number[]; pool: number[] })[] = SPINS_MS.map((runMs) => ({
    runMs,
    inline: [],
    pool: [],
  }));
  const begun = performance.now();
  const warmMs = WARM_SHARE * timeMs;
  const opened = await probe.open({ ...pattern, warmMs }, session.patience(OPEN_MS + warmMs));
  const restMs = timeMs - (performance.now() - begun);
  const ms = sliceOf(restMs, 2 * found.length, 10, 80);
  await inTurn(session, restMs, 'spins', opened, async (isCold) => {
    for (const { runMs, inline, pool } of found) {
      const slice = await probe.step({ runMs, ms }, session.patience(2 * ms));
      if (slice.kind !== 'done') return slice;
      if (isCold) continue;
      inline.push(slice.value.inline);
      pool.push(slice.value.pool);
    }
    return undefined;
  });
  await session.end(probe);
  draft.spins = withValues(found, ({ inline }) => inline);
}

/** So that a cold round and six others fit. */
function sliceOf(timeMs: number, slices: number, least: number, most: number): number {
  return clamp(timeMs / (COLD_ROUNDS + 6) / slices, least, most);
}

type Stopped = Exclude<Outcome<unknown>, { kind: 'done' }>;

/** Rounds until the time is over. */
async function inTurn(
  session: Session,
  timeMs: number,
  what: string,
  opened: Outcome<unknown>,
  round: (isCold: boolean) => Promise<Stopped | undefined>,
): Promise<void> {
  let stopped = opened.kind === 'done' ? undefined : opened;
  const end = performance.now() + timeMs;
  let roundMs = 0;
  for (let i = 0; stopped === undefined && i < COLD_ROUNDS + MOST_ROUNDS; i++) {
    const begin = performance.now();
    // One that counts, in any case.
    if (i > COLD_ROUNDS && begin + roundMs > end) break;
    stopped = await round(i < COLD_ROUNDS);
    roundMs = performance.now() - begin;
  }
  if (stopped !== undefined && stopped.kind !== 'aborted') session.skip(what, describeFailure(stopped));
}

/** Without those that there was no time for. */
function withValues<T>(found: readonly T[], seriesOf: (each: T) => readonly number[]): T[] {
  return found.filter((each) => seriesOf(each).length > 0);
}
