/**
 * Reads what a program sent. The program may have another version than this command: what is missing is not known and
 * shown as '-', and what is new is passed over.
 */

import { isRecord } from '../../checks.js';
import { safeText } from '../../format/text.js';
import type { Overview } from '../client.js';

/** A pool, a worker, a function, a decision, or the process: as it came. */
export type Row = Readonly<Record<string, unknown>>;

export interface Snapshot extends Overview {
  /** When it came: milliseconds since the epoch, on this machine. */
  readonly at: number;
}

/** @param path such as `queue.size` */
export function figure(row: Row, path: string): number | undefined {
  const value = valueAt(row, path);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Safe to show. */
export function text(row: Row, path: string): string {
  const value = valueAt(row, path);
  return typeof value === 'string' && value !== '' ? safeText(value) : '-';
}

export function rows(row: Row, path: string): Row[] {
  const value = valueAt(row, path);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function valueAt(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split('.')) {
    // Quantiles of nothing are not zero: they are not known.
    if (!isRecord(value) || value.count === 0) return undefined;
    value = value[name];
  }
  return value;
}
