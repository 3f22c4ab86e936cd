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
  'crossings and the break-even': 18,
  'fewer cores': 6,
  'the start of threads': 4,
  'control after': 4,
} as const;

export type StepName = keyof typeof SHARES;
export const STEPS = Object.keys(SHARES) as readonly StepName[];

/** How many of the remaining milliseconds a step gets. @param steps the steps that share them */
export function shareOf(
  step: StepName,
  ms: number,
  steps: readonly StepName[] = STEPS.slice(STEPS.indexOf(step)),
): number {
  return (Math.max(0, ms) * SHARES[step]) / sum(steps, (name) => SHARES[name]);
}

/** The steps before the rounds get no more of a larger budget than of this one: the user waits for an answer. */
const MOST_FOR_FIRST_MS = 2 * FIRST_ANSWER_MS;

/** How many milliseconds a step gets at most, however early those before it ended: the steps after the rounds only explain the verdict. */
export function mostFor(step: StepName, budgetMs: number): number {
  if (step === 'rounds') return budgetMs;
  const isFirst = STEPS.indexOf(step) < STEPS.indexOf('rounds');
  return shareOf(step, isFirst ? Math.min(budgetMs, MOST_FOR_FIRST_MS) : budgetMs, STEPS);
}

/** A call gets at least this long to settle, or the whole budget if that is less. */
const LEAST_LIMIT_MS = 5000;

/** How many milliseconds a call may take before it counts as one that never settles. */
export function callLimitMs(budgetMs: number): number {
  return Math.min(budgetMs, Math.max(LEAST_LIMIT_MS, budgetMs / 4));
}

/** Up to this many threads every number is tried; beyond, only some. */
const ALL_UP_TO = 4;

/** The numbers of threads that are tried, up to the cores and beyond; the most that are allowed is one of them. */
export function threadCounts(cores: number, max: number) {
  const top = Math.min(cores, max);
  const upToCores: number[] = [];
  for (let n = 1; n < top; n = n < ALL_UP_TO ? n + 1 : Math.ceil(n * 1.4)) upToCores.push(n);
  const beyond = new Set([Math.ceil(1.5 * cores), 2 * cores].map((n) => Math.min(n, max)));
  return { upToCores: [...upToCores, top], beyond: [...beyond].filter((n) => n > cores) };
}

/** The numbers of cores that the matrix has: at most four, one and all among them. */
export function coreCounts(cores: number): number[] {
  if (cores <= 4) return Array.from({ length: cores }, (_, i) => i + 1);
  return [...new Set([1, 2, Math.ceil(cores / 2), cores])];
}

const SLICE_MS = { least: 50, most: 300 } as const;

/** How many milliseconds a slice lasts: a few more rounds than enough must fit into the time, and a call into a slice. */
export function slicesFor(timeMs: number, callMs: number, turns: number) {
  const ms = sliceFor({ ...SLICE_MS, ms: timeMs }, turns, ENOUGH_ROUNDS + 2, 0);
  // A little less than a call: else every other slice would have time for two.
  const shortest = 0.9 * callMs;
  return { ms: Math.max(ms, shortest), least: Math.max(SLICE_MS.least, shortest) };
}

/** The share of the time for the rounds that goes into warming up, until library and function are compiled. */
const WARM_SHARE = 0.3;
const WARM_MS = { least: 200, most: 1000 } as const;

export function warmMsFor(timeMs: number, settings: number): number {
  return clamp((WARM_SHARE * timeMs) / settings, WARM_MS.least, WARM_MS.most);
}

/** The share of the budget that the rounds always leave, for the second control run. */
const RESERVE = 0.06;

/** How many milliseconds more the rounds may take if the verdict needs them: the steps after them only explain it. */
export function latestEndMs(remainingMs: number, budgetMs: number): number {
  return Math.max(0, remainingMs - RESERVE * budgetMs);
}

/** A round is cold, with code not compiled yet, if its rate is below this share of the later rounds' median, and below all of them. */
const COLD = 0.8;

/** How many rounds at the beginning were cold, by the series with the most. */
export function coldRounds(series: readonly (readonly number[])[]): number {
  const firstWarm = (rates: readonly number[]): number =>
    rates.findIndex((rate, i) => {
      const later = rates.slice(i + 1).toSorted((a, b) => a - b);
      return later.length < 2 || rate >= later[0]! || rate >= COLD * later[later.length >> 1]!;
    });
  return Math.max(0, ...series.map(firstWarm));
}

/** Calls of at least this length are counted by parts, since few fit into a slice. Milliseconds. */
const LONG_MS = 1;
/** For calls of at least this length, the time to hand over the next one does not matter. Milliseconds. */
const VERY_LONG_MS = 20;

export function isLong(callMs: number): boolean {
  return callMs >= LONG_MS;
}

/** How many bytes of arguments and results may be outstanding: with more, the allocation of memory would be measured. */
const OUTSTANDING_BYTES = 8 * 2 ** 20;

/** How many calls are outstanding: enough to keep workers busy, but few long ones, since all must end before the next slice. */
export function outstandingFor(callMs: number, threads: number, bytes: number): number {
  if (callMs >= VERY_LONG_MS) return threads;
  if (isLong(callMs)) return 2 * threads;
  return clamp(Math.floor(OUTSTANDING_BYTES / Math.max(1, bytes)), 2 * threads, Math.max(64, 8 * threads));
}

/** About how many milliseconds of work a batch is, and how large it is at most. */
const BATCH_MS = 1;
const MAX_BATCH = 1024;
const MAX_BATCH_BYTES = 2 ** 20;

/** How many inputs go into a batch; undefined: calls are too long, or inputs too large, for one. */
export function batchSize(callMs: number, bytesIn: number): number | undefined {
  const size = Math.min(MAX_BATCH, Math.round(BATCH_MS / callMs), Math.floor(MAX_BATCH_BYTES / bytesIn));
  return size >= 4 ? size : undefined;
}

/** Takes `most` samples, one after the other, but begins none after the time, except for the first; ends at one that is undefined. */
export async function repeated<S>(most: number, timeMs: number, take: () => Promise<S | undefined>) {
  const samples: S[] = [];
  const end = performance.now() + timeMs;
  do {
    const sample = await take();
    if (sample === undefined) break;
    samples.push(sample);
  } while (samples.length < most && performance.now() < end);
  return samples;
}

/** How many times as long as the fastest input the slowest one must take for inputs to count as different. */
const EVEN = 2;
/** How many inputs are used at least, where they differ. */
const LEAST = 4;

/** The inputs of every slice: where their times differ, as many as run in one slice, evenly chosen by time. `ms` is undefined: not tried. */
export function chooseInputs(
  all: readonly { readonly input: unknown; readonly ms: number | undefined }[],
  sliceMs: number,
): unknown[] {
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

/** How many times the smallest size the largest must be for sizes to be measured. */
const DIFFERENT_SIZES = 1.5;
const MOST_SIZES = 6;

/** Indices of inputs of different sizes, smallest first; none where all are about as large. */
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
