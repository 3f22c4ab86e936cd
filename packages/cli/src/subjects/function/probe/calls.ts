/** Makes calls for a while, one after the other or many outstanding, on the calling thread or in a pool; counts and times them. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { cpuMs } from '../../../experiment/gauges.js';
import { evenly, middleOf } from '../../../experiment/statistics.js';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { outcomeOf } from './values.js';

export type Calls = ReturnType<typeof syncCalls>;

/** Reading the clock takes about 0.1 us, so shorter calls than this are timed many at a time. Milliseconds. */
const TIMED_ALONE_MS = 0.02;
/** How many single call times are kept of a run. */
const MAX_TIMES = 400;
const ONE_INPUT_MS = 5;

/** @param copies each call gets a copy of its input */
export function syncCalls(run: TaskFunction, inputs: readonly unknown[], copies: boolean) {
  const next = inTurn(inputs);
  const own = (input: unknown): unknown => (copies ? structuredClone(input) : input);
  /** How many calls are made between two turns of the event loop. */
  let chunk = 1;
  let callMs = 0;
  let usedCpuMs = 0;
  /** Makes the calls of a chunk. Returns how many milliseconds they took, without copying the inputs. */
  const timeChunk = (alone?: number[]): number => {
    const given = Array.from({ length: chunk }, () => own(next()));
    const cpu = cpuMs();
    const spent = timeAll(run, given, alone);
    usedCpuMs += cpuMs() - cpu;
    return spent;
  };
  const measured = async (ms: number) => {
    const times: number[] = [];
    const alone = callMs >= TIMED_ALONE_MS ? times : undefined;
    usedCpuMs = 0;
    const ran = await inChunks(chunk, ms, () => {
      const chunkMs = timeChunk(alone);
      if (alone === undefined) times.push(chunkMs / chunk);
      return chunkMs;
    });
    return { rate: 1000 / ran.callMs, cpuMs: usedCpuMs / ran.calls, callMs: evenly(times, MAX_TIMES) };
  };
  return {
    run: measured,
    /** Warms up for about `ms`. Resolves to how many milliseconds a call takes with no other outstanding. */
    async warm(ms: number) {
      const end = performance.now() + ms;
      do {
        const spent = timeChunk();
        callMs = spent / chunk;
        if (spent < HOLD_MS) chunk *= 2;
        else if (spent > 3 * HOLD_MS) chunk = Math.max(1, chunk >> 1);
        await turn();
      } while (performance.now() < end);
      // The last chunk says little about the other inputs where they differ.
      if (callMs < ms / 8) callMs = 1000 / (await measured(ms / 4)).rate;
      chunk = Math.max(1, Math.round(HOLD_MS / callMs));
      return callMs;
    },
    /** How many milliseconds a call takes with the input at this index. */
    async only(input: number) {
      const count = Math.min(chunk, Math.max(1, Math.round(ONE_INPUT_MS / Math.max(callMs, 1e-5))));
      const given = (): unknown[] => Array.from({ length: count }, () => own(inputs[input]));
      return (await inChunks(count, ONE_INPUT_MS, () => timeAll(run, given()))).callMs;
    },
  };
}

/** What calls return goes here, so that none of them is optimised away. */
const kept: unknown[] = new Array(8).fill(undefined);

/** @param times gets the time of each call; undefined: the clock is read only before and after all of them */
function timeAll(run: TaskFunction, given: readonly unknown[], times?: number[]): number {
  const begin = performance.now();
  let last = begin;
  for (let i = 0; i < given.length; i++) {
    kept[i & 7] = outcomeOf(run, given[i]);
    if (times === undefined) continue;
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return performance.now() - begin;
}

/** How many calls are outstanding at most: as many short calls as a pool of up to 8 threads gets. */
const MAX_OUTSTANDING = 64;
/** Twice as many outstanding calls are kept only if they raise the rate by at least this factor. */
const FASTER_AT_ONCE = 1.3;
/** Share of a slice in which calls are made one at a time. */
const ALONE_SHARE = 0.2;

/** @param copies each call gets a copy of its input */
export function asyncCalls(run: TaskFunction, inputs: readonly unknown[], copies: boolean): Calls {
  const next = inTurn(inputs);
  /** How many milliseconds were spent on copies, which are no part of a call. */
  let copyMs = 0;
  const own = (input: unknown): unknown => {
    const begin = performance.now();
    const given: unknown = copies ? structuredClone(input) : input;
    if (copies) copyMs += performance.now() - begin;
    return given;
  };
  const call = async (input: unknown): Promise<unknown> => run(input);
  const settled = (input: unknown): Promise<unknown> => call(input).catch(() => {});
  const alone = (ms: number) => oneByOne(settled, ms, () => own(next()));
  const load = (ms: number, count: number) =>
    keepOutstanding({ outstanding: count, ms, turnsLoop: true, call: () => call(own(next())) });
  let outstanding = 8;
  let waits = false;
  return {
    /** Doubles the outstanding calls while that raises the rate: calls that compute would only wait for one another. */
    async warm(ms) {
      const end = performance.now() + ms;
      // The median: a call that garbage collection delays says nothing about the others.
      const callMs = middleOf(await alone(ms / 8))!;
      let rate = rateOf(await load(ms / 8, outstanding));
      while (outstanding < MAX_OUTSTANDING && performance.now() < end) {
        const more = rateOf(await load(ms / 8, 2 * outstanding));
        if (more < FASTER_AT_ONCE * rate) break;
        outstanding *= 2;
        rate = more;
      }
      // By Little's law, rate x time is the number of calls in progress if each is as fast as a lone one. If most are, calls wait.
      waits = callMs >= 1 && (rate * callMs) / 1000 > outstanding / 2;
      // Calls that wait, or are short, lose nothing with as many outstanding as a pool would get.
      if (callMs < 1 || waits) outstanding = MAX_OUTSTANDING;
      return callMs;
    },
    async run(ms) {
      const cpu = cpuMs();
      copyMs = 0;
      const loaded = await load(ms * (1 - ALONE_SHARE), outstanding);
      const used = Math.max(0, cpuMs() - cpu - copyMs);
      const rate = waits ? loaded.ratePerLane : rateOf({ ...loaded, drained: loaded.drained - copyMs });
      const times = await alone(ms * ALONE_SHARE);
      return { rate, cpuMs: used / loaded.calls, callMs: evenly(times, MAX_TIMES) };
    },
    only: async (input) => (await oneByOne(settled, 0, () => own(inputs[input])))[0]!,
  };
}

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
