/** Estimates how much room values will need, before they are written: quickly, not exactly. */
import { isObject } from '../../core/options/checks.js';
import { textBytes } from './text.js';

/** The guess for an object that is not looked into. */
const OBJECT_BYTES = 48;
const DOUBLE_BYTES = 9;
/** The most that comes before the items of an array, Map or Set, or before bytes. */
const HEAD_BYTES = 14;

/** How many bytes an array of `values` takes: exact for texts and bytes, a guess for what is in other objects. */
export function estimateItems(values: readonly unknown[]): number {
  let bytes = HEAD_BYTES;
  for (const value of values) bytes += estimateOne(value);
  return bytes;
}

function estimateOne(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (!isObject(value)) return DOUBLE_BYTES;
  try {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return HEAD_BYTES + value.byteLength;
    // The first item stands for all.
    if (Array.isArray(value)) {
      const first: unknown = value[0];
      return HEAD_BYTES + value.length * (typeof first === 'object' ? OBJECT_BYTES : estimateOne(first));
    }
    if (value instanceof Map || value instanceof Set) return HEAD_BYTES + value.size * OBJECT_BYTES;
  } catch {
    // The value is a proxy that refuses.
  }
  return OBJECT_BYTES;
}
