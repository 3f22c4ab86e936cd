/** Figures as cells of a table, the same in every view: what was not measured, or is no number, is said to be so. */
import type { Estimate } from '../subjects/function/rules/findings.js';
import { estimate } from '../experiment/intervals.js';
import type { Series } from '../subjects/function/rules/samples.js';
import { perCent } from './words.js';

/** In place of a figure that there is not. */
export const NONE = '-';

// Made once: to make one takes longer than to format with it.
const DIGITS = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
const HUNDREDTHS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const TENTHS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export type Format = (value: number) => string;

/** The median of what was measured, and its interval; undefined where nothing was, or it came to no number. */
export function figureOf(series: Series | undefined): Estimate | undefined {
  return real(estimate((series ?? []).filter(Number.isFinite)));
}

/** An estimate that can be shown: a ratio to nothing, for one, cannot. */
export function real(figure: Estimate | undefined): Estimate | undefined {
  const isReal = figure !== undefined && [figure.value, figure.low, figure.high].every(Number.isFinite);
  return isReal ? figure : undefined;
}

export function shown(value: number | undefined, format: Format): string {
  return value !== undefined && Number.isFinite(value) ? format(value) : NONE;
}

export function middle(figure: Estimate | undefined, format: Format): string {
  return shown(real(figure)?.value, format);
}

/** `1,800 to 2,000`, `14 to 16 us`; one figure where both ends read the same. */
export function range(figure: Estimate | undefined, format: Format): string {
  if (real(figure) === undefined) return NONE;
  const [low, high] = [format(figure!.low), format(figure!.high)];
  return low === high ? low : `${withoutUnit(low, high)} to ${high}`;
}

/** The unit of both is said once. */
function withoutUnit(low: string, high: string): string {
  const [figure = '', unit] = low.split(' ');
  return unit !== undefined && high.endsWith(` ${unit}`) ? figure : low;
}

/** `1,900 (1,800 to 2,000)`. */
export function withRange(figure: Estimate | undefined, format: Format): string {
  if (real(figure) === undefined) return NONE;
  const [value, both] = [format(figure!.value), range(figure, format)];
  return value === both ? value : `${value} (${both})`;
}

/** Calls per second: more than three digits would be noise. */
export function rate(perSecond: number): string {
  return DIGITS.format(perSecond);
}

/** The same in a few characters, for the ticks of an axis: `2.5M`. */
export function shortRate(perSecond: number): string {
  if (perSecond < 10_000) return rate(perSecond);
  return SHORT.format(perSecond);
}

/** How many times as much, to two digits behind the point: what decides is often between 1 and 1.1. */
export function factor(value: number): string {
  return `${(value < 10 ? HUNDREDTHS : TENTHS).format(value)} x`;
}

export function count(value: number): string {
  return WHOLE.format(value);
}

/** Repeated runs of the same differ by so much: `± 3 %`. */
export function noise(share: number | undefined): string {
  return shown(share, (value) => (value < 0.005 ? '± less than 1 %' : `± ${perCent(value)}`));
}
