/** What keeps more threads from doing more: one rule for each thing, each with its figures. */
import { isBusy, usableCores } from '../../../experiment/rules.js';
import { middleOf as middle } from '../../../experiment/statistics.js';
import { bytes, counted, part, perCent } from '../../../format/figures.js';
import { computesLessThan, computingShare } from './busy.js';
import type { Limit } from './findings.js';
import type { PoolSamples, Samples } from './samples.js';
import { type AmdahlFit, fastest, isTested, roomOf } from './scaling.js';

interface Facts {
  readonly samples: Samples;
  readonly best: PoolSamples;
  readonly amdahl: AmdahlFit | undefined;
  /** CPU time that a call costs beside running; 0: not known. */
  readonly crossingMs: number;
}

type Rule = (facts: Facts) => Limit | undefined;

/** Of its time the calling thread is busy: it cannot hand over more. */
const MAIN_BUSY = 0.9;
/** As much of the time goes into collecting garbage, or of the CPU time into handing over. */
const GARBAGE = 0.2;
const CROSSING = 0.2;
/** The CPU time of the same work grows by that much when all cores do it: they wait for the same memory. */
const INFLATED = 1.4;
/** A serial part below that is not worth a word, and a fit that is off by more says nothing. */
const SERIAL = 0.1;
const FITS = 0.08;
/** Of its running time a call that computes for less waits for something. */
const COMPUTES = 0.5;

export function limitsOf(samples: Samples, amdahl: AmdahlFit | undefined): readonly Limit[] {
  const best = fastest(samples);
  if (best === undefined) return [];
  const facts = { samples, best, amdahl, crossingMs: crossingOf(samples) };
  const found = RULES.flatMap((rule) => rule(facts) ?? []);
  if (found.some(({ name }) => EXPLAINS.has(name))) return found;
  const other = serialPart(facts) ?? (found.length === 0 ? coresOf(facts) : undefined);
  return other === undefined ? found : [...found, other];
}

/** Where it was not measured by itself: what one thread takes beyond the calling thread, beside which nothing else ran. */
function crossingOf({ crossings, threads, inline }: Samples): number {
  const costs = crossings.flatMap(({ cpuMs }) => middle(cpuMs) ?? []);
  if (costs.length > 0) return Math.min(...costs);
  const one = middle(threads.find((of) => of.threads === 1)?.cpuMs ?? []);
  return Math.max(0, (one ?? 0) - (middle(inline.cpuMs) ?? 0));
}

/** Of these each makes a curve that looks like one with a serial part. */
const EXPLAINS: ReadonlySet<string> = new Set(['waiting', 'main-thread', 'memory-bandwidth', 'crossing']);

/** The most important first. */
const RULES: readonly Rule[] = [
  ({ samples }) => {
    const share = computingShare(samples);
    if (share === undefined || !computesLessThan(COMPUTES, samples)) return undefined;
    return {
      name: 'waiting',
      why: `a call computes for ${part(share.value)} of its time, and waits for the rest`,
    };
  },
  ({ best }) => {
    const busy = middle(best.mainUtilization);
    if (busy === undefined || busy < MAIN_BUSY) return undefined;
    const workers = middle(best.busyShare);
    const rest = workers === undefined ? '' : `; the workers run tasks for ${perCent(workers)} of theirs`;
    return { name: 'main-thread', why: `the calling thread is busy for ${perCent(busy)} of the time${rest}` };
  },
  ({ samples: { inline } }) => {
    const share = middle(inline.garbageShare);
    if (share === undefined || share < GARBAGE) return undefined;
    return { name: 'garbage-collection', why: `${perCent(share)} of the time goes into collecting garbage` };
  },
  (facts) => {
    const inflation = inflationOf(facts);
    // Where handing over is a good part of a call, the workers' looking for the next one is, too.
    if (inflation === undefined || inflation < INFLATED || crossingShare(facts) >= CROSSING) return undefined;
    const why = `the same call takes ${inflation.toFixed(1)} times as much CPU time when ${counted(allOf(facts).threads, 'thread')} run it: they wait for the same memory, or are two threads of one core`;
    return { name: 'memory-bandwidth', why };
  },
  (facts) => {
    const share = crossingShare(facts);
    if (share < CROSSING) return undefined;
    const { bytesIn, bytesOut } = facts.samples.inline;
    const size =
      bytesIn && bytesOut ? ` (${bytes(bytesIn.mean)} there, and ${bytes(bytesOut.mean)} back)` : '';
    return {
      name: 'crossing',
      why: `${perCent(share)} of the CPU time of a call goes into handing it over${size}`,
    };
  },
  ({ samples }) => {
    const room = roomOf(samples);
    if (room === undefined || room.threads >= samples.machine.cores) return undefined;
    const why = `the memory has room for ${counted(room.threads, 'thread')} of ${bytes(room.bytesEach)} each: ${bytes(samples.machine.memoryBytes)} is what there is`;
    return { name: 'memory', why };
  },
];

