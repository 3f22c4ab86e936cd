/** The limits that keep more threads from doing more: when each applies, and the sentence with its figures. */
import { middleOf as middle } from '../../../experiment/statistics.js';
import { bytes, counted, part, perCent } from '../../../format/figures.js';
import type { Facts } from './facts.js';
import type { PoolSamples } from './samples.js';
import { isTested, roomOf } from './scaling.js';

/** Above this share of its time the calling thread cannot hand over more. */
const MAIN_BUSY = 0.9;
/** From these shares on, garbage collection (of the time) and handing over (of the CPU time) are limits. */
const GARBAGE = 0.2;
const CROSSING = 0.2;
/** Cores wait for the same memory if the CPU time of a call grows by this factor when all of them run it. */
const INFLATED = 1.4;
/** A smaller serial part is not mentioned, and a fit with a larger error says nothing. */
const SERIAL = 0.1;
const FITS = 0.08;

/** `why`: one sentence, with its figures. */
export type Limit = {
  readonly name: keyof ReturnType<typeof measuredLimits> | 'serial-part' | 'cores' | 'none';
  readonly why: string;
};

/** Each of these makes a curve that looks like one with a serial part. */
const EXPLAINS: readonly Limit['name'][] = ['waiting', 'main-thread', 'memory-bandwidth', 'crossing'];

/** The most important first; none where too few rounds were complete. */
export function limitsOf(facts: Facts): readonly Limit[] {
  const { fast, hasEnough } = facts;
  if (fast === undefined || !hasEnough) return [];
  const found = Object.entries(measuredLimits(facts, fast)).flatMap(([name, why]) =>
    why ? [{ name, why } as Limit] : [],
  );
  if (found.some(({ name }) => EXPLAINS.includes(name))) return found;
  const other = serialPart(facts, fast) ?? (found.length === 0 ? coresOf(facts, fast) : undefined);
  return other === undefined ? found : [...found, other];
}

/** For each limit why it applies, or nothing if it does not. */
function measuredLimits({ samples, cores, computing, mostlyWaits, crossingMs }: Facts, fast: PoolSamples) {
  const { inline, machine, threads } = samples;
  const { bytesIn, bytesOut } = inline;
  const busy = middle(fast.mainUtilization) ?? 0;
  const workers = middle(fast.busyShare);
  const garbage = middle(inline.garbageShare) ?? 0;
  const room = roomOf(samples);
  const alone = middle(inline.cpuMs);
  const one = middle(threads.find((of) => of.threads === 1)?.cpuMs ?? []);
  const whole = middle(fast.cpuMs) ?? 0;
  // If crossings were not measured, their cost is the CPU time of a call with one thread, less that on the calling thread.
  const handingMs = crossingMs ?? Math.max(0, (one ?? 0) - (alone ?? 0));
  // Never more than the pool takes beyond the call itself: crossings are measured at another time, perhaps on busier cores.
  const beside = Math.min(handingMs, Math.max(0, whole - (alone ?? 0)));
  const crossing = whole > 0 ? beside / whole : 0;
  const size = bytesIn && bytesOut ? ` (${bytes(bytesIn.mean)} there, and ${bytes(bytesOut.mean)} back)` : '';
  // The pool with as many threads as cores; where that was not measured, the fastest pool.
  const all = threads.find((of) => of.threads === cores) ?? fast;
  // CPU time of a call when all cores run it, over that on one thread; without handing it over.
  const ownMs = (one === undefined ? alone : one - handingMs) ?? 0;
  const inflation = ownMs > 0 ? ((middle(all.cpuMs) ?? Number.NaN) - handingMs) / ownMs : 0;
  // Where handing over is a large part of a call, the workers' search for the next call is, too, and adds CPU time.
  const isInflated = Number.isFinite(inflation) && inflation >= INFLATED && crossing < CROSSING;
  return {
    waiting:
      mostlyWaits &&
      computing &&
      `a call computes for ${part(computing.value)} of its time, and waits for the rest`,
    'main-thread':
      busy >= MAIN_BUSY &&
      `the calling thread is busy for ${perCent(busy)} of the time${workers === undefined ? '' : `; the workers run tasks for ${perCent(workers)} of theirs`}`,
    'garbage-collection':
      garbage >= GARBAGE && `${perCent(garbage)} of the time goes into collecting garbage`,
    'memory-bandwidth':
      isInflated &&
      `the same call takes ${inflation.toFixed(1)} times as much CPU time when ${counted(all.threads, 'thread')} run it: they wait for the same memory, or are two threads of one core`,
    crossing:
      crossing >= CROSSING && `${part(crossing)} of the CPU time of a call goes into handing it over${size}`,
    memory:
      room !== undefined &&
      // Where a quota leaves fewer cores than that, it is the quota that limits.
      room.threads <= cores &&
      room.threads < machine.cores &&
      `the memory has room for ${counted(room.threads, 'thread')} of ${bytes(room.bytesEach)} each: there is ${bytes(machine.memoryBytes)}`,
  };
}

function serialPart({ samples, fit, isBusy }: Facts, fast: PoolSamples): Limit | undefined {
  if (fit === undefined || fit.error > FITS || fit.serialShare.low < SERIAL) return undefined;
  // Two numbers of threads fit any serial part: on a busy machine other programs would pass for one.
  if (!isTested(samples) && isBusy) return undefined;
  const { value } = fit.serialShare;
  // Threads were faster than this serial part would let them be.
  const one = samples.threads.find(({ threads }) => threads === 1)?.rate ?? [];
  if ((middle(fast.rate) ?? 0) * value > (middle(one) ?? 0)) return undefined;
  const most = (1 / value).toFixed(1);
  // One number of threads besides one fits any share: then something else may be the reason.
  const unless = isTested(samples) ? '' : ', if nothing else slows the threads down';
  const why = `${perCent(value)} of the work does not run in parallel${unless}: no number of threads makes it more than ${most} times as fast`;
  return { name: 'serial-part', why };
}

function coresOf({ samples: { machine, threads }, cores: usable, isBusy }: Facts, fast: PoolSamples): Limit {
  const { cores, availableThreads } = machine;
  if (cores === 1) return { name: 'cores', why: 'there is one core, and threads take turns on it' };
  if (fast.threads < usable) {
    const isBeyond = threads.some((of) => of.threads > fast.threads && of.rate.length > 0);
    const why = isBusy
      ? 'which may be due to the other programs that were running'
      : 'and nothing that was measured says why';
    const rest = isBeyond ? `did not do more, ${why}` : 'were not measured';
    return { name: 'none', why: `more than ${counted(fast.threads, 'thread')} ${rest}` };
  }
  const all = `there are ${cores} cores: ${cores} calls can compute at a time`;
  const some = `a CPU quota lets at most ${counted(availableThreads, 'thread')} compute all the time, though there are ${cores} cores`;
  return { name: 'cores', why: availableThreads < cores ? some : all };
}
