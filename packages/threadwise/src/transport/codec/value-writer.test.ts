/** What the writer of the binary codec refuses: what does not fit, and what only structured clone knows about. */
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { BlockList } from 'node:net';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'threadwise-test/fast-check';
import * as tags from './tags.js';
import { assertSame, cross, graph, pair, plainPair } from './value-codec.case.js';
import { estimateItems, memoryOf } from './value-memory.js';
import { FULL, UNKNOWN } from './tags.js';
import type { ValueWriter } from './value-writer.js';

const both = pair();
const memory = memoryOf(new SharedArrayBuffer(1 << 20));

/** Writes a value until the book has all of its shapes that it takes: a shape may be forgotten for another before it is seen again. */
function settle(writer: Pick<ValueWriter, 'write'>, value: unknown): void {
  let length = writer.write(value, memory, 0, 1 << 20);
  for (let same = 0; same < 100; same++) {
    const next = writer.write(value, memory, 0, 1 << 20);
    if (next !== length) same = 0;
    length = next;
  }
}

describe('room', () => {
  const fence = Buffer.alloc(1 << 14, 0xa5);
  const isFence = (bytes: Uint8Array) => fence.subarray(0, bytes.length).equals(bytes);
  /** Memory of which [at, end) may be written to, and a function that says whether nothing else was. */
  function fenced(at: number, end: number, space = SPACE) {
    const bytes = new Uint8Array(space).fill(0xa5);
    const isUntouched = () => isFence(bytes.subarray(0, at)) && isFence(bytes.subarray(end));
    return { room: memoryOf(bytes.buffer), isUntouched };
  }
  const SPACE = 1 << 13;

  test('that is too small by whatever it is gives FULL, and nothing outside of it is written', () => {
    const { writer } = pair();
    fc.assert(
      fc.property(graph, fc.nat(9), (value, at) => {
        settle(writer, value);
        const needed = writer.write(value, memory, at, 1 << 20);
        fc.pre(needed < SPACE);
        for (let end = at; end < needed; end += needed < 300 ? 1 : 7) {
          const { room, isUntouched } = fenced(at, end);
          assert.equal(writer.write(value, room, at, end), FULL, `${end} of ${needed}`);
          assert.ok(isUntouched(), `${end} of ${needed}`);
        }
        const { room, isUntouched } = fenced(at, needed);
        assert.equal(writer.write(value, room, at, needed), needed, 'enough');
        assert.ok(isUntouched(), 'enough');
      }),
      { numRuns: 50 },
    );
  });

  test('that is too small by a byte gives FULL, also for what is large', () => {
    const { writer } = pair();
    const texts = [31, 32, 35, 36, 255, 256, 3000].flatMap((n) => [
      'x'.repeat(n),
      'é'.repeat(n),
      '€'.repeat(n),
    ]);
    const bytes = [0, 1, 64, 65, 3000].flatMap((n) => [
      new ArrayBuffer(n),
      Buffer.alloc(n),
      new DataView(new ArrayBuffer(n)),
    ]);
    const long = Array.from({ length: 16 }, (_, i) => i);
    const values = [
      ...texts,
      ...bytes,
      long,
      new Map([[1, 2]]),
      new Set(long),
      2n ** 300n,
      new Error('x', { cause: 1 }),
      long.map((n) => n + 0.5),
      [0.5, ...long],
      [0.5, ...long, 'x'.repeat(200)],
    ];
    for (const value of [...values, ...values.map((each) => [each, each])]) {
      for (let at = 0; at < 9; at++) {
        const needed = writer.write(value, memory, at, 1 << 20);
        for (const end of [needed - 1, needed]) {
          const { room, isUntouched } = fenced(at, end, 1 << 14);
          assert.equal(writer.write(value, room, at, end), end === needed ? needed : FULL);
          assert.ok(isUntouched());
        }
      }
    }
  });

  test('is estimated exactly, or a little higher, for texts and bytes', () => {
    const { writer } = plainPair();
    const texts = [0, 31, 32, 35, 36, 255, 256, 5000].flatMap((n) =>
      ['a', 'é', '€'].map((it) => it.repeat(n)),
    );
    const bytes = [0, 1, 100, 5000].flatMap((n) => [
      new ArrayBuffer(n),
      new Float64Array(n),
      Buffer.alloc(n),
    ]);
    for (const value of [...texts, ...bytes]) {
      const needed = writer.write([value], memory, 0, 1 << 20);
      const estimate = estimateItems([value]);
      assert.ok(estimate >= needed && estimate <= needed + 26, `${needed} needed, not ${estimate}`);
    }
  });

  test('is estimated somehow for all else', () => {
    const { writer } = plainPair();
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    for (const value of [
      1,
      undefined,
      {},
      [1, 2],
      new Map([[1, 2]]),
      new Set(),
      proxy,
      () => 1,
      Symbol('s'),
    ]) {
      assert.ok(estimateItems([value]) > 0);
    }
    const numbers = Array.from({ length: 1000 }, (_, i) => i * 1.5);
    assert.ok(estimateItems([numbers]) >= writer.write([numbers], memory, 0, 1 << 20));
  });
});

