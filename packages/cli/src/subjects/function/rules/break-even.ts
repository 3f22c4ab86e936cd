/** From where on threads pay: by the running time of a call, by the size of its input, and by how many calls there are. */
import { type Estimate, estimate, pairwise, ratio } from '../../../experiment/statistics.js';
import type { BreakEven } from './findings.js';
import type { Samples } from './samples.js';
import { fastest } from './scaling.js';

export function breakEvenOf(samples: Samples): BreakEven {
  const runMs = runTimeOf(samples);
  return { runMs, inputBytes: runMs && sizeOf(samples, runMs), calls: callsOf(samples) };
}

/** Further apart than that, and it is not how they were measured. */
const FAR = 1.5;

/**
 * How many times as many calls threads bring of tasks that only compute for as long as a call runs, where that is surely more than
 * they bring of the function itself; undefined: the two go together, or it is not known.
 */
export function disagrees({ spins, inline }: Samples, gain: Estimate | undefined): Estimate | undefined {
  const at = inline.callMs && gainAt(spins, inline.callMs.mean);
  if (at === undefined || gain === undefined) return undefined;
  return at.low > gain.high && at.value > FAR * gain.value ? at : undefined;
}

/** Between two running times that were measured. */
function gainAt(spins: Samples['spins'], runMs: number): Estimate | undefined {
  const points = spinPoints(spins);
  const i = points.findIndex(({ at }) => at >= runMs);
  const [below, above] = [points[i - 1], points[i]];
  if (below === undefined || above === undefined || below.at <= 0) return undefined;
  const part = Math.log(runMs / below.at) / Math.log(above.at / below.at);
  const between = (read: (point: Point) => number): number =>
    Math.exp(logOf(read(below)) + part * (logOf(read(above)) - logOf(read(below))));
  const found = {
    value: between(({ is }) => is.value),
    low: between(({ is }) => is.low),
    high: between(({ is }) => is.high),
  };
  return Object.values(found).every(Number.isFinite) ? found : undefined;
}

function spinPoints(spins: Samples['spins']): Point[] {
  return pointsOf(spins.map(({ runMs, inline, pool }) => ({ at: runMs, is: ratio(pool, inline) }))).toSorted(
    (a, b) => a.at - b.at,
  );
}

interface Point {
  readonly at: number;
  readonly is: Estimate;
}

/** Where the gain of tasks that only compute passes one: between two that were measured, on a scale of powers. */
function runTimeOf({ spins }: Samples): Estimate | undefined {
  const points = spinPoints(spins);
  const value = lastCrossing(points, ({ is }) => is.value);
  // Where the least favourable figures pass one. If they do not, threads pay beyond all that was measured, for all that is known.
  const high = lastCrossing(points, ({ is }) => is.low);
  if (value === undefined || high === undefined) return undefined;
  const low = lastCrossing(points, ({ is }) => is.high) ?? 0;
  // Rounding may put a bound on the wrong side of the value where all three are nearly the same.
  return { value, low: Math.min(value, low), high: Math.max(value, high) };
}

/** The last place at which the gain passes one, upwards. */
function lastCrossing(points: readonly Point[], read: (point: Point) => number): number | undefined {
  const last = points.findLastIndex((point) => read(point) < 1);
  const [below, above] = [points[last], points[last + 1]];
  if (below === undefined || above === undefined) return undefined;
  const [from, to] = [logOf(read(below)), logOf(read(above))];
  const part = from / (from - to);
  if (below.at <= 0) return part * above.at;
  return Math.min(above.at, Math.exp(logOf(below.at) + part * (logOf(above.at) - logOf(below.at))));
}

function logOf(value: number): number {
  return Math.log(Math.max(Number.MIN_VALUE, value));
}

/** The size at which a call runs for as long: between two sizes that were measured. */
function sizeOf({ inline }: Samples, runMs: Estimate): Estimate | undefined {
  const points = pointsOf(inline.bySize.map(({ bytes, ms }) => ({ at: bytes, is: estimate(ms) })));
  const value = firstReaching(points, runMs.value, ({ is }) => is.value);
  const high = firstReaching(points, runMs.high, ({ is }) => is.low);
  if (value === undefined || high === undefined) return undefined;
  const low = firstReaching(points, runMs.low, ({ is }) => is.high) ?? 0;
  return { value, low: Math.min(value, low), high: Math.max(value, high) };
}

/** The first size at which a call takes so long; undefined: the smallest does already, or none does. */
function firstReaching(
  points: readonly Point[],
  ms: number,
  read: (point: Point) => number,
): number | undefined {
  const above = points.findIndex((point) => read(point) >= ms);
  const [from, to] = [points[above - 1], points[above]];
  if (from === undefined || to === undefined) return undefined;
  return from.at + ((ms - read(from)) / (read(to) - read(from))) * (to.at - from.at);
}

/** What the start of the threads costs, over what each call saves. */
function callsOf(samples: Samples): Estimate | undefined {
  const readyMs = estimate(samples.start?.readyMs ?? []);
  const pool = fastest(samples)?.rate ?? [];
  // Milliseconds of each call.
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

function pointsOf(points: readonly { at: number; is: Estimate | undefined }[]): Point[] {
  return points.flatMap(({ at, is }) => (is === undefined ? [] : [{ at, is }]));
}
