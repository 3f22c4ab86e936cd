/** Figures in words and as cells of a table, the same in every sentence and in every view; one that is missing, or no number, is shown as such. */
import prettyBytes from 'pretty-bytes';
import { type Estimate, estimate, real, type Series } from '../experiment/statistics.js';

export function perCent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A share in words. Only 0 and 1 themselves are shown as 0 % and 100 %: `less than 1 %`, `25 %`, `more than 99 %`. */
export function part(share: number): string {
  if (share >= 0.995 && share < 1) return 'more than 99 %';
  return share > 0 && share < 0.005 ? 'less than 1 %' : perCent(share);
}

/** How many base units it has, and its name. */
type Unit = readonly [size: number, name: string];

function durationUnit(ms: number): Unit {
  if (ms < 0.0995) return [0.001, 'us'];
  return ms < 995 ? [1, 'ms'] : [1000, 's'];
}

function bytesUnit(count: number): Unit {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, count)) / 10));
  return [1024 ** power, [count === 1 ? 'byte' : 'bytes', 'KiB', 'MiB', 'GiB'][power]!];
}

const inUnit = (value: number, [size, name]: Unit): string => `${twoDigits(value / size)} ${name}`;

/** A duration of milliseconds: `1.1 us`, `40 us`, `2.5 ms`, `3.2 s`. */
export function duration(ms: number): string {
  return inUnit(ms, durationUnit(ms));
}

/** A delay of a timer of fewer milliseconds is not told to the digit: timers of Node.js are no finer. */
export const HARDLY_LATE_MS = 1;

/** The delay of a timer in words: `less than 1 ms`, `12 ms`. */
export function lateness(ms: number): string {
  return ms < HARDLY_LATE_MS ? `less than ${duration(HARDLY_LATE_MS)}` : duration(ms);
}

/** `3.5 KiB`, `1 MiB`. */
export function bytes(count: number): string {
  return inUnit(count, bytesUnit(count));
}

const FAR_APART = 100; // a figure with more than this many times the unit that it is shown in has too many digits

/** The format with one unit for all values of an axis: that in which the smallest is read, or a larger one if the largest is far from it. */
export function inOneUnit(format: Format, values: readonly number[]): Format {
  if (format !== duration && format !== bytes) return format;
  const some = values.filter((value) => value > 0);
  const of = some.length === 0 ? 0 : Math.max(Math.min(...some), Math.max(...some) / FAR_APART);
  const unit = (format === duration ? durationUnit : bytesUnit)(of);
  return (value) => inUnit(value >= FAR_APART * unit[0] ? Number(value.toPrecision(3)) : value, unit);
}

const TINY = 0.001; // less is not told to the digit: `3.3e-7 x` says no more than that it is next to nothing

/** How many times as much: `1.9 x`, `less than 0.001 x`. */
export function times({ value }: Pick<Estimate, 'value'>): string {
  const isTiny = value > 0 && Number(value.toPrecision(2)) < TINY;
  return isTiny ? `less than ${TINY} x` : `${twoDigits(value)} x`;
}

export function timesAfter(word: 'about' | 'at most', gain: Pick<Estimate, 'value'>): string {
  return after(word, times(gain));
}

/** `about 1.9 x`, but only `less than 0.001 x`: before that, no word makes sense. */
export function after(word: 'about' | 'at most', figure: string): string {
  return isNextToNothing(figure) ? figure : `${word} ${figure}`;
}

const isNextToNothing = (said: string): boolean => said.startsWith('less');

/** `1.7 to 2 x`. */
export function timesFromTo(gain: Estimate): string {
  return range(gain, (value) => times({ value }));
}