describe('what is left to structured clone', () => {
  const withExtra = <T extends unknown[]>(array: T, key: PropertyKey = 'extra') =>
    Object.assign(array, { [key]: 'more' });
  const withHole = <T>(array: T[]) => {
    delete array[1];
    return array;
  };
  const detached = () => {
    const buffer = new ArrayBuffer(8);
    const view = new Uint8Array(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    return { buffer, view };
  };
  const resizable = () =>
    new (ArrayBuffer as unknown as new (n: number, o: object) => ArrayBuffer)(8, { maxByteLength: 16 });
  const throwing = {
    get no() {
      throw new Error('no');
    },
  };
  function Old(this: Record<string, unknown>) {
    this['inherited'] = 1;
  }
  Old.prototype.inherited = () => 1;
  const withVisibleMethod: unknown = Reflect.construct(Old, []);
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  const foreign: ArrayBuffer = runInNewContext('new ArrayBuffer(8)');
  const cases: Record<string, unknown> = {
    'a function': () => 1,
    'a symbol': Symbol('s'),
    'an object that inherits what can be seen': Object.create({ inherited: 1 }),
    'an object of a class with methods that can be seen': withVisibleMethod,
    'an object of a class that holds what cannot be cloned': new (class {
      act = () => 1;
    })(),
    'a Map of another realm': runInNewContext('new Map()'),
    'a key': createSecretKey(Buffer.alloc(8)),
    'a list of addresses': new BlockList(),
    'a regular expression, behind an object that pretends to be one': [Object.create(RegExp.prototype), /x/g],
    'a boxed number, behind an object that pretends to be one': [Object.create(Number.prototype), Object(1)],
    'a regular expression': /x/g,
    'a boxed number': Object(1),
    'a boxed text': Object('text'),
    'a boxed bigint': Object(1n),
    'a promise': Promise.resolve(),
    'a WeakMap': new WeakMap(),
    'a subclass of Map': new (class extends Map {})(),
    'a subclass of Set': new (class extends Set {})(),
    'a subclass of Date': new (class extends Date {})(),
    'a subclass of Error': new (class extends Error {})(),
    'an array with fields of its subclass': new (class extends Array {
      total = 1;
    })(),
    'an AggregateError': new AggregateError([1], 'several'),
    'an object that pretends to be a Map': Object.create(Map.prototype),
    'an object that pretends to be a Set': Object.create(Set.prototype),
    'an object that pretends to be a Date': Object.create(Date.prototype),
    'an object that pretends to be an Error': Object.create(Error.prototype),
    'an object that pretends to be an ArrayBuffer': Object.create(ArrayBuffer.prototype),
    'an object that calls itself an Error': Object.assign(Object.create(Error.prototype), {
      [Symbol.toStringTag]: 'Error',
    }),
    'an error with a getter for its message': Object.defineProperty(new Error('x'), 'message', {
      get: () => 1,
    }),
    'an error with a getter for its cause': Object.defineProperty(new Error('x'), 'cause', { get: () => 1 }),
    'an error with a message that is no text': Object.defineProperty(new Error('x'), 'message', { value: 5 }),
    'an error with a name that is no text': Object.defineProperty(new Error('x'), 'name', { value: 5 }),
    'a Blob': new Blob(['x']),
    'a MessagePort': new MessageChannel().port1,
    'a module': tags,
    'shared memory': new SharedArrayBuffer(8),
    'a view of shared memory': new Uint8Array(new SharedArrayBuffer(8)),
    'a DataView of shared memory': new DataView(new SharedArrayBuffer(8)),
    'a resizable buffer': resizable(),
    'a view that follows its buffer': new Uint8Array(resizable()),
    'a view of a part of a resizable buffer': new Uint8Array(resizable(), 0, 4),
    'a buffer that is gone': detached().buffer,
    'a view of a buffer that is gone': detached().view,
    'a buffer from another realm, before a view of it': [foreign, new Uint8Array(foreign)],
    'a sparse array': withHole([1, 2, 3]),
    'an array of holes': new Array(5),
    'an array with as many extra properties as holes': withExtra(withHole([1, 2, 3])),
    'an array of fractions with a hole': withHole(Array.from({ length: 20 }, (_, i) => i + 0.5)),
    'an array of fractions with an extra property': withExtra(Array.from({ length: 20 }, (_, i) => i + 0.5)),
    'an empty array with an extra property': withExtra([]),
    'an array with an extra property': withExtra([1, 2]),
    'a long array with an extra property': withExtra(Array.from({ length: 100 }, (_, i) => i)),
    'an array with an extra property like an index': withExtra([1, 2], '4294967295'),
    'the match of a regular expression': /(?<a>x)/.exec('x'),
    'a getter that throws': throwing,
    'a proxy that refuses': revoked,
    'a dictionary of more keys than u16 can count': Object.fromEntries(
      Array.from({ length: 65_536 }, (_, i) => [`k${i}`, 1]),
    ),
    'a proxy of an array that lies': new Proxy([1, 2], { ownKeys: () => ['length'] }),
  };
  for (const [name, value] of Object.entries(cases)) {
    test(name, () => {
      const here = pair();
      const { writer } = here;
      for (const each of [value, [value], { a: [value] }, new Map([[value, 1]])]) {
        assert.equal(writer.write(each, memory, 0, 1 << 20), UNKNOWN);
      }
      assertSame(cross({ a: 1 }, here, memory), { a: 1 });
    });
  }

  const changing: Record<string, () => unknown> = {
    'an array gets shorter while it is written': () => {
      const array = [trigger(() => array.pop()), 2];
      return array;
    },
    'an array gets longer while it is written': () => {
      const array = [trigger(() => array.push(3)), 2];
      return array;
    },
    'an array trades an item for a property while it is written': () => {
      const array: unknown[] = [2, trigger(() => Object.assign(array, { extra: array.pop() }))];
      return array;
    },
    'a Map gets larger while it is written': () => {
      const map = new Map<unknown, unknown>([['a', trigger(() => map.set('b', 1))]]);
      return map;
    },
    'a Set gets smaller while it is written': () => {
      const set = new Set<unknown>([trigger(() => set.delete(2)), 2]);
      return set;
    },
  };
  function trigger(act: () => void): unknown {
    return {
      get now() {
        act();
        return 1;
      },
    };
  }
  for (const [name, make] of Object.entries(changing)) {
    test(name, () => {
      const { writer } = pair();
      for (const each of [writer, plainPair().writer]) {
        for (let i = 0; i < 4; i++) assert.equal(each.write([make()], memory, 0, 1 << 20), UNKNOWN);
      }
    });
  }

  test('or is as structured clone has it: an object whose keys change while it is written', () => {
    const changes: ((object: Record<string, unknown>) => void)[] = [
      (object) => Object.assign(object, { c: 1 }),
      (object) => Reflect.deleteProperty(object, 'b'),
      (object) => Reflect.deleteProperty(object, 'a'),
      (object) => Reflect.deleteProperty(object, 'b') && Object.assign(object, { c: 1 }),
      (object) => Reflect.deleteProperty(object, 'b') && Object.assign(object, { b: 2 }),
      (object) => Object.assign(object, { b: { c: 2 } }),
    ];
    for (const change of changes) {
      const make = () => {
        const object: Record<string, unknown> = { a: trigger(() => change(object)), b: 1 };
        return object;
      };
      const known = pair();
      for (const shape of [{ a: 1 }, { a: 1, b: 1 }, { a: 1, c: 1 }, { a: 1, b: 1, c: 1 }]) {
        for (let i = 0; i < 3; i++) known.writer.write(shape, memory, 0, 1000);
      }
      for (const { writer, reader } of [pair(), known, plainPair()]) {
        for (let i = 0; i < 4; i++) {
          const after = writer.write(make(), memory, 0, 1000);
          if (after !== UNKNOWN) assertSame(reader.read(memory, 0, after), structuredClone(make()));
        }
      }
    }
  });

  test('whatever is deeper than so many objects in each other', () => {
    const nested = (depth: number) => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { value };
      return value;
    };
    const { writer } = pair();
    assertSame(cross(nested(200), both, memory), nested(200));
    for (const depth of [201, 1000, 100_000]) {
      assert.equal(writer.write(nested(depth), memory, 0, 1 << 20), UNKNOWN);
    }
  });

  test('everything, while somebody has given a property to all objects or all arrays', () => {
    for (const prototype of [Object.prototype, Array.prototype]) {
      const { writer } = pair();
      Object.defineProperty(prototype, 'polluted', { value: 1, enumerable: true, configurable: true });
      try {
        assert.equal(writer.write({ a: 1 }, memory, 0, 1000), UNKNOWN);
      } finally {
        Reflect.deleteProperty(prototype, 'polluted');
      }
      assert.ok(writer.write({ a: 1 }, memory, 0, 1000) > 0);
    }
  });

  test('what is written by a getter while a value is written: the outer one is not harmed', () => {
    const { writer, reader } = pair();
    const elsewhere = memoryOf(new ArrayBuffer(100));
    const value = {
      a: 1,
      get b() {
        return writer.write([1, 2, 3], elsewhere, 0, 100);
      },
      c: [2],
    };
    const after = writer.write(value, memory, 0, 1000);
    assertSame(reader.read(memory, 0, after), { a: 1, b: UNKNOWN, c: [2] });
  });
});
