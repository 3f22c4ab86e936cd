/** Numbers and durations as people read them, the same everywhere on standard error. */

import prettyBytes from 'pretty-bytes';

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** Few items a second need digits behind the point, many do not. */
export function formatRate(perSecond: number): string {
  if (!Number.isFinite(perSecond)) return '-';
  return perSecond >= 100 ? formatCount(perSecond) : String(Number(perSecond.toPrecision(3)));
}

export function formatBytes(bytes: number): string {
  return prettyBytes(bytes, { binary: true });
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  const rest = `${Math.round(seconds) % 60} s`;
  return minutes < 60 ? `${minutes} min ${rest}` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
