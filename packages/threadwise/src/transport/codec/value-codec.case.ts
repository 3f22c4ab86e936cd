/** What the tests of the binary codec share: values of every kind, and what it means that one arrived as another. */
import assert from 'node:assert/strict';
import fc from 'threadwise-test/fast-check';
import { ShapeReader, ShapeWriter } from './shape-book.js';
import { type Memory, memoryOf } from './value-memory.js';
import { ValueReader } from './value-reader.js';
import { BOOK_BYTES, FULL, UNKNOWN } from './tags.js';
import { ValueWriter } from './value-writer.js';

const VIEWS = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];
const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

/** A writer and a reader that share a book. */
export interface Pair {
  readonly writer: ValueWriter;
  readonly reader: ValueReader;
  readonly book: SharedArrayBuffer;
}

/** @param shared the shared memory that the reader has been told of, by number; default: it has been told of none */
export function pair(bookBytes = BOOK_BYTES, shared?: readonly SharedArrayBuffer[]): Pair {
  const book = new SharedArrayBuffer(bookBytes);
  const numberOf = shared && ((buffer: object) => shared.indexOf(buffer as SharedArrayBuffer));
  return {
    writer: new ValueWriter(new ShapeWriter(book), numberOf),
    reader: new ValueReader(new ShapeReader(book), (number) => shared?.[number]),
    book,
  };
}

/** A pair whose book has room for no shape. */
export function plainPair(): Pair {
  return pair(4);
}

/** Size of each memory: several times what Node takes to cut small Buffers from. Bytes. */
const SPACE = 1 << 18;
/** The kinds of memory, the one that is the likeliest to be wrong first. */
export const memories: readonly (readonly [string, () => Memory])[] = [
  ['shared memory', () => memoryOf(new SharedArrayBuffer(SPACE))],
  ['ordinary memory', () => memoryOf(new ArrayBuffer(SPACE))],
  ['memory without Buffers', () => ({ ...memoryOf(new ArrayBuffer(SPACE)), native: undefined })],
];

/** Writes and reads. Throws where the value is not written. */
export function cross(
  value: unknown,
  { writer, reader }: Pick<Pair, 'writer' | 'reader'>,
  memory: Memory,
  at = 0,
): unknown {
  const after = writer.write(value, memory, at, memory.u8.length);
  assert.notEqual(after, FULL, 'full');
  assert.notEqual(after, UNKNOWN, 'unknown');
  // Bytes behind the value must not be looked at.
  memory.u8.fill(0xff, after, after + 16);
  return reader.read(memory, at, after);
}

/**
 * Throws unless `actual` equals `expected` in everything that a program can see: kinds, prototypes, order of keys,
 * attributes, what is the same object as what. Views must see the same bytes, and share them where the others do.
 */
export function assertSame(actual: unknown, expected: unknown): void {
  new Comparison().same(actual, expected, 'value');
}

class Comparison {
  readonly #there = new Map<object, object>();
  readonly #back = new Map<object, object>();
  /** For each buffer that views see: where its bytes begin in the other one. */
  readonly #shifts = new Map<object, number>();

  same(actual: unknown, expected: unknown, path: string): void {
    if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
      assert.ok(Object.is(actual, expected), `${path}: ${String(actual)}, not ${String(expected)}`);
      return;
    }
    if (!this.#isNew(actual, expected, path)) return;
    assert.equal(Object.getPrototypeOf(actual), Object.getPrototypeOf(expected), `${path}: its prototype`);
    this.#ownProperties(actual, expected, path);
    if (expected instanceof Date) {
      assert.ok(Object.is((actual as Date).getTime(), expected.getTime()), `${path}: its time`);
    } else if (expected instanceof Map) {
      this.same([...(actual as Map<unknown, unknown>)].flat(1), [...expected].flat(1), `${path}.entries()`);
    } else if (expected instanceof Set) {
      this.same([...(actual as Set<unknown>)], [...expected], `${path}.values()`);
    } else if (expected instanceof ArrayBuffer) {
      this.#bytes(actual as ArrayBuffer, expected, path);
      this.#shift(expected, 0, path);
    } else if (ArrayBuffer.isView(expected)) {
      this.#views(actual as ArrayBufferView, expected, path);
    }
  }

