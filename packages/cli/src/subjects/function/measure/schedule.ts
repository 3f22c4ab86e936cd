/** How the time is split, and which inputs are used: pure arithmetic. Steps that need less leave the rest to those that follow. */
import { sum } from 'd3-array';
import { FIRST_ANSWER_MS, sliceFor } from '../../../experiment/rounds.js';
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';

/** Shares of the budget, in the order of the steps, each named as the progress line names it. Most goes to what the verdict rests on. */
const SHARES = {
  behaviour: 10,
  'one call in a worker': 6,
  'warming up': 4,
  'control before': 4,
  rounds: 46,
  crossings: 7,
  'the break-even': 11,
  'fewer cores': 6,
  'the start of threads': 4,
  'control after': 4,
} as const;

export type StepName = keyof typeof SHARES;
export const STEPS = Object.keys(SHARES) as readonly StepName[];

/** What a step gets of what is left. @param steps that are still to come */
export function shareOf(
  step: StepName,
  ms: number,
  steps: readonly StepName[] = STEPS.slice(STEPS.indexOf(step)),
): number {
  return (Math.max(0, ms) * SHARES[step]) / sum(steps, (name) => SHARES[name]);
}

/** The steps before the rounds get no more of a larger budget: who waits wants an answer. */
const MOST_FOR_FIRST_MS = 2 * FIRST_ANSWER_MS;

/** What a step gets at most of a budget, however early the steps before it ended: what only explains the verdict ends some time, too. */
export function mostFor(step: StepName, budgetMs: number): number {
  if (step === 'rounds') return budgetMs;
  const isFirst = STEPS.indexOf(step) < STEPS.indexOf('rounds');
  return shareOf(step, isFirst ? Math.min(budgetMs, MOST_FOR_FIRST_MS) : budgetMs, STEPS);
}

/** Within a quarter of the budget a call settles, and in less than five seconds only where there is no more. */
const LEAST_LIMIT_MS = 5000;

/** After how long a call counts as one that never settles. */
export function callLimitMs(budgetMs: number): number {
  return Math.min(budgetMs, Math.max(LEAST_LIMIT_MS, budgetMs / 4));
}

/** Beyond that not every number is tried. */
const ALL_UP_TO = 4;

/** Numbers of threads, most important first: up to the cores, then beyond. */
export function threadCounts(cores: number, max: number): { upToCores: number[]; beyond: number[] } {
  const upToCores: number[] = [];
  for (let n = 1; n < cores; n = n < ALL_UP_TO ? n + 1 : Math.ceil(n * 1.4)) upToCores.push(n);
  const beyond = [...new Set([Math.ceil(1.5 * cores), 2 * cores])];
  const fits = (n: number): boolean => n <= max;
  return { upToCores: [...upToCores, cores].filter(fits), beyond: beyond.filter(fits) };
}

/** Settings of cores for the matrix: at most four, the fewest and the most among them. */
export function coreCounts(cores: number): number[] {
  if (cores <= 4) return Array.from({ length: cores }, (_, i) => i + 1);
  return [...new Set([1, 2, Math.ceil(cores / 2), cores])];
}

const SLICE_MS = { least: 50, most: 300 } as const;

interface RoundsInput {
  readonly timeMs: number;
  /** Of one call; slices of long ones take as long as they do. */
  readonly callMs: number;
  /** For a process with a pool to be ready and warm. */
  readonly openMs: number;
  /** How many settings must be measured, and how many more could be: most important first. */
  readonly needed: number;
  readonly wished: number;
}

/** As many settings as leave time for six rounds, then longer slices. */
export function planRounds({ timeMs, callMs, openMs, needed, wished }: RoundsInput) {
  const eachMs = openMs + ENOUGH_ROUNDS * costOf(SLICE_MS.least, callMs);
  const settings = clamp(Math.floor(timeMs / eachMs), needed, needed + wished);
  const sliceMs = sliceFor({ ms: timeMs - settings * openMs, ...SLICE_MS }, settings, ENOUGH_ROUNDS + 2, 0);
  // A little less than a call, or there would be two in every other slice.
  const shortest = 0.9 * callMs;
  return { settings, sliceMs: Math.max(sliceMs, shortest), leastMs: Math.max(SLICE_MS.least, shortest) };
}

/** The share of the time for the rounds that goes into what is not measured: a library and a function that are not compiled yet. */
const WARM_SHARE = 0.3;
const WARM_MS = { least: 200, most: 1000 } as const;

/** How long one of so many settings is warmed up, at most. */
export function warmMsFor(timeMs: number, settings: number): number {
  return clamp((WARM_SHARE * timeMs) / settings, WARM_MS.least, WARM_MS.most);
}

/** The share of the budget that is kept for what comes after the rounds at least: the second control run. */
const RESERVE = 0.06;

/**
 * Until when rounds may go on that the verdict rests on: what else there is to measure only explains it. `remainingMs`: of the budget.
 */
