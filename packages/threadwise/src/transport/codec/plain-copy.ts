/**
 * Copies values within a thread as structured clone does, five to ten times as fast: plain objects, arrays, dates, maps,
 * sets, bytes. A value with anything unusual in it is left to structured clone as a whole, so that there is one answer to what it means.
 */
import type { Clone } from '../../core/calls/payload.js';
import { entriesOf, fixedByteLengthOf, makeView, sightOf, timeOf, valuesOf } from './builtins.js';
import { compile } from './engine.js';
import { Identity } from './identity.js';
import { becomesPlain, defineOwn, deservesMaker, type Fields } from './plain-objects.js';
import { objectOf, type ShapeNode, ShapeReader, ShapeWriter } from './shape-book.js';
import { BOOK_BYTES, MAX_DEPTH } from './tags.js';

/** Thrown out of the recursion if the value is not plain. Always the same error: its stack is of no use. */
const NOT_PLAIN = new Error('not plain');
const NOTHING: readonly unknown[] = [];

/** Copies the objects of one shape. */
type Copier = (value: Fields, depth: number) => Fields;

/** The shapes of what this thread has copied: a book that nobody else reads. Made when the first object is copied. */
let book: ReturnType<typeof newBook> | undefined;
/** What copies an object of each shape, by the number of the shape. */
const copiers: (Copier | undefined)[] = [];

/** The objects of the copy that is being made. A getter that copies something itself gets structured clone. */
const identity = new Identity();
let isCopying = false;

/**
 * A copy of `value` that equals what `clone` makes of it; the README of this folder lists the exceptions. Throws what
 * `clone` throws. Getters of a value that turns out not to be plain run again in `clone`.
 */
export function copyPlain(value: unknown, clone: Clone): unknown {
  if (isCopying) return clone(value);
  isCopying = true;
  try {
    // Properties that somebody gave to all objects would look like an object's own.
    for (const _ in NOTHING) throw NOT_PLAIN;
    return copyOf(value, 0);
  } catch {
    // Not plain, or a getter threw: structured clone says what becomes of it.
  } finally {
    identity.clear();
    isCopying = false;
  }
  return clone(value);
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'object') return value === null ? null : copyObject(value, depth);
  if (typeof value === 'function' || typeof value === 'symbol') throw NOT_PLAIN;
  return value;
}

function copyObject(value: object, depth: number): unknown {
  // What comes twice must arrive as one object.
  if (depth === MAX_DEPTH || identity.note(value) >= 0) throw NOT_PLAIN;
  if (Array.isArray(value)) return copyList(value, depth + 1);
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === Object.prototype
    ? copyFields(value as Fields, depth + 1)
    : copySpecial(value, prototype, depth + 1);
}

function copyFields(value: Fields, depth: number): Fields {
  let node: ShapeNode | undefined = (book ??= newBook()).writer.root;
  for (const key in value) {
    node = node.key === key ? node.next : node.step(key);
    if (node === undefined) break;
  }
  const copier = node === undefined || node.id < 0 ? undefined : copiers[node.id];
  return copier === undefined ? copyAny(value, depth, book) : copier(value, depth);
}

function newBook() {
  const memory = new ArrayBuffer(BOOK_BYTES);
  return { writer: new ShapeWriter(memory), reader: new ShapeReader(memory) };
}

function copyAny(value: Fields, depth: number, { writer, reader }: ReturnType<typeof newBook>): Fields {
  const keys = Object.keys(value);
  const id = writer.idOf(keys);
  if (id >= 0 && deservesMaker(++reader.shape(id).uses, keys.length)) copiers[id] = copierOf(keys);
  const isRecord = reader.wideRecords.takes(keys.length, keys[0] ?? '');
  const copy: Fields = {};
  for (const key of keys) {
    const item = partOf(value[key], depth, value, key);
    if (isRecord || key === '__proto__') defineOwn(copy, key, item);
    else copy[key] = item;
  }
  return copy;
}

/** A copy of what is at `key` of `value`, which a getter before it may have removed. */
function partOf(item: unknown, depth: number, value: Fields, key: string): unknown {
  if (item === undefined && !Object.hasOwn(value, key)) throw NOT_PLAIN;
  return copyOf(item, depth);
}

/** A function that has the keys in its source: see `makerOf` in `shape-book.ts`. Undefined: the program forbids that. */
function copierOf(keys: readonly string[]): Copier | undefined {
  const object = objectOf(keys, (name) => {
    const isSimple = `typeof (item = value[${name}]) === 'string' || typeof item === 'number'`;
    return `${isSimple} ? item : partOf(item, depth, value, ${name})`;
  });
  const code = `return (value, depth) => { let item; ${object} return object; }`;
  return compile<(part: typeof partOf) => Copier>('partOf', code)?.(partOf);
}

/** Copies an array. One with a property beside its items has more values than items: nothing else tells. */
function copyList(value: readonly unknown[], depth: number): unknown[] {
  const copy: unknown[] = Object.values(value);
  const { length } = copy;
  if (length !== value.length) throw NOT_PLAIN;
  for (let i = 0; i < length; i++) {
    // With a hole and a property beside the items, there are as many values as items.
    if (!(i in value)) throw NOT_PLAIN;
    copy[i] = copyOf(copy[i], depth);
  }
  return copy;
}

function copySpecial(value: object, prototype: object | null, depth: number): unknown {
  if (ArrayBuffer.isView(value)) {
    // A view is copied with its own bytes and no others, as it would arrive in another thread. Views of one buffer go on sharing it.
    const sight = sightOf(value);
    if (sight === undefined || fixedByteLengthOf(sight.buffer) < 0 || identity.note(sight.buffer) >= 0)
      throw NOT_PLAIN;
    const { kind, buffer, offset, length } = sight;
    return makeView(kind, copyBytes(buffer, offset, length), 0, length);
  }
  const copy = (item: unknown) => copyOf(item, depth);
  switch (prototype) {
    case Date.prototype:
      return new Date(timeOf.call(value as Date));
    case Map.prototype: {
      const map = new Map<unknown, unknown>();
      for (const [key, item] of [...entriesOf(value)]) map.set(copy(key), copy(item));
      return map;
    }
    case Set.prototype:
      return new Set([...valuesOf(value)].map(copy));
    case ArrayBuffer.prototype:
      return copyBytes(value, 0, fixedByteLengthOf(value));
    default:
      if (!becomesPlain(value, prototype)) throw NOT_PLAIN;
      return copyFields(value as Fields, depth);
  }
}

/** Throws if the length is -1, or the buffer was transferred away. */
function copyBytes(buffer: object, offset: number, length: number): ArrayBuffer {
  const copy = new ArrayBuffer(length);
  new Uint8Array(copy).set(new Uint8Array(buffer as ArrayBuffer, offset, length));
  return copy;
}
