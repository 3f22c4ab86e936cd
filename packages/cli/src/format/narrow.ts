/**
 * Formats numbers for columns that are a few characters wide: no number takes more room. '-' stands for one that is not known.
 */

import prettyBytes from 'pretty-bytes';

type Figure = number | undefined;

const UNKNOWN = '-';

/** A count in at most 5 characters, up to 10^15. */
export function count(value: Figure): string {
  if (value === undefined) return UNKNOWN;
  if (Math.round(value) < 100_000) return String(Math.round(value));
  const power = Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const text = threeDigits(value / 1000 ** power);
  // Rounding may carry it into the next unit.
  return text === '1000' && power + 1 < units.length ? `1${units[power + 1]}` : text + units[power];
}

const units = ['', 'k', 'M', 'G', 'T'];

/** A few a second need digits behind the point. */
export function rate(perSecond: Figure): string {
  if (perSecond === undefined) return UNKNOWN;
  return perSecond < 100 ? threeDigits(perSecond) : count(perSecond);
}

/** A duration in at most 7 characters, up to a thousand days. */
export function duration(ms: Figure): string {
  if (ms === undefined) return UNKNOWN;
  if (ms <= 0) return '0';
  if (Math.round(ms) < 1000) return `${threeDigits(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${threeDigits(ms / 1000)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/** A duration without fractions of a second, to be read like a clock. */
export function age(ms: Figure): string {
  if (ms === undefined) return UNKNOWN;
  const whole = Math.max(0, Math.floor(ms / 1000)) * 1000;
  return whole < 60_000 ? `${whole / 1000}s` : duration(whole);
}

/** A share of 1. */
export function percent(share: Figure): string {
  return share === undefined ? UNKNOWN : `${Math.round(share * 100)}%`;
}

/** A number of bytes in at most 7 characters. */
export function bytes(value: Figure): string {
  if (value === undefined) return UNKNOWN;
  return prettyBytes(Math.max(0, Math.round(value)), { binary: true, space: false });
}

function threeDigits(value: number): string {
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  // 2.50 says no more than 2.5 does.
  return String(Number(value.toFixed(digits)));
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
