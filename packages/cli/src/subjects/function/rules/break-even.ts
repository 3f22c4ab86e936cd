/** When threads begin to pay: by the running time of a call, by the size of its input, and by how many calls there are. */
import { type Estimate, estimate, pairwise, ratio, real } from '../../../experiment/statistics.js';
import type { Samples } from './samples.js';
import { fastest } from './scaling.js';

/** Where threads begin to pay; undefined: they always do, or never, or it cannot be told. */
export function breakEvenOf(samples: Samples) {
  const runMs = runTimeOf(samples);
  return {
    /** Running time of a call, milliseconds. */
    runMs,
    /** Size of the input, bytes; only where inputs differ in size. */
    inputBytes: runMs && sizeOf(samples, runMs),
    /** After how many calls the start of the threads has paid for itself. */
    calls: callsOf(samples),
  };
}

/** Gains that differ by more than this factor do not differ by errors of measurement alone. */
const FAR = 1.5;

/** The gain of tasks that only compute for as long, if far above that of the function; undefined: they agree, or one is not known. */
export function disagrees({ spins, inline }: Samples, gain: Estimate | undefined): Estimate | undefined {
  const at = inline.callMs && gainAt(spins, inline.callMs.mean);
  if (at === undefined || gain === undefined) return undefined;
  return at.low > gain.high && at.value > FAR * gain.value ? at : undefined;
}

function pointsOf(points: readonly { at: number; is: Estimate | undefined }[]) {
  return points.flatMap(({ at, is }) => (is === undefined ? [] : [{ at, is }]));
}

function spinPoints(spins: Samples['spins']) {
  const points = spins.map(({ runMs, inline, pool }) => ({ at: runMs, is: ratio(pool, inline) }));
  return pointsOf(points).sort((a, b) => a.at - b.at);
}

function logOf(value: number): number {
  return Math.log(Math.max(Number.MIN_VALUE, value));
}

/** The gain of tasks that only compute for `runMs`, interpolated between two that were measured, on logarithmic scales. */
function gainAt(spins: Samples['spins'], runMs: number): Estimate | undefined {
  const points = spinPoints(spins);
  const i = points.findIndex(({ at }) => at >= runMs);
  const [below, above] = [points[i - 1], points[i]];
  if (below === undefined || above === undefined || below.at <= 0) return undefined;
  const part = Math.log(runMs / below.at) / Math.log(above.at / below.at);
  const between = (bound: keyof Estimate): number => {
    const [from, to] = [logOf(below.is[bound]), logOf(above.is[bound])];
    return Math.exp(from + part * (to - from));
  };
  return real({ value: between('value'), low: between('low'), high: between('high') });
}

/** Where figures pass a threshold, with an interval. @param find returns where the given bound passes it; undefined: nowhere */
function placeOf(find: (bound: keyof Estimate) => number | undefined): Estimate | undefined {
  const value = find('value');
  // The place by the least favourable figures. Without one, it may lie beyond all that was measured.
  const high = find('low');
  if (value === undefined || high === undefined) return undefined;
  const low = find('high') ?? 0;
  // Rounding may put a bound on the wrong side of the value where all three are nearly the same.
  return { value, low: Math.min(value, low), high: Math.max(value, high) };
}

/** The running time at which tasks that only compute begin to gain, above the last that loses; interpolated on logarithmic scales. */
function runTimeOf({ spins }: Samples): Estimate | undefined {
  const points = spinPoints(spins);
  return placeOf((bound) => {
    const last = points.findLastIndex(({ is }) => is[bound] < 1);
    const [below, above] = [points[last], points[last + 1]];
    if (below === undefined || above === undefined) return undefined;
    const [from, to] = [logOf(below.is[bound]), logOf(above.is[bound])];
    const part = from / (from - to);
    if (below.at <= 0) return part * above.at;
    return Math.min(above.at, Math.exp(logOf(below.at) + part * (logOf(above.at) - logOf(below.at))));
  });
}

/** The input size at which a call runs for `runMs`, interpolated; undefined: even the smallest runs for as long, or none does. */
function sizeOf({ inline }: Samples, runMs: Estimate): Estimate | undefined {
  const points = pointsOf(inline.bySize.map(({ bytes, ms }) => ({ at: bytes, is: estimate(ms) })));
  const wanted = { value: runMs.value, low: runMs.high, high: runMs.low };
  return placeOf((bound) => {
    const above = points.findIndex(({ is }) => is[bound] >= wanted[bound]);
    const [from, to] = [points[above - 1], points[above]];
    if (from === undefined || to === undefined) return undefined;
    const part = (wanted[bound] - from.is[bound]) / (to.is[bound] - from.is[bound]);
    return from.at + part * (to.at - from.at);
  });
}

/** How many calls pay for the start of the threads: its time over what each call saves. */
function callsOf(samples: Samples): Estimate | undefined {
  const readyMs = estimate(samples.start?.readyMs ?? []);
  const pool = fastest(samples)?.rate ?? [];
  const each = pairwise(samples.inline.rate, pool, (without, by) => 1000 / without - 1000 / by);
  const saved = each.length < 2 ? undefined : estimate(each);
  if (readyMs === undefined || saved === undefined || saved.low <= 0) return undefined;
  const calls = {
    value: Math.ceil(readyMs.value / saved.value),
    low: Math.ceil(readyMs.low / saved.high),
    high: Math.ceil(readyMs.high / saved.low),
  };
  return Number.isFinite(calls.high) ? calls : undefined;
}
