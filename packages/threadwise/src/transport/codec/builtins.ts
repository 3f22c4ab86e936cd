/** What the engine itself says of buffers, views, and other kinds, and not their properties, which a program can replace. */
import { DamagedError } from './tags.js';

interface ViewClass {
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): ArrayBufferView;
  readonly BYTES_PER_ELEMENT?: number;
}

/** The kind of a view is its index in this list, in memory too. Float16Array is not on every runtime. */
const NAMES = (
  'Uint8Array Int8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array ' +
  'Float32Array Float64Array BigInt64Array BigUint64Array DataView Float16Array'
).split(' ');
/** The constructors as they were when the thread began: a task may replace them. */
const CLASSES = NAMES.map((name) => (globalThis as unknown as Record<string, ViewClass | undefined>)[name]);
/** The kind of a Uint8Array. */
export const UINT8 = 0;
const KINDS = new Map(NAMES.map((name, kind) => [name, kind]));

/** Returns a function that asks the engine. It throws if its value is of another class; it gives undefined where the platform has no such property. */
function reader<T>(prototype: object, key: PropertyKey): (value: object) => T {
  const getter = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  return (value) => getter?.call(value) as T;
}

export const timeOf = Date.prototype.getTime;
const entriesOfMap = Map.prototype.entries;
const valuesOfSet = Set.prototype.values;
const sizeOfMap = reader<number>(Map.prototype, 'size');
const sizeOfSet = reader<number>(Set.prototype, 'size');
export const sizeOf = (value: object, isMap: boolean) => (isMap ? sizeOfMap(value) : sizeOfSet(value));
export const entriesOf = (value: object) => entriesOfMap.call(value as Map<unknown, unknown>);
export const valuesOf = (value: object) => valuesOfSet.call(value as Set<unknown>);

/** Undefined where the platform has no shared memory. */
export const sharedPrototype = globalThis.SharedArrayBuffer?.prototype as object | undefined;

function lengthReader(prototype: object, canChange: string): (buffer: object) => number {
  const length = reader<number | undefined>(prototype, 'byteLength');
  const isChanging = reader<boolean | undefined>(prototype, canChange);
  return (buffer) => {
    try {
      return isChanging(buffer) ? -1 : (length(buffer) ?? -1);
    } catch {
      return -1;
    }
  };
}

/**
 * The length of an ArrayBuffer of fixed size; -1 for anything else. A buffer that was transferred away has length 0, and making a view of
 * it throws.
 */
export const fixedByteLengthOf = lengthReader(ArrayBuffer.prototype, 'resizable');
const sharedByteLengthOf = lengthReader(sharedPrototype ?? {}, 'growable');

export const isShared = (buffer: object) => Object.getPrototypeOf(buffer) === sharedPrototype;

/** The length of a buffer, shared or not, that cannot change its length; -1 for anything else. */
export const byteLengthOf = (buffer: object) =>
  isShared(buffer) ? sharedByteLengthOf(buffer) : fixedByteLengthOf(buffer);

/** Whether all items of a list are ArrayBuffers of fixed size that have at most `bytes` bytes together. */
export function areBuffersWithin(bytes: number, list: readonly unknown[]): boolean {
  let left = bytes;
  for (const buffer of list) {
    const length = fixedByteLengthOf(buffer as object);
    left -= length < 0 ? Number.POSITIVE_INFINITY : length;
  }
  return left >= 0;
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const nameOfTypedArray = reader<string | undefined>(typedArray, Symbol.toStringTag);
const [ofTypedArray, ofDataView] = [typedArray, DataView.prototype].map((prototype) => ({
  buffer: reader<ArrayBufferLike>(prototype, 'buffer'),
  offset: reader<number>(prototype, 'byteOffset'),
  length: reader<number>(prototype, 'byteLength'),
}));

/** What a view sees. Undefined: its kind is not known here, or its buffer is gone. */
export function sightOf(view: object) {
  const name = nameOfTypedArray(view);
  const kind = KINDS.get(name ?? 'DataView');
  if (kind === undefined) return undefined;
  const { buffer, offset, length } = name === undefined ? ofDataView! : ofTypedArray!;
  try {
    return { kind, buffer: buffer(view), offset: offset(view), length: length(view) };
  } catch {
    return undefined;
  }
}

/** A view of that kind. Throws a DamagedError if there is no such kind, or the view does not fit its buffer. */
export function makeView(kind: number, buffer: ArrayBufferLike, offset: number, length: number) {
  const View = CLASSES[kind];
  const size = View?.BYTES_PER_ELEMENT ?? 1;
  const isAligned = offset % size === 0 && length % size === 0;
  if (View !== undefined && isAligned && offset + length <= buffer.byteLength)
    return new View(buffer, offset, length / size);
  throw new DamagedError('a view that does not fit its buffer');
}
