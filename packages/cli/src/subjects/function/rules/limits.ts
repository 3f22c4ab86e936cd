/** What keeps more threads from doing more: one rule for each thing, each with its figures. */
import { isBusy, usableCores } from '../../../experiment/rules.js';
import { middleOf as middle, type Series } from '../../../experiment/statistics.js';
import { bytes, counted, part, perCent } from '../../../format/figures.js';
import { cheapestOf, computesLessThan, computingShare } from './busy.js';
import type { Limit, LimitName } from './findings.js';
import type { PoolSamples, Samples } from './samples.js';
import { type AmdahlFit, fastest, isTested, roomOf } from './scaling.js';

interface Facts {
  readonly samples: Samples;
  readonly best: PoolSamples;
  readonly amdahl: AmdahlFit | undefined;
  /** CPU time that a call costs beside running; 0: not known. */
  readonly crossingMs: number;
}

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
  const found = LIMITS.flatMap(([name, whyOf]) => {
    const why = whyOf(facts);
    return why === undefined ? [] : [{ name, why }];
  });
  if (found.some(({ name }) => EXPLAINS.has(name))) return found;
  const other = serialPart(facts) ?? (found.length === 0 ? coresOf(facts) : undefined);
  return other === undefined ? found : [...found, other];
}

function onOneThread({ threads }: Samples): Series {
  return threads.find((of) => of.threads === 1)?.cpuMs ?? [];
}

/** Where it was not measured by itself: what one thread takes beyond the calling thread, beside which nothing else ran. */
function crossingOf(samples: Samples): number {
  const beyond = (middle(onOneThread(samples)) ?? 0) - (middle(samples.inline.cpuMs) ?? 0);
  return cheapestOf(samples.crossings) ?? Math.max(0, beyond);
}

/** Of these each makes a curve that looks like one with a serial part. */
const EXPLAINS: ReadonlySet<LimitName> = new Set(['waiting', 'main-thread', 'memory-bandwidth', 'crossing']);

/** Why each of them holds, the most important first. */
const LIMITS: readonly (readonly [name: LimitName, whyOf: (facts: Facts) => string | undefined])[] = [
  ['waiting', waiting],
  ['main-thread', mainThread],
  ['garbage-collection', garbageCollection],
  ['memory-bandwidth', memoryBandwidth],
  ['crossing', crossing],
  ['memory', memory],
];

function waiting({ samples }: Facts): string | undefined {
  const share = computingShare(samples);
  if (share === undefined || !computesLessThan(COMPUTES, samples)) return undefined;
  return `a call computes for ${part(share.value)} of its time, and waits for the rest`;
}

function mainThread({ best }: Facts): string | undefined {
  const busy = middle(best.mainUtilization);
  if (busy === undefined || busy < MAIN_BUSY) return undefined;
  const workers = middle(best.busyShare);
  const rest = workers === undefined ? '' : `; the workers run tasks for ${perCent(workers)} of theirs`;
  return `the calling thread is busy for ${perCent(busy)} of the time${rest}`;
}

function garbageCollection({ samples }: Facts): string | undefined {
  const share = middle(samples.inline.garbageShare);
  if (share === undefined || share < GARBAGE) return undefined;
  return `${perCent(share)} of the time goes into collecting garbage`;
}

/** By the CPU time of a call when all cores run it, over that on one thread; without handing it over. */
function memoryBandwidth(facts: Facts): string | undefined {
  const { samples, best, crossingMs } = facts;
  // As many threads as cores; where these were not measured, the fastest number.
  const all = samples.threads.find(({ threads }) => threads === usableCores(samples.machine)) ?? best;
  const one = middle(onOneThread(samples));
  const alone = one === undefined ? middle(samples.inline.cpuMs) : one - crossingMs;
  const together = middle(all.cpuMs);
  if (alone === undefined || together === undefined || alone <= 0) return undefined;
  const inflation = (together - crossingMs) / alone;
  // Where handing over is a good part of a call, the workers' looking for the next one is, too.
  if (!Number.isFinite(inflation) || inflation < INFLATED || crossingShare(facts) >= CROSSING)
    return undefined;
  return `the same call takes ${inflation.toFixed(1)} times as much CPU time when ${counted(all.threads, 'thread')} run it: they wait for the same memory, or are two threads of one core`;
}

function crossing(facts: Facts): string | undefined {
  const share = crossingShare(facts);
  if (share < CROSSING) return undefined;
  const { bytesIn, bytesOut } = facts.samples.inline;
  const size = bytesIn && bytesOut ? ` (${bytes(bytesIn.mean)} there, and ${bytes(bytesOut.mean)} back)` : '';
  return `${perCent(share)} of the CPU time of a call goes into handing it over${size}`;
}

/** Never more than the pool takes beyond the call itself: crossings are measured at another time, perhaps on busier cores. */
function crossingShare({ crossingMs, best, samples }: Facts): number {
  const whole = middle(best.cpuMs);
  if (whole === undefined || whole <= 0) return 0;
  const beside = Math.max(0, whole - (middle(samples.inline.cpuMs) ?? 0));
  return Math.min(crossingMs, beside) / whole;
}

function memory({ samples }: Facts): string | undefined {
  const room = roomOf(samples);
  if (room === undefined || room.threads >= samples.machine.cores) return undefined;
  return `the memory has room for ${counted(room.threads, 'thread')} of ${bytes(room.bytesEach)} each: ${bytes(samples.machine.memoryBytes)} is what there is`;
}

function serialPart({ samples, amdahl, best }: Facts): Limit | undefined {
  if (amdahl === undefined || amdahl.error > FITS || amdahl.serialShare.low < SERIAL) return undefined;
  // Two numbers of threads fit any share: other programs that take a core would pass for one.
  if (!isTested(samples) && isBusy(samples.machine)) return undefined;
  const { value } = amdahl.serialShare;
  // What was measured to be faster is no more held up by it.
  const one = samples.threads.find(({ threads }) => threads === 1)?.rate ?? [];
  if ((middle(best.rate) ?? 0) * value > (middle(one) ?? 0)) return undefined;
  const most = (1 / value).toFixed(1);
  const why = `${perCent(value)} of the work does not run in parallel: no number of threads makes it more than ${most} times as fast`;
  return { name: 'serial-part', why };
}

function coresOf({ samples, best }: Facts): Limit {
  const { cores, availableThreads } = samples.machine;
  if (cores === 1) return { name: 'cores', why: 'there is one core, and threads take turns on it' };
  if (best.threads < usableCores(samples.machine)) {
    const isBeyond = samples.threads.some(({ threads, rate }) => threads > best.threads && rate.length > 0);
    const rest = isBeyond ? 'did not do more, and nothing that was measured says why' : 'were not measured';
    return { name: 'none', why: `more than ${counted(best.threads, 'thread')} ${rest}` };
  }
  const why =
    availableThreads < cores
      ? `of the ${cores} cores, a quota leaves the time of ${availableThreads}`
      : `there are ${cores} cores: so many calls can compute at a time`;
  return { name: 'cores', why };
}