  /** Whether the two have not met yet; throws where one of them has met another. */
  #isNew(actual: object, expected: object, path: string): boolean {
    const partner = this.#there.get(expected);
    const known = this.#back.get(actual);
    assert.ok(partner === undefined || partner === actual, `${path}: one object has become two`);
    assert.ok(known === undefined || known === expected, `${path}: two objects have become one`);
    this.#there.set(expected, actual);
    this.#back.set(actual, expected);
    return partner === undefined;
  }

  #ownProperties(actual: object, expected: object, path: string): void {
    // The items of a view are its bytes.
    if (ArrayBuffer.isView(expected)) return;
    const keys = Reflect.ownKeys(expected);
    assert.deepEqual(Reflect.ownKeys(actual), keys, `${path}: its keys`);
    for (const key of keys) {
      const there = Object.getOwnPropertyDescriptor(expected, key)!;
      const here = Object.getOwnPropertyDescriptor(actual, key)!;
      const at = `${path}[${String(key)}]`;
      assert.deepEqual(
        [here.writable, here.enumerable, here.configurable, here.get, here.set],
        [there.writable, there.enumerable, there.configurable, there.get, there.set],
        at,
      );
      const read = (object: object) => (object as Record<PropertyKey, unknown>)[key];
      if (key === 'stack') assert.equal(read(actual), read(expected), at);
      else this.same(here.value, there.value, at);
    }
  }

  #bytes(actual: ArrayBufferLike, expected: ArrayBufferLike, path: string): void {
    assert.deepEqual(new Uint8Array(actual), new Uint8Array(expected), `${path}: its bytes`);
  }

  #views(actual: ArrayBufferView, expected: ArrayBufferView, path: string): void {
    const bytesOf = (view: ArrayBufferView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    assert.deepEqual(bytesOf(actual), bytesOf(expected), `${path}: its bytes`);
    this.#isNew(actual.buffer, expected.buffer, `${path}.buffer`);
    this.#shift(expected.buffer, expected.byteOffset - actual.byteOffset, path);
  }

  #shift(buffer: object, shift: number, path: string): void {
    assert.equal(this.#shifts.get(buffer) ?? shift, shift, `${path}: where it is in its buffer`);
    this.#shifts.set(buffer, shift);
  }
}

export const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 20 }) },
  fc.string({ maxLength: 80, unit: fc.constantFrom('a', 'é', '\0', '\xff', ' ') }),
  fc.string({ maxLength: 80, unit: fc.constantFrom('a', '\u0100', '\ud800', '\udc00', '😀', '\uffff') }),
  fc.tuple(fc.nat(700), fc.constantFrom('x', 'é', '€')).map(([length, unit]) => unit.repeat(length)),
);
const number = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(
    0,
    -0,
    127,
    128,
    0x7fff,
    0x8000,
    -0x8000,
    -0x8001,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32,
  ),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MAX_SAFE_INTEGER),
);
const bigint = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }),
);
const primitive = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: number },
  bigint,
  fc.boolean(),
  fc.constantFrom(undefined, null),
);
const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('id', 'name', 'tags', 'value', 'next', 'a', 'b', 'c', 'kind', 'x', 'y'),
  },
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '', '0', '7', '-1', 'é', '€', 'a b'),
  fc.string({ maxLength: 12 }),
);

