/** What arrives through the binary codec equals what structured clone makes of it, whatever the memory is like. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'threadwise-test/fast-check';
import {
  assertSame,
  cloneOf,
  cross,
  dictionary,
  graph,
  memories,
  pair,
  plainPair,
  text,
} from './value-codec.case.js';
import { BOOK_BYTES, DamagedError, UNKNOWN } from './tags.js';
import { memoryOf } from './value-memory.js';

type ViewClass = new (buffer: ArrayBuffer, offset?: number, length?: number) => ArrayBufferView;

const both = pair();
const memory = memoryOf(new SharedArrayBuffer(1 << 20));

/** Asserts that each of `values` arrives as structured clone would make it. */
function assertCross(...values: unknown[]): void {
  for (const value of values) assertSame(cross(value, both, memory), structuredClone(value));
}

for (const [name, makeMemory] of memories) {
  describe(`in ${name}, what arrives equals a structured clone`, () => {
    const here = makeMemory();
    const pairs = [pair(), plainPair()];

    test('of texts of nothing but NULs, before any other', () => {
      for (let n = 0; n < 30; n++) assert.equal(cross('\0'.repeat(n), pairs[0]!, here), '\0'.repeat(n));
    });

    test('of graphs of all kinds of objects, with a book of shapes and with one that is full', () => {
      fc.assert(
        fc.property(graph, fc.nat(9), (value, at) => {
          const expected = cloneOf(value);
          for (const each of pairs) assertSame(cross(value, each, here, at), expected);
        }),
        { numRuns: 500 },
      );
    });

    test('of dictionaries of all kinds of keys', () => {
      fc.assert(
        fc.property(dictionary, (value) => {
          const expected = structuredClone(value);
          for (const each of pairs) assertSame(cross(value, each, here), expected);
        }),
        { numRuns: 200 },
      );
    });

    test('of wide objects, alone and in themselves, as often as they come', () => {
      for (const count of [19, 20, 31, 32, 80, 300]) {
        const wide = (of: unknown): Record<string, unknown> =>
          Object.fromEntries(
            Array.from({ length: count }, (_, i) => [`wide${count}_${i}`, i === 7 ? of : i]),
          );
        for (let round = 0; round < 5; round++) {
          for (const each of pairs) {
            assertSame(cross(wide(1.5), each, here), structuredClone(wide(1.5)));
            const self = wide(undefined);
            self[`wide${count}_7`] = [self];
            assertSame(cross(self, each, here), structuredClone(self));
          }
        }
      }
    });

    test('of lists of arguments that share what is in them', () => {
      fc.assert(
        fc.property(graph, graph, (a, b) => {
          const value = [a, { b }, a, [b, a]];
          const expected = cloneOf(value);
          for (const each of pairs) assertSame(cross(value, each, here, 1), expected);
        }),
        { numRuns: 100 },
      );
    });

    test('of texts of every length, at any place', () => {
      for (const unit of ['a', 'é', '\xff', 'Ā', '\ud800', '\udfff', '😀']) {
        for (const length of [
          ...Array(70).keys(),
          127,
          128,
          253,
          254,
          255,
          256,
          257,
          4095,
          4096,
          4097,
          9001,
        ]) {
          const value = `${unit.repeat(length)}`;
          assert.equal(cross(value, pairs[0]!, here, length % 5), value);
          const ascii = 'x'.repeat(length) + unit;
          assert.equal(cross(ascii, pairs[0]!, here, length % 7), ascii);
        }
      }
    });

    test('of texts that differ from others in one or two characters only', () => {
      for (let length = 2; length <= 26; length++) {
        for (let at = 0; at < length - 1; at++) {
          for (let i = 0; i < 400; i++) {
            const two = String.fromCharCode(i & 0xff, (i * 7) & 0xff);
            const value = 'a'.repeat(at) + two + 'a'.repeat(length - at - 2);
            assert.equal(cross(value, pairs[0]!, here, at), value);
          }
        }
      }
    });

    test('of texts that are all different, and then all the same', () => {
      for (let i = 0; i < 2000; i++) assert.equal(cross(`number ${i}`, pairs[0]!, here), `number ${i}`);
      for (let i = 0; i < 2000; i++) assert.equal(cross('the same', pairs[0]!, here), 'the same');
    });

    test('of any text', () => {
      fc.assert(fc.property(text, fc.nat(9), (value, at) => cross(value, pairs[0]!, here, at) === value));
    });
  });
}