function serialPart({ samples, amdahl, best }: Facts): Limit | undefined {
  if (amdahl === undefined || amdahl.error > FITS || amdahl.serialShare.low < SERIAL) return undefined;
  // Two numbers of threads fit any share: other programs that take a core would pass for one.
  if (!isTested(samples) && isBusy(samples.machine)) return undefined;
  const { value } = amdahl.serialShare;
  // What was measured to be faster is no more held up by it.
  const one = samples.threads.find(({ threads }) => threads === 1);
  if ((middle(best.rate) ?? 0) * value > (middle(one?.rate ?? []) ?? 0)) return undefined;
  const most = (1 / value).toFixed(1);
  const why = `${perCent(value)} of the work does not run in parallel: no number of threads makes it more than ${most} times as fast`;
  return { name: 'serial-part', why };
}

function coresOf({ samples, best }: Facts): Limit {
  const { cores, availableThreads } = samples.machine;
  if (cores === 1) return { name: 'cores', why: 'there is one core, and threads take turns on it' };
  if (best.threads < usableCores(samples.machine)) {
    const isBeyond = samples.threads.some(({ threads, rate }) => threads > best.threads && rate.length > 0);
    const more = `more than ${counted(best.threads, 'thread')}`;
    const why = isBeyond
      ? `${more} did not do more, and nothing that was measured says why`
      : `${more} were not measured`;
    return { name: 'none', why };
  }
  const why =
    availableThreads < cores
      ? `of the ${cores} cores, a quota leaves the time of ${availableThreads}`
      : `there are ${cores} cores: so many calls can compute at a time`;
  return { name: 'cores', why };
}

/** As many threads as cores; where these were not measured, the fastest number. */
function allOf({ samples, best }: Facts): PoolSamples {
  return samples.threads.find(({ threads }) => threads === usableCores(samples.machine)) ?? best;
}

/** CPU time of a call when all cores run it, over that on one thread; without handing it over. */
function inflationOf(facts: Facts): number | undefined {
  const { samples, crossingMs } = facts;
  const { inline, threads } = samples;
  const all = allOf(facts);
  const one = middle(threads.find((samples) => samples.threads === 1)?.cpuMs ?? []);
  const alone = one === undefined ? middle(inline.cpuMs) : one - crossingMs;
  const together = middle(all.cpuMs);
  if (alone === undefined || together === undefined || alone <= 0) return undefined;
  const inflation = (together - crossingMs) / alone;
  return Number.isFinite(inflation) ? inflation : undefined;
}

/** Never more than the pool takes beyond the call itself: crossings are measured at another time, perhaps on busier cores. */
function crossingShare({ crossingMs, best, samples }: Facts): number {
  const whole = middle(best.cpuMs);
  if (whole === undefined || whole <= 0) return 0;
  const beside = Math.max(0, whole - (middle(samples.inline.cpuMs) ?? 0));
  return Math.min(crossingMs, beside) / whole;
}
