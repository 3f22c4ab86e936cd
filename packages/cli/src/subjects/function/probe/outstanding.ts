/** Keeps a number of calls outstanding for a while, as a server does under load, and counts them. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describeError, errorLine } from '../../../run/work/described-error.js';

/** `turnsLoop`: whether the event loop gets turns in between: functions that settle without one would hold it up until the end. */
type Load = { outstanding: number; ms: number; turnsLoop?: boolean; call(): PromiseLike<unknown> };

export type Loaded = Awaited<ReturnType<typeof keepOutstanding>>;

/** For how many milliseconds calls may hold up the event loop before it gets a turn. */
export const HOLD_MS = 0.5;

export async function keepOutstanding({ outstanding, ms, turnsLoop = false, call }: Load) {
  const begin = performance.now();
  /** The time after which no further call is begun. */
  const end = begin + ms;
  const loaded = {
    begin,
    end,
    calls: 0,
    failed: 0,
    firstFailure: undefined as string | undefined,
    /** Calls per second, summed over the lanes, each until its own last call: exact where calls wait. Where they compute, `rateOf` is exact. */
    ratePerLane: 0,
    /** How many calls settled in time, plus, for each of the others, the share of its time before the end. */
    parts: 0,
  };
  let turned = begin;
  const lane = async (): Promise<void> => {
    let [own, now] = [0, performance.now()];
    // At least one call: on a busy machine the time may be over before it begins.
    do {
      own += 1;
      const issued = now;
      try {
        await call();
      } catch (error) {
        loaded.failed += 1;
        loaded.firstFailure ??= errorLine(describeError(error));
      }
      now = performance.now();
      loaded.parts += now <= end ? 1 : Math.max(0, (end - issued) / (now - issued));
      if (turnsLoop && now - turned > HOLD_MS) {
        turned = now;
        await turn();
        now = performance.now();
      }
    } while (now < end);
    loaded.calls += own;
    loaded.ratePerLane += (own * 1000) / (now - begin);
  };
  await Promise.all(Array.from({ length: outstanding }, lane));
  return { ...loaded, drained: performance.now() };
}

/** Calls per second until the last one ended: exact where calls compute, since the last ones have more of the machine. */
export function rateOf({ calls, begin, drained }: Loaded): number {
  return (calls * 1000) / (drained - begin);
}

/** Makes calls one by one until the time is over, at least one. Resolves to the milliseconds of each. @param give makes what a call gets */
export async function oneByOne(
  call: (given: unknown) => PromiseLike<unknown>,
  ms: number,
  give?: () => unknown,
) {
  const times: number[] = [];
  const end = performance.now() + ms;
  do {
    const given = give?.();
    const begin = performance.now();
    await call(given);
    times.push(performance.now() - begin);
  } while (performance.now() < end);
  return times;
}

/** Makes chunks of calls, at least one, each followed by a turn of the event loop. @param run makes `chunk` calls and returns their milliseconds */
export async function inChunks(chunk: number, ms: number, run: () => number) {
  const end = performance.now() + ms;
  let [calls, spent] = [0, 0];
  do {
    spent += run();
    calls += chunk;
    await turn();
  } while (performance.now() < end);
  return { calls, callMs: spent / calls };
}

/** Returns a function that cycles through `all`. */
export function inTurn<T>(all: readonly T[]): () => T {
  let next = 0;
  return () => {
    next = (next + 1) % all.length;
    return all[next]!;
  };
}

/** A piece is faster only if its rate exceeds the best before it by more than this factor. */
const FASTER = 1.05;
/** The warm-up ends after this many pieces in a row that were no faster. */
const STALE = 3;

/** @param piece runs for a moment and gives its rate; at least one is run, and none is begun after `mostMs` */
export async function warmUp(piece: () => Promise<number> | number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs;
  let [best, stale] = [0, 0];
  do {
    const rate = await piece();
    stale = rate > FASTER * best ? 0 : stale + 1;
    best = Math.max(best, rate);
  } while (stale < STALE && performance.now() < end);
}
