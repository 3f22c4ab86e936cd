/** Buffers and views of them: what the engine itself says of them, whatever their properties pretend. */

type ViewClass = new (buffer: ArrayBuffer, byteOffset?: number, length?: number) => ArrayBufferView;

interface Kind {
  readonly name: string;
  readonly make: ViewClass;
  readonly bytesPerElement: number;
}

/** The kind of a view is its index in this list, in memory too. Float16Array is not on every runtime. */
const NAMES = [
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
] as const;

const KINDS: readonly (Kind | undefined)[] = NAMES.map((name) => {
  const make = (
    globalThis as unknown as Record<string, (ViewClass & { BYTES_PER_ELEMENT?: number }) | undefined>
  )[name];
  return make && { name, make, bytesPerElement: make.BYTES_PER_ELEMENT ?? 1 };
});
const KIND_OF_NAME = new Map<unknown, number>(NAMES.map((name, kind) => [name, kind]));
const DATA_VIEW = NAMES.indexOf('DataView');

type Getter = (this: unknown) => unknown;

function getterOf(prototype: object, key: PropertyKey): Getter | undefined {
  return Object.getOwnPropertyDescriptor(prototype, key)?.get;
}

/** Asks the engine: `value.key` could be a property that somebody set. Throws where `value` is of another class. */
function reader<T>(prototype: object, key: PropertyKey): ((value: object) => T) | undefined {
  const getter = getterOf(prototype, key);
  return getter && ((value) => getter.call(value) as T);
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const nameOfTypedArray = reader<string | undefined>(typedArray, Symbol.toStringTag)!;
const bufferOfTypedArray = reader<ArrayBufferLike>(typedArray, 'buffer')!;
const offsetOfTypedArray = reader<number>(typedArray, 'byteOffset')!;
const lengthOfTypedArray = reader<number>(typedArray, 'byteLength')!;
const bufferOfDataView = reader<ArrayBufferLike>(DataView.prototype, 'buffer')!;
const offsetOfDataView = reader<number>(DataView.prototype, 'byteOffset')!;
const lengthOfDataView = reader<number>(DataView.prototype, 'byteLength')!;
const lengthOfBuffer = reader<number>(ArrayBuffer.prototype, 'byteLength')!;
const isResizable = reader<boolean>(ArrayBuffer.prototype, 'resizable');

/** The number of the kind of a view; undefined: one that is not known here. */
export function kindOf(view: object): number | undefined {
  const name = nameOfTypedArray(view);
  return name === undefined ? DATA_VIEW : KIND_OF_NAME.get(name);
}

export function bufferOf(view: object, kind: number): ArrayBufferLike {
  return kind === DATA_VIEW ? bufferOfDataView(view) : bufferOfTypedArray(view);
}

export function offsetOf(view: object, kind: number): number {
  return kind === DATA_VIEW ? offsetOfDataView(view) : offsetOfTypedArray(view);
}

export function byteLengthOf(view: object, kind: number): number {
  return kind === DATA_VIEW ? lengthOfDataView(view) : lengthOfTypedArray(view);
}

/**
 * The length of an ArrayBuffer of fixed size; -1: it is none. It may have been transferred away: then its length is 0,
 * and to make a view of it throws.
 */
export function fixedByteLengthOf(buffer: object): number {
  try {
    return isResizable?.(buffer) ? -1 : lengthOfBuffer(buffer);
  } catch {
    return -1;
  }
}

/** A view of that kind; undefined: there is no such kind, or it does not fit. */
export function makeView(
  kind: number,
  buffer: ArrayBuffer,
  byteOffset: number,
  byteLength: number,
): ArrayBufferView | undefined {
  const known = KINDS[kind];
  if (known === undefined) return undefined;
  const length = byteLength / known.bytesPerElement;
  const fits = Number.isInteger(length) && byteOffset + byteLength <= buffer.byteLength;
  if (!fits || byteOffset % known.bytesPerElement !== 0) return undefined;
  return new known.make(buffer, byteOffset, length);
}
