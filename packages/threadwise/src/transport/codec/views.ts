/** Buffers and views of them: what the engine itself says of them, and not their properties, which a program can replace. */
import { DamagedError } from './tags.js';

interface ViewClass {
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT?: number;
}

/** The kind of a view is its index in this list, in memory too. Float16Array is not on every runtime. */
const NAMES: readonly string[] = [
  'Uint8Array',
  'Int8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'DataView',
  'Float16Array',
];
/** The constructors as they were when the thread began: a task may replace them. */
const CLASSES = NAMES.map((name) => (globalThis as unknown as Record<string, ViewClass | undefined>)[name]);
const KINDS = new Map(NAMES.map((name, kind) => [name, kind]));
const DATA_VIEW = NAMES.indexOf('DataView');

/** Returns a function that asks the engine: `value.key` could be a property that somebody set. It throws if `value` is of another class. */
function reader<T>(prototype: object, key: PropertyKey): (value: object) => T {
  const getter = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  return (value) => getter?.call(value) as T;
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const nameOfTypedArray = reader<string | undefined>(typedArray, Symbol.toStringTag);
const lengthOfBuffer = reader<number>(ArrayBuffer.prototype, 'byteLength');
/** Gives undefined where the platform has no resizable buffers. */
const isResizable = reader<boolean | undefined>(ArrayBuffer.prototype, 'resizable');
/** Undefined where the platform has no shared memory. */
export const sharedPrototype = globalThis.SharedArrayBuffer?.prototype as object | undefined;
const lengthOfShared = reader<number | undefined>(sharedPrototype ?? {}, 'byteLength');
const isGrowable = reader<boolean | undefined>(sharedPrototype ?? {}, 'growable');

function viewReader<T>(key: PropertyKey): (view: object, kind: number) => T {
  const ofTypedArray = reader<T>(typedArray, key);
  const ofDataView = reader<T>(DataView.prototype, key);
  return (view, kind) => (kind === DATA_VIEW ? ofDataView(view) : ofTypedArray(view));
}

export const bufferOf = viewReader<ArrayBufferLike>('buffer');
export const offsetOf = viewReader<number>('byteOffset');
export const byteLengthOf = viewReader<number>('byteLength');

/** The number of the kind of a view; undefined: the kind is not known here. */
export function kindOf(view: object): number | undefined {
  return KINDS.get(nameOfTypedArray(view) ?? 'DataView');
}

/**
 * The length of an ArrayBuffer of fixed size; -1 for anything else. A buffer that was transferred away has length 0, and making a view of
 * it throws.
 */
export function fixedByteLengthOf(buffer: object): number {
  try {
    return isResizable(buffer) ? -1 : lengthOfBuffer(buffer);
  } catch {
    return -1;
  }
}

/** The length of a SharedArrayBuffer that cannot grow; -1 for anything else. */
export function sharedByteLengthOf(buffer: object): number {
  try {
    return isGrowable(buffer) ? -1 : (lengthOfShared(buffer) ?? -1);
  } catch {
    return -1;
  }
}

/** Whether all items of a list are ArrayBuffers of fixed size that have at most `bytes` bytes together. */
export function areBuffersWithin(bytes: number, list: readonly unknown[]): boolean {
  let left = bytes;
  for (const buffer of list) {
    const length = fixedByteLengthOf(buffer as object);
    left = length < 0 ? -1 : left - length;
    if (left < 0) return false;
  }
  return left >= 0;
}

/** A view of that kind. Throws a DamagedError if there is no such kind, or the view does not fit its buffer. */
export function makeView(
  kind: number,
  buffer: ArrayBufferLike,
  byteOffset: number,
  byteLength: number,
): ArrayBufferView {
  const View = CLASSES[kind];
  const size = View?.BYTES_PER_ELEMENT ?? 1;
  const isAligned = byteOffset % size === 0 && byteLength % size === 0;
  if (View !== undefined && isAligned && byteOffset + byteLength <= buffer.byteLength)
    return new View(buffer, byteOffset, byteLength / size);
  throw new DamagedError('a view that does not fit its buffer');
}
