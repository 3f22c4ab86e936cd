/** Keeps a number of calls outstanding for a while, as a server does under load, and counts them. */
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describeError, errorLine } from '../../../run/work/described-error.js';

interface Load {
  readonly outstanding: number;
  readonly ms: number;
  /** Functions that settle without a turn of the event loop would hold it up until the end. */
  readonly turnsLoop?: boolean;
  call(): PromiseLike<unknown>;
}

export type Loaded = Awaited<ReturnType<typeof keepOutstanding>>;

/** How long the event loop is held up before it gets a turn. Milliseconds. */
export const HOLD_MS = 0.5;

export async function keepOutstanding({ outstanding, ms, turnsLoop = false, call }: Load) {
  const begin = performance.now();
  /** When no more are begun. */
  const end = begin + ms;
  const loaded = {
    begin,
    end,
    calls: 0,
    failed: 0,
    firstFailure: undefined as string | undefined,
    /**
     * Calls per second, each that is outstanding for itself, until its last one has ended: exact where calls wait and do not hold up
     * one another. Where they do, all calls in the whole time is.
     */
    ratePerLane: 0,
    /** Calls that settled in time, and of each of the others the part of its time that lay before the end. */
    parts: 0,
  };
  let turned = begin;
  const lane = async (): Promise<void> => {
    let [own, now] = [0, performance.now()];
    // Once in any case: on a busy machine the time may be over before it begins.
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

/** Where calls compute, those that end last have more of the machine: all of them in all of the time. */
export function rateOf({ calls, begin, drained }: Loaded): number {
  return (calls * 1000) / (drained - begin);
}

/** How long each of the calls took that fit into the time, one after the other; at least one. */
export async function oneByOne(call: () => PromiseLike<unknown>, ms: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + ms;
  for (let begin = performance.now(); times.length === 0 || begin < end; begin = performance.now()) {
    await call();
    times.push(performance.now() - begin);
  }
  return times;
}

/**
 * Calls that hold up the event loop, some of them between two of its turns. Once in any case: on a busy machine the time may be over
 * before it begins.
 * @param run makes `chunk` calls, and gives how long they took
 */
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

/** One after the other, again and again. */
export function inTurn<T>(all: readonly T[]): () => T {
  let next = 0;
  return () => {
    next = (next + 1) % all.length;
    return all[next]!;
  };
}

/** One call that a collection of garbage delays says nothing of the others. */
export function middle(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1]!;
}

/** Faster by less is not faster. */
const FASTER = 1.05;
/** How many pieces in a row have to be no faster than the best before them. */
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
