/** Figures in words, the same in every sentence of the findings. */
import type { Estimate } from '../subjects/function/rules/findings.js';

export function perCent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Of a share that is not nothing: `less than 1 %`, `25 %`. */
export function part(share: number): string {
  return share > 0 && share < 0.005 ? 'less than 1 %' : perCent(share);
}

/** A duration of milliseconds: `1.1 us`, `40 us`, `2.5 ms`, `3.2 s`. */
export function duration(ms: number): string {
  if (ms < 0.0995) return `${twoDigits(ms * 1000)} us`;
  return ms < 995 ? `${twoDigits(ms)} ms` : `${twoDigits(ms / 1000)} s`;
}

/** `3.5 KiB`, `1 MiB`. */
export function bytes(count: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, count)) / 10)));
  return `${twoDigits(count / 1024 ** unit)} ${units[unit]}`;
}

/** How many times as much: `1.9 x`. */
export function times({ value }: Pick<Estimate, 'value'>): string {
  return `${twoDigits(value)} x`;
}

/** `1.7 to 2 x`. */
export function timesFromTo({ low, high }: Estimate): string {
  const [from, to] = [twoDigits(low), twoDigits(high)];
  return from === to ? `${from} x` : `${from} to ${to} x`;
}

export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en-US')} ${thing}${count === 1 ? '' : 's'}`;
}

function twoDigits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : `${Number(value.toPrecision(2))}`;
}