export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${grouped(count)} ${count === 1 ? thing : things}`;
}

/** Numbers from this one on are shown with two digits and an exponent: the end of an interval of few rounds may be any number. */
const HUGE = 1_000_000;

function twoDigits(value: number): string {
  if (value >= HUGE) return value.toExponential(1);
  return value >= 100 ? count(value) : `${Number(value.toPrecision(2))}`;
}

/** `1,234,567.8`. Not by Intl, whose first number takes 20 of the 350 ms of a short command. */
function grouped(value: number): string {
  return String(value).replace(/(?<!\..*)\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Stands in place of a missing figure. */
export const NONE = '-';

export type Format = (value: number) => string;

/** The median and its interval; undefined if nothing was measured, or a figure is not finite. */
export function figureOf(series: Series | undefined): Estimate | undefined {
  return real(estimate(series ?? []));
}

export function shown(value: number | undefined, format: Format): string {
  return value !== undefined && Number.isFinite(value) ? format(value) : NONE;
}

export function middle(figure: Estimate | undefined, format: Format): string {
  return shown(real(figure)?.value, format);
}

/** `1,800 to 2,000`, `14 to 16 us`; one figure where both ends read the same; `up to 0.002 x` where the low end is next to nothing. */
export function range(figure: Estimate | undefined, format: Format): string {
  if (real(figure) === undefined) return NONE;
  const [low, high] = [format(figure!.low), format(figure!.high)];
  if (low === high || isNextToNothing(high)) return high;
  if (isNextToNothing(low)) return `up to ${high}`;
  // The low end needs no unit, if the high end has the same one.
  const [unit = ''] = / [^ ]*$/.exec(low) ?? [];
  return `${high.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`;
}

/** `1,900 (1,800 to 2,000)`. */
export function withRange(figure: Estimate | undefined, format: Format): string {
  if (real(figure) === undefined) return NONE;
  const [value, both] = [format(figure!.value), range(figure, format)];
  return value === both ? value : `${value} (${both})`;
}

/** Calls per second: more than three digits would be noise. */
export function rate(perSecond: number): string {
  return grouped(Number(perSecond.toPrecision(3)));
}

/** A rate in a few characters, for the ticks of an axis: `2.5M`. */
export function shortRate(perSecond: number): string {
  if (perSecond < 10_000) return rate(perSecond);
  return perSecond.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
}

/** How many times as much, to two digits behind the point: what decides is often between 1 and 1.1. */
export function factor(value: number): string {
  if ((value > 0 && value < 0.095) || value >= HUGE) return times({ value });
  return `${grouped(Number(value.toFixed(value < 10 ? 2 : 1)))} x`;
}

export function count(value: number): string {
  return grouped(Math.round(value));
}

/** How much repeated runs of the same thing differ: `± 3 %`. */
export function noise(share: number | undefined): string {
  return shown(share, (value) => {
    if (isBeyondAll(value)) return '± more than 100 %';
    return `± ${value < 0.005 ? 'less than 1 %' : perCent(value)}`;
  });
}

/** The noise within a sentence: `up to 3 %`, `more than 100 %`. */
export function noiseInWords(noise: number): string {
  return isBeyondAll(noise) ? 'more than 100 %' : `up to ${perCent(noise)}`;
}

/** By how much repeated runs of the same thing differ from each other, from the least to the most: twice the noise. */
export function differenceInWords(noise: number): string {
  return isBeyondAll(2 * noise) ? 'more than 100 %' : part(2 * noise);
}

/** Whether noise is so large, 100 % when rounded or more, that it hides every effect, and its figure is not told. */
export function isBeyondAll(noise: number): boolean {
  return noise > 0.995;
}

/** Few items a second need digits behind the point, many do not. */
export function formatRate(perSecond: number): string {
  if (!Number.isFinite(perSecond)) return NONE;
  return perSecond >= 100 ? count(perSecond) : String(Number(perSecond.toPrecision(3)));
}

export function formatBytes(bytes: number): string {
  return prettyBytes(bytes, { binary: true });
}

export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 0.5) return 'less than 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  const rest = `${Math.round(seconds) % 60} s`;
  return minutes < 60 ? `${minutes} min ${rest}` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