describe('what arrives equals a structured clone', () => {
  test('of every kind of number', () => {
    const numbers = [0, -0, 0.5, -1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let bit = 0; bit < 64; bit++) {
      for (const near of [-1, 0, 1]) numbers.push(2 ** bit + near, -(2 ** bit) + near, 2 ** -bit);
    }
    assertCross(...numbers, Number.MAX_VALUE, Number.MIN_VALUE, Number.EPSILON, numbers);
  });

  test('of arrays of numbers, of which all or the first or some are fractions', () => {
    for (const length of [1, 15, 16, 17, 300]) {
      const fractions = Array.from({ length }, (_, i) => i + 0.5);
      const some = fractions.map((number, i) => (i % 3 === 1 ? i : number));
      const odd = [0.5, -0, Number.NaN, Number.NEGATIVE_INFINITY, ...fractions];
      assertCross(fractions, some, [...fractions].reverse(), [...some, null], [...some, 'text'], odd, [
        some,
        some,
      ]);
    }
  });

  test('of every kind of bigint', () => {
    for (const bits of [0n, 1n, 7n, 31n, 32n, 62n, 63n, 64n, 65n, 127n, 128n, 1000n, 20_000n]) {
      for (const near of [-1n, 0n, 1n]) assertCross((1n << bits) + near, -(1n << bits) + near);
    }
  });

  test('of what is neither number nor text', () => {
    assertCross(undefined, null, true, false, [], {}, [undefined], [null], [[]], { a: undefined }, '');
  });

  test('of dates, also of no date', () => {
    assertCross(new Date(0), new Date(Number.NaN), new Date(8.64e15), new Date(-1.5), [new Date(5)]);
  });

  test('of Maps and Sets, and of what is in them', () => {
    const circular = new Map<unknown, unknown>();
    circular.set(circular, new Set([circular]));
    const extra = Object.assign(new Map([[{ a: 1 }, [2]]]), { lost: true });
    assertCross(new Map(), new Set(), new Map([[Number.NaN, -0]]), new Set([[], {}, 'x']), circular, extra);
  });

  test('of every kind of view, also of a part of its buffer', () => {
    const buffer = Uint8Array.from({ length: 64 }, (_, i) => i * 3).buffer;
    const Kinds = [
      Uint8Array,
      Int8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
    ];
    const Wide = [Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView];
    const { Float16Array } = globalThis as { Float16Array?: typeof Float32Array };
    const all = [...Kinds, ...Wide, ...(Float16Array ? [Float16Array] : [])] as unknown as ViewClass[];
    for (const Kind of all) {
      const views = [
        new Kind(buffer),
        new Kind(buffer, 16),
        new Kind(buffer, 16, 2),
        new Kind(buffer, 64, 0),
      ];
      for (const view of views) assertCross(view, { view }, [1, view]);
      assertCross(views, [buffer, ...views], [...views, buffer]);
    }
  });

  test('of ArrayBuffers and Buffers', () => {
    assertCross(new ArrayBuffer(0), new ArrayBuffer(5), Uint8Array.of(1, 2, 3).buffer);
    assertCross(Buffer.alloc(0), Buffer.from('pooled'), Buffer.alloc(5, 7), Buffer.alloc(10_000, 'x'));
  });

  test('of bytes in every number, from any place', () => {
    for (const length of [0, 1, 63, 64, 65, 100, 2047, 2048, 2049, 10_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
      for (let at = 0; at < 9; at++) assertSame(cross([bytes, 1], both, memory, at), [bytes, 1]);
    }
  });

  test('of a part of a large buffer: only the part', () => {
    const part = new Uint8Array(new ArrayBuffer(1 << 24), 1000, 3).fill(5);
    const arrived = cross(part, both, memory) as Uint8Array;
    assert.deepEqual(
      [arrived, arrived.byteOffset, arrived.buffer.byteLength],
      [Uint8Array.of(5, 5, 5), 0, 3],
    );
  });

  test('of parts of one buffer that go together: they still share it', () => {
    const [a, b] = [Buffer.from('from the pool'), Buffer.from('and another')];
    assert.equal(a.buffer, b.buffer);
    assertCross([a, b], [a.buffer, a], [a, a.buffer], [a, a, [b]]);
    const [x, y] = cross(
      [new Uint8Array(a.buffer, 0, 9), new Uint8Array(a.buffer, 5, 9)],
      both,
      memory,
    ) as Uint8Array[];
    x![7] = 123;
    assert.equal(y![2], 123);
    assert.equal(
      (cross(a, both, memory) as Uint8Array).buffer.byteLength,
      a.length,
      'and not for ever after',
    );
  });

  test('of every class of errors', () => {
    for (const Class of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
      assertCross(new Class('why'), new Class(), new Class('why', { cause: { deep: [1] } }));
      assertCross(Object.assign(new Class('x'), { code: 'LOST', extra: {} }));
    }
  });

  test('of odd errors', () => {
    const odd = () => new Error('odd');
    const hidden = (key: string, value: unknown) => Object.defineProperty(odd(), key, { value });
    const noStack = odd();
    delete noStack.stack;
    assertCross(hidden('name', 'TypeError'), hidden('name', 'Mine'), hidden('stack', 5), noStack);
    assertCross(new Error('x', { cause: undefined }), hidden('cause', null), hidden('message', ''));
    const list: unknown[] = [];
    list.push(new Error('in a circle', { cause: list }));
    assertCross(list);
  });

  test('of an error that is its own cause, where structured clone fails at it', () => {
    const error = new Error('self');
    error.cause = { error };
    const arrived = cross(error, both, memory) as { cause: { error: unknown } };
    assert.equal(arrived.cause.error, arrived);
  });

  test('of objects without a prototype, frozen, sealed, with hidden and with symbol keys', () => {
    const bare = Object.assign(Object.create(null), { a: 1, b: { c: 2 } });
    const hidden = Object.defineProperty({ a: 1, [Symbol('s')]: 2 }, 'b', { value: 3 });
    assertCross(bare, hidden, Object.freeze({ a: [1] }), Object.seal({ a: 1 }), Object.freeze([1, 2]));
  });

  test('of objects of classes, of which their own fields are left', () => {
    class Point {
      x = 1;
      readonly #hidden = { y: 2 };
      get y() {
        return this.#hidden.y;
      }
      move() {
        this.x++;
      }
    }
    class Circle extends Point {
      at = [new Point(), new Point()];
      when = new Date(7);
      get own() {
        return 1;
      }
    }
    function Query() {}
    Query.prototype = Object.create(null);
    const query: unknown = Object.assign(Reflect.construct(Query, []) as object, { name: 'x' });
    const twice = new Circle();
    const ofGetter = Object.defineProperty(new Point(), 'now', { get: () => [1], enumerable: true });
    for (let i = 0; i < 3; i++) {
      assertCross(new Point(), new Circle(), query, [twice, { twice }], Object.freeze(new Point()), ofGetter);
      assertCross(runInNewContext('({ a: [1] })'), new Map([[new Point(), 1]]));
    }
  });

  test('of objects with getters, each of them asked once', () => {
    let asked = 0;
    const value = {
      get first() {
        return ++asked;
      },
      last: [2],
    };
    for (let i = 1; i < 6; i++) assert.deepEqual(cross(value, both, memory), { first: i, last: [2] });
  });

  test('of objects with getters that give them other keys: those that they had, as long as they are there', () => {
    const make = (i: number) => ({
      [`first${i}`]: 1,
      get second(): number {
        Reflect.deleteProperty(this, `first${i}`);
        Reflect.deleteProperty(this, 'third');
        Object.assign(this, { 5: 6, other: 7 });
        return 2;
      },
      third: 3,
      last: [4],
    });
    for (let i = 0; i < 6; i++) {
      assertSame(cross(make(i), both, memory), structuredClone(make(i)));
      assertSame(cross(make(0), both, memory), structuredClone(make(0)));
    }
  });

  test('of keys in their order, numbers first', () => {
    const value = { b: 1, 10: 2, a: 3, 2: 4, '-1': 5, '01': 6, '': 7, 4294967295: 8 };
    for (let i = 0; i < 4; i++) assertCross(value, { a: 1, b: 2 }, { b: 2, a: 1 }, manyFields(value));
  });

  test('of keys that mean something to every object', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__']) {
      for (const others of [{ a: 1 }, manyFields()]) {
        const value = Object.defineProperty({ ...others }, key, property({ polluted: true }));
        for (let i = 0; i < 4; i++) {
          const arrived = cross(value, both, memory) as object;
          assertSame(arrived, Object.defineProperty({ ...others }, key, property({ polluted: true })));
          assert.equal(Object.getPrototypeOf(arrived), Object.prototype);
        }
      }
    }
    assert.equal('polluted' in {}, false);
  });

  test('of keys that mean something to every object since a short while', () => {
    const { writer, reader } = pair();
    const value = { should: 1, 'in a record': 2 };
    for (let i = 0; i < 3; i++) writer.write({ should: [1] }, memory, 0, 1000);
    const middle = writer.write({ should: [1] }, memory, 0, 1000);
    const end = writer.write(value, memory, middle, 1000);
    const large = manyFields({ ...value, 777: 'an index', 'not writable': 3 });
    const last = writer.write(large, memory, end, 4000);
    const changes: PropertyDescriptorMap = {
      should: { get: () => 5 },
      'in a record': { get: () => 5 },
      777: { set: () => assert.fail('it was assigned to') },
      'not writable': { value: 5, writable: false },
    };
    for (const key of Object.keys(changes)) changes[key]!.configurable = true;
    Object.defineProperties(Object.prototype, changes);
    try {
      const [shaped, record] = [reader.read(memory, 0, middle), reader.read(memory, middle, end)];
      const dictionary = reader.read(memory, end, last);
      assert.deepEqual(Object.entries(shaped as object), [['should', [1]]]);
      assert.deepEqual(Object.entries(record as object), Object.entries(value));
      assert.deepEqual(Object.entries(dictionary as object), Object.entries(large));
    } finally {
      for (const key of Object.keys(changes)) Reflect.deleteProperty(Object.prototype, key);
    }
  });

  test('of keys that mean something to every object, where a program has frozen what those inherit', () => {
    const codec = JSON.stringify(import.meta.resolve('./value-codec.case.js'));
    const memory = JSON.stringify(import.meta.resolve('./value-memory.js'));
    const source = `
      import { assertSame, cross, pair, plainPair } from ${codec};
      import { memoryOf } from ${memory};
      const space = memoryOf(new SharedArrayBuffer(10_000));
      const few = { a: 1, toString: 'x', constructor: [2] };
      const many = { ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => ['key ' + i, i])), ...few };
      Object.freeze(Object.prototype);
      for (const both of [pair(), plainPair()]) {
        for (const value of [few, many, few, many]) assertSame(cross(value, both, space), structuredClone(value));
      }
    `;
    execFileSync(process.execPath, ['--input-type=module', '-e', source]);
  });

  test('of an array that refers to itself, and of objects that refer to each other', () => {
    const list: unknown[] = [1];
    list.push(list, { list });
    const [a, b]: [Record<string, unknown>, Record<string, unknown>] = [{ name: 'a' }, { name: 'b' }];
    Object.assign(a, { b, self: a });
    Object.assign(b, { a, both: [a, b] });
    const many: Record<string, unknown> = manyFields({ a });
    many['itself'] = [many, { many }];
    assertCross(list, a, [b, a], many, [many, a, many]);
  });

  test('of many objects that come twice', () => {
    const objects = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? [i] : { i }));
    assertCross([objects, [...objects].reverse(), objects.map((object) => ({ object }))]);
  });

  test('of dictionaries', () => {
    const entries = Array.from({ length: 1000 }, (_, i) => [`key ${i * 7919}`, { i }]);
    for (let i = 0; i < 3; i++) assertCross(Object.fromEntries(entries));
    assertCross(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i % 10])));
  });

  test('of views and of objects of a shape that is new, whatever a task has put in place of the global classes', () => {
    const replaced = { Float64Array, Function };
    const { setPrototypeOf } = Object;
    const value = { numbers: new Float64Array([1.5]), afterGlobalsWent: 1, many: manyFields() };
    const expected = structuredClone(value);
    try {
      Object.assign(globalThis, { Float64Array: undefined, Function: () => () => 'nonsense' });
      Object.setPrototypeOf = () => assert.fail('not the original');
      for (let i = 0; i < 50; i++) assertSame(cross(value, both, memory), expected);
    } finally {
      Object.assign(globalThis, replaced);
      Object.setPrototypeOf = setPrototypeOf;
    }
  });

  test('of arrays from elsewhere', () => {
    assertCross(runInNewContext('[1, [2], "three"]'));
  });

  test('of views of a buffer from elsewhere, and of the buffer behind them', () => {
    const buffer: ArrayBuffer = runInNewContext('new ArrayBuffer(8)');
    assertCross(
      new Uint8Array(buffer),
      [new Uint8Array(buffer), buffer],
      [new Uint8Array(buffer, 1), buffer],
    );
  });
});

