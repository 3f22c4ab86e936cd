/** How the rate grows with the number of threads: where it stops growing, and which part of the work does not run in parallel. */
import { greatest, min } from 'd3-array';
import { FEWEST_ROUNDS, usableCores } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';
import { confidenceOfEach, estimate, middleOf, ratio } from '../../../experiment/statistics.js';
import type { Estimate } from '../../../experiment/statistics.js';
import type { PoolSamples, Samples } from './samples.js';

/** This share of the best rate is as good as the best: the rest is not worth the memory of more threads. */
const ENOUGH = 0.95;

/** The gain of a number of threads: how many times as many calls as without a pool. */
export type Gain = { readonly threads: number; readonly gain: Estimate };

/** The fewest of the fastest threads. Numbers with too few rounds stand back: by chance alone they may look best. Undefined: none was measured. */
export function fastest({ threads }: Pick<Samples, 'threads'>): PoolSamples | undefined {
  const enough = threads.filter(({ rate }) => rate.length >= FEWEST_ROUNDS);
  const ascending = (enough.length === 0 ? threads : enough).toSorted((a, b) => a.threads - b.threads);
  return greatest(ascending, ({ rate }) => middleOf(rate));
}

/** The gain of each number of threads. Their intervals hold all at once, so that the best may be picked. */
export function gainsOf({ threads, inline }: Samples): Gain[] {
  const confidence = confidenceOfEach(threads.length);
  return threads.flatMap((samples) => {
    const gain = ratio(samples.rate, inline.rate, confidence);
    return gain === undefined ? [] : [{ threads: samples.threads, gain }];
  });
}

/** The fewest threads that reach `ENOUGH` of the best rate. */
export function kneeOf({ threads }: Pick<Samples, 'threads'>, gains: readonly Gain[]): Gain | undefined {
  const most = fastest({ threads })?.rate ?? [];
  // Compared round by round, since what disturbs a round disturbs both.
  const enough = threads.filter(({ rate }) => (ratio(rate, most)?.value ?? 0) >= ENOUGH);
  const fewest = min(enough, (each) => each.threads);
  return gains.find((gain) => gain.threads === fewest);
}

/**
 * Fits G. M. Amdahl's law, speed-up(n) = 1 / (s + (1 - s) / n), to the rates of 1 to as many threads as cores, by least squares of 1 /
 * speed-up, which is linear in s. The error is 0 where one thread is compared with only one other number: see `isTested`.
 */
export function amdahlOf(samples: Samples) {
  const one = samples.threads.find(({ threads }) => threads === 1);
  const more = manyThreads(samples);
  if (one === undefined || more.length === 0) return undefined;
  const rounds = Math.min(one.rate.length, ...more.map(({ rate }) => rate.length));
  const fits = Array.from({ length: rounds }, (_, round) =>
    fit(more.map(({ threads: n, rate }) => ({ n, inverse: one.rate[round]! / rate[round]! }))),
  ).filter(({ serial, error }) => Number.isFinite(serial + error));
  if (fits.length < FEWEST_ROUNDS) return undefined;
  const { high, ...share } = estimate(fits.map(({ serial }) => serial))!;
  // Student's interval of a few rounds knows no bound; a share does.
  const serialShare = { ...share, high: Math.min(1, high) };
  return { serialShare, error: estimate(fits.map(({ error }) => error))!.value };
}

/** Whether there are enough numbers of threads for a fit to be able to fail. */
export function isTested(samples: Samples): boolean {
  return manyThreads(samples).length > 1;
}

function manyThreads(samples: Pick<Samples, 'threads' | 'machine'>): PoolSamples[] {
  const most = usableCores(samples.machine);
  return samples.threads.filter(({ threads: n, rate }) => n > 1 && n <= most && rate.length > 0);
}

function fit(points: readonly { n: number; inverse: number }[]): { serial: number; error: number } {
  let [above, below] = [0, 0];
  for (const { n, inverse } of points) {
    above += (inverse - 1 / n) * (1 - 1 / n);
    below += (1 - 1 / n) ** 2;
  }
  const serial = clamp(above / below, 0, 1);
  const squares = points.map(({ n, inverse }) => (inverse - (serial + (1 - serial) / n)) ** 2);
  return { serial, error: Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / points.length) };
}

/** The share of memory that may be used, and how many bytes a worker takes at least, both as the library reckons (docs/sizing.md). */
const USABLE = 0.75;
const WORKER_BYTES = 64 * 1024 * 1024;

/** How many threads memory has room for; undefined: not known. */
export function roomOf({ machine, start }: Samples) {
  const bytesEach = Math.max(middleOf(start?.bytesPerThread ?? []) ?? 0, WORKER_BYTES);
  if (machine.memoryBytes <= 0) return undefined;
  return { threads: Math.max(1, Math.floor((USABLE * machine.memoryBytes) / bytesEach)), bytesEach };
}

/** The samples of those numbers of threads that memory has room for; if it has room for none, the fewest threads. */
export function withRoom(samples: Samples): readonly PoolSamples[] {
  const room = roomOf(samples)?.threads ?? Number.POSITIVE_INFINITY;
  const most = Math.max(room, min(samples.threads, ({ threads }) => threads) ?? 0);
  return samples.threads.filter(({ threads }) => threads <= most);
}
