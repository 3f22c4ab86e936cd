/** The rules of every verdict, in the words that all subjects share. A constant that decides is here, unless it is about one subject only. */
import { groups } from 'd3-array';
import { counted, perCent } from '../format/figures.js';
import type { Machine } from './machine.js';
import type { Measured } from './session.js';
import type { Estimate } from './statistics.js';

/** A smaller gain does not pay for what threads cost: memory, and a program that is harder to follow. */
export const WORTH_IT = 1.1;
/** A gain that may be larger than this is not called a small one. */
export const SMALL = 1.25;
/** Nobody notices the difference if a ratio is between this and 2 minus this. */
export const AS_MANY = 0.995;
/** Two rounds agree by chance too often: of fewer than that nothing is certain. */
export const FEWEST_ROUNDS = 3;
/** How many rounds the interval of a median needs for 95 %: with fewer it is wide because they are few, and not because of noise. */
export const ENOUGH_ROUNDS = 6;

export const WHAT_WOULD_TELL = 'What would tell: a quieter machine, or more time (`--budget 3m`)';

export interface Verdict<A extends string = string> {
  readonly answer: A;
  /** The first line of a report: what to do, and the figure that decides. */
  readonly sentence: string;
  /** Whether the verdict is an estimate, and says so: the intervals or the CPU time have a direction, but neither is beyond doubt. */
  readonly isLikely?: true;
}

/** What the findings of every subject have: the input of every view. */
export interface Findings {
  readonly schemaVersion: 1;
  readonly verdict: Verdict;
  /** Why, most important first. */
  readonly reasons: readonly string[];
  /** What the reader must know before believing any of it. */
  readonly warnings: readonly string[];
  readonly samples: unknown;
}

/** The answer, if more rounds would only make its figures finer; undefined: there is a doubt. */
export function certainAnswer({ answer, isLikely }: Verdict): string | undefined {
  return answer === 'unknown' || isLikely ? undefined : answer;
}

/** Whether the gain surely pays. @param noise the share by which repeated runs of the same thing differ */
export function isWorthIt(gain: Estimate, noise = 0): boolean {
  return directionOf(gain, noise) === 1 && gain.value >= WORTH_IT;
}

/** Whether threads surely do not pay. @param most the largest gain that they can bring */
export function isSurelyNotWorthIt(most: number, noise = 0): boolean {
  return most < Math.max(1, WORTH_IT - noise);
}

/** 1: the ratio is surely above 1. -1: it is surely below 1. 0: neither is sure. */
export function directionOf(gain: Estimate | undefined, noise = 0): -1 | 0 | 1 {
  if (gain === undefined) return 0;
  if (gain.low > 1 + noise) return 1;
  return gain.high * (1 + noise) < 1 ? -1 : 0;
}

/** How many cores can compute at a time: a container may have a quota, or memory, for less than its cores. */
export function usableCores(of: Pick<Machine, 'cores' | 'availableThreads'>): number {
  return Math.max(1, Math.min(of.cores, of.availableThreads));
}

/** The most cores that may be usable: of a CPU quota only the whole ones are known. */
export function mostCores(of: Pick<Machine, 'cores' | 'availableThreads'>): number {
  return Math.min(of.cores, usableCores(of) + 1);
}

/** A larger share of the time of all cores cannot be the system's own services, which take 1 or 2 %. */
export const SYSTEM_SHARE = 0.1;

type Load = Pick<Machine, 'othersShare' | 'loadBefore' | 'cores'>;

export function isBusy({ othersShare, loadBefore, cores }: Load): boolean {
  return othersShare === undefined ? loadBefore > cores / 2 : othersShare > SYSTEM_SHARE;
}

/** The warning that the machine was busy; undefined: it was quiet. */
export function busyWarning(machine: Load): string | undefined {
  const { othersShare, loadBefore, cores } = machine;
  const busy =
    othersShare === undefined
      ? `on average ${loadBefore.toFixed(1)} threads wanted a core before anything was measured, and there ${cores === 1 ? 'is' : 'are'} ${counted(cores, 'core')}`
      : `they had ${perCent(othersShare)} of the cores while it was measured`;
  return isBusy(machine) ? `other programs were running: ${busy}` : undefined;
}

export function applying(sentences: readonly (string | false | undefined)[]): string[] {
  return sentences.filter((text) => typeof text === 'string');
}

export function leftOutWarnings({ skipped, isCutShort }: Omit<Measured, 'machine'>): string[] {
  return applying([
    isCutShort && 'not everything was measured: the time was over, or somebody ended the command',
    ...notMeasured(skipped),
  ]);
}

export function notMeasured(skipped: Measured['skipped']): string[] {
  const byReason = groups(skipped, ({ why }) => why);
  return byReason.map(([why, all]) => `${all.map(({ what }) => what).join(', ')}: not measured, ${why}`);
}