describe('shared memory that the reader has been told of', () => {
  const told = [new SharedArrayBuffer(8), new SharedArrayBuffer(24), new SharedArrayBuffer(0)];
  const here = pair(BOOK_BYTES, told);
  const [first, second, empty] = told as [SharedArrayBuffer, SharedArrayBuffer, SharedArrayBuffer];

  test('is the same, alone, within others and as often as it comes', () => {
    const value = { first, list: [second, first, new Map([[second, { second }]])], empty };
    for (const each of [first, empty, value]) assert.deepEqual(cross(each, here, memory), each);
    const { list, ...others } = cross(value, here, memory) as typeof value;
    assert.equal(others.first, first);
    assert.equal(list[0], second);
    assert.equal(list[1], first);
  });

  test('has views of the same kinds, places and lengths', () => {
    const buffer = Buffer.from(second, 3, 5);
    const views = [
      ...[
        new Uint8Array(first),
        new Int32Array(second, 4, 3),
        new Float64Array(second, 8),
        new DataView(first, 1),
      ],
      ...[new BigInt64Array(empty), buffer],
    ];
    const arrived = cross(views, here, memory) as ArrayBufferView[];
    for (const [i, view] of arrived.entries()) {
      const expected = views[i]!;
      assert.equal(view.buffer, expected.buffer);
      assert.equal(view.byteOffset, expected.byteOffset);
      assert.equal(view.byteLength, expected.byteLength);
      assert.equal(view.constructor, expected === buffer ? Uint8Array : expected.constructor);
    }
    assert.equal((cross(views[1], here, memory) as Int32Array).buffer, second);
  });

  test('is noted by the writer, to be held, unless the message was not written', () => {
    const { writer } = here;
    writer.write([first, new Uint8Array(second), first], memory, 0, 1000);
    assert.deepEqual(writer.shared, [first, second]);
    for (const [value, end] of [[[first, () => 1], 1000] as const, [[first, second], 8] as const]) {
      assert.ok(writer.write(value, memory, 0, end) < 0);
      assert.equal(writer.shared, undefined);
    }
    writer.write([1], memory, 0, 1000);
    assert.equal(writer.shared, undefined);
  });

  test('is all that goes like this: not memory that was not told of, or that can grow', () => {
    const growable = new (
      SharedArrayBuffer as unknown as new (length: number, options: object) => SharedArrayBuffer
    )(8, { maxByteLength: 16 });
    const growing = pair(BOOK_BYTES, [growable]);
    for (const buffer of [new SharedArrayBuffer(8), growable]) {
      for (const value of [buffer, [new Uint8Array(buffer)], new DataView(buffer, 1, 2)]) {
        assert.equal(growing.writer.write(value, memory, 0, 1000), UNKNOWN);
      }
    }
  });

  test('is damaged where the reader knows no such number', () => {
    const end = here.writer.write([second], memory, 0, 1000);
    assert.throws(() => both.reader.read(memory, 0, end), DamagedError);
    const endOfView = here.writer.write(new Uint8Array(second), memory, 0, 1000);
    assert.throws(() => pair(BOOK_BYTES, [first]).reader.read(memory, 0, endOfView), DamagedError);
  });
});

/** `fields` and so many others that the object is read as a dictionary. */
function manyFields(fields: object = {}): Record<string, unknown> {
  return { ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field ${i}`, [i]])), ...fields };
}

function property(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}