/** One object of a graph: what is in it is either a primitive or another object, by number. */
interface Node {
  readonly kind:
    'object' | 'bare' | 'array' | 'map' | 'set' | 'error' | 'date' | 'buffer' | 'view' | 'dataView';
  readonly parts: readonly (readonly [
    key: string,
    part: { readonly node: number } | { readonly value: unknown },
  ])[];
  readonly number: number;
  readonly bytes: number;
  readonly offset: number;
}

const node: fc.Arbitrary<Node> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<Node['kind']>('object', 'array') },
    fc.constantFrom<Node['kind']>(
      'bare',
      'map',
      'set',
      'error',
      'date',
      'buffer',
      'view',
      'view',
      'dataView',
    ),
  ),
  parts: fc.array(
    fc.tuple(
      key,
      fc.oneof(
        primitive.map((value) => ({ value })),
        fc.nat(11).map((number) => ({ node: number })),
      ),
    ),
    { maxLength: 7 },
  ),
  number: fc.nat(100),
  bytes: fc.nat(6),
  offset: fc.nat(3),
});

/** Graphs of objects, with whatever is shared and goes in circles. */
export const graph: fc.Arbitrary<unknown> = fc.array(node, { minLength: 1, maxLength: 12 }).map(build);

/** Objects of many keys, which are read as dictionaries. */
export const dictionary: fc.Arbitrary<unknown> = fc
  .array(fc.tuple(fc.oneof(key, text, fc.nat(2 ** 32).map(String)), primitive), {
    minLength: 10,
    maxLength: 80,
  })
  .map((entries) => {
    const object = {};
    for (const [name, value] of entries) put(object, name, value);
    return object;
  });

/** What must arrive. Node 20 fails at errors in their own cause: a test of their own has those. */
export function cloneOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return fc.pre(false);
  }
}

function build(nodes: readonly Node[]): unknown {
  const objects = nodes.map(make);
  const resolve = (part: Node['parts'][number][1]) =>
    'node' in part ? objects[part.node % objects.length] : part.value;
  nodes.forEach(({ parts }, i) => {
    for (const [name, part] of parts) {
      put(objects[i]!, name, resolve(part));
    }
  });
  return objects[0];
}

function make({ kind, number, bytes, offset }: Node, i: number): object {
  switch (kind) {
    case 'array':
      return [];
    case 'bare':
      return Object.create(null);
    case 'map':
      return new Map();
    case 'set':
      return new Set();
    case 'error':
      return new ERRORS[number % ERRORS.length]!(`error ${i}`);
    case 'date':
      return new Date(number === 0 ? Number.NaN : number * 1e9);
    case 'buffer':
      return pool(number, bytes).buffer;
    case 'dataView':
      return new DataView(pool(number, bytes + 8).buffer, offset, bytes);
    case 'view': {
      if (number % 5 === 0) return Buffer.from(`${number}`);
      const View = VIEWS[number % VIEWS.length]!;
      const size = View.BYTES_PER_ELEMENT;
      return new View(pool(number, (bytes + offset) * size).buffer, offset * size, bytes);
    }
    default:
      return {};
  }
}

const pools = [new Uint8Array(96).map((_, i) => i), new Uint8Array(80).map((_, i) => 255 - i)];
/** Every other time, memory that other views see, too. */
function pool(number: number, bytes: number): Uint8Array<ArrayBuffer> {
  return number % 2 === 0 ? pools[number % 4 === 0 ? 0 : 1]! : new Uint8Array(bytes).fill(number);
}

function put(object: object, key: string, value: unknown): void {
  if (Array.isArray(object)) object.push(value);
  else if (object instanceof Map) object.set(key.length % 3 === 0 ? value : key, value);
  else if (object instanceof Set) object.add(value);
  else if (object instanceof Error) Object.defineProperty(object, 'cause', hidden(value));
  else if (Object.getPrototypeOf(object) === Object.prototype || Object.getPrototypeOf(object) === null) {
    Object.defineProperty(object, key, { ...hidden(value), enumerable: true });
  }
}

function hidden(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: false, configurable: true };
}