export function latestEndMs(remainingMs: number, budgetMs: number): number {
  return Math.max(0, remainingMs - RESERVE * budgetMs);
}

/** Slower than that share of what follows, and than all of it: the compiler was not done yet. */
const COLD = 0.8;

/** How many of the first rounds were still getting faster, of any of these series of rates. */
export function coldRounds(series: readonly (readonly number[])[]): number {
  const firstWarm = (rates: readonly number[]): number =>
    rates.findIndex((rate, i) => {
      const later = rates.slice(i + 1).toSorted((a, b) => a - b);
      return later.length < 2 || rate >= later[0]! || rate >= COLD * later[later.length >> 1]!;
    });
  return Math.max(0, ...series.map(firstWarm));
}

/** Beside a slice and what runs beyond its end: the hand-over between processes. Milliseconds. */
export const HAND_OVER_MS = 8;

export function costOf(sliceMs: number, callMs: number): number {
  return Math.max(sliceMs, callMs) + callMs + HAND_OVER_MS;
}

/** Calls of that length are counted by parts: few fit into a slice. Milliseconds. */
const LONG_MS = 1;
/** Handing over the next call is nothing beside one of that length. Milliseconds. */
const VERY_LONG_MS = 20;

export function isLong(callMs: number): boolean {
  return callMs >= LONG_MS;
}

/** Memory of arguments and results on their way: more would measure the allocation of memory. */
const OUTSTANDING_BYTES = 8 * 2 ** 20;

/** How many calls are outstanding: no worker waits for work; of long calls no more, since all have to end before the next slice. */
export function outstandingFor(callMs: number, threads: number, bytes: number): number {
  if (callMs >= VERY_LONG_MS) return threads;
  if (isLong(callMs)) return 2 * threads;
  return clamp(Math.floor(OUTSTANDING_BYTES / Math.max(1, bytes)), 2 * threads, Math.max(64, 8 * threads));
}

/** About how much one call brings a worker to do, and how large a message is at most. */
const BATCH_MS = 1;
const MAX_BATCH = 1024;
const MAX_BATCH_BYTES = 2 ** 20;

/** How many inputs go into one call; undefined: the calls are long enough, or too large. */
export function batchSize(callMs: number, bytesIn: number): number | undefined {
  const size = Math.min(MAX_BATCH, Math.round(BATCH_MS / callMs), Math.floor(MAX_BATCH_BYTES / bytesIn));
  return size >= 4 ? size : undefined;
}

export interface Measured {
  readonly input: unknown;
  /** Undefined: it was not tried. */
  readonly ms: number | undefined;
}

/** How many times as long as the fastest input the slowest one must take for inputs to count as different. */
const EVEN = 2;
/** How many inputs are used at least, where they differ. */
const LEAST = 4;

/**
 * A slice has to have the same mix of inputs as any other: where inputs differ in what they take, only as many are used as can all
 * run in one. They are chosen evenly from the quickest to the slowest.
 */
export function chooseInputs(all: readonly Measured[], sliceMs: number): unknown[] {
  const sorted = all.flatMap(({ input, ms }) => (ms === undefined ? [] : [{ input, ms }]));
  sorted.sort((a, b) => a.ms - b.ms);
  const isEven = sorted.length === 0 || sorted.at(-1)!.ms < EVEN * sorted[0]!.ms;
  const totalMs = sum(sorted, ({ ms }) => ms);
  if (isEven || totalMs <= sliceMs) return all.map(({ input }) => input);
  const count = Math.min(sorted.length, Math.max(LEAST, Math.floor((sliceMs * sorted.length) / totalMs)));
  const at = (i: number) => Math.floor(((i + 0.5) * sorted.length) / count);
  const chosen = Array.from({ length: count }, (_, i) => sorted[at(i)]!.input);
  // Quick ones and slow ones in turn, so that a part of them is a mix as well.
  const slow = chosen.splice(Math.ceil(count / 2)).reverse();
  return chosen.flatMap((quick, i) => [quick, ...slow.slice(i, i + 1)]);
}

/** Sizes differ enough to say something about their influence. */
const DIFFERENT_SIZES = 1.5;
const MOST_SIZES = 6;

/** Inputs of different sizes, smallest first, by their index; none where all are about as large. */
export function chooseSizes(bytes: readonly (number | undefined)[]): { index: number; bytes: number }[] {
  const different = [...new Set(bytes)].filter((size) => size !== undefined).sort((a, b) => a - b);
  const last = different.length - 1;
  if (last < 0 || different[last]! < DIFFERENT_SIZES * different[0]!) return [];
  const count = Math.min(MOST_SIZES, different.length);
  return Array.from({ length: count }, (_, i) => {
    const size = different[Math.round((i * last) / Math.max(1, count - 1))]!;
    return { index: bytes.indexOf(size), bytes: size };
  });
}
