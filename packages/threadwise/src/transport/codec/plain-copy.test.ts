/** A copy made by code of ours equals what structured clone makes of the value, and fails where that fails. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { copyPlain } from './plain-copy.js';
import { assertSame, cloneOf, graph } from './value-codec.case.js';

/** How often structured clone was asked. */
let asked = 0;
const clone = <T>(value: T): T => {
  asked++;
  return structuredClone(value);
};
const isAsked = (value: unknown) => {
  asked = 0;
  assertSame(copyPlain(value, clone), structuredClone(value));
  return asked > 0;
};

/** Changes of a plain value that make it unusual: the copy must be what structured clone makes of it. */
const unusual = fc.constantFrom<(object: Record<PropertyKey, unknown>) => void>(
  (object) => Object.defineProperty(object, Symbol('s'), { value: 1, enumerable: true }),
  (object) => Object.defineProperty(object, 'hidden', { value: {}, enumerable: false }),
  (object) => Object.defineProperty(object, 'got', { get: () => ({ fresh: true }), enumerable: true }),
  (object) => Object.defineProperty(object, '__proto__', { value: { own: 1 }, enumerable: true }),
  (object) => {
    object.fn = () => 1;
  },
  (object) => {
    object.symbol = Symbol('s');
  },
  (object) => {
    object.pattern = /x/g;
  },
  (object) => {
    object.boxed = Object(1);
  },
  (object) => {
    object.self = object;
  },
  (object) => {
    object.sparse = Object.assign(new Array(3), { 0: 1, 2: -0 });
  },
  (object) => {
    object.match = Object.assign(['a', 'b'], { index: 0 });
  },
  (object) => {
    object.both = Object.assign(new Array(2), { 1: 'b', extra: 1 });
  },
  (object) => {
    object.instance = new (class Point {
      x = 1;
    })();
  },
  (object) => {
    object.shared = [new SharedArrayBuffer(4)];
  },
);

function outcomeOf(make: () => unknown): { value: unknown } | { name: unknown; message: unknown } {
  try {
    return { value: make() };
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
}

describe('a copy equals a structured clone', () => {
  test('of graphs of all kinds of objects', () => {
    fc.assert(
      fc.property(graph, (value) => {
        const expected = cloneOf(value);
        assertSame(copyPlain(value, clone), expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('of values of JSON, as they are with what JSON has not, and structured clone is not asked', () => {
    const values = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(values, (value) => {
        assert.equal(isAsked(value), false);
      }),
      { numRuns: 1000 },
    );
  });

  test('of values with something unusual in them, also where both throw', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(unusual, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (changes, isDeep) => {
          const object: Record<PropertyKey, unknown> = { a: 1, b: [{}], c: undefined };
          for (const change of changes) if (!Object.hasOwn(object, 'self')) change(object);
          const value = isDeep ? [{ deep: object }] : object;
          const expected = outcomeOf(() => structuredClone(value));
          const actual = outcomeOf(() => copyPlain(value, clone));
          if ('value' in expected) assertSame((actual as { value: unknown }).value, expected.value);
          else assert.deepEqual(actual, expected);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a getter of a plain value runs once', () => {
    let runs = 0;
    const value = {
      get counted() {
        return ++runs;
      },
    };
    assert.deepEqual(copyPlain([value, [1]], clone), [{ counted: 1 }, [1]]);
    assert.equal(runs, 1);
  });

  test('a getter that copies something itself, or throws', () => {
    const inner = { list: [1] };
    const value = {
      get copied() {
        return copyPlain(inner, clone);
      },
      after: { deep: true },
    };
    assert.deepEqual(copyPlain(value, clone), { copied: inner, after: { deep: true } });
    const throwing = {
      get bad(): unknown {
        throw new RangeError('not now');
      },
    };
    assert.throws(() => copyPlain(throwing, clone), { name: 'RangeError', message: 'not now' });
    assert.equal(isAsked({ plain: [1] }), false, 'and the next one is as ever');
  });

  test('bytes of their own: what is copied is not the memory of the original', () => {
    const bytes = Buffer.from('some text');
    const copy = copyPlain(bytes, clone) as Uint8Array;
    bytes.fill(0);
    assert.equal(Object.getPrototypeOf(copy), Uint8Array.prototype);
    assert.equal(new TextDecoder().decode(copy), 'some text');
    assert.equal(copy.buffer.byteLength, 9);
  });

  test('something that all objects were given is nobody’s own', (t) => {
    t.after(() => Reflect.deleteProperty(Object.prototype, 'everywhere'));
    Object.defineProperty(Object.prototype, 'everywhere', { value: 1, enumerable: true, configurable: true });
    assert.deepEqual(Object.keys(copyPlain({ own: 1 }, clone) as object), ['own']);
  });

  test('objects of a shape that came often, whatever their values are', () => {
    const values = [1, 'text', true, null, undefined, 5n, [1], { inner: 1 }, new Date(0), -0, Number.NaN];
    for (let i = 0; i < 500; i++) {
      const [first, second, third] = [i, i >> 1, i * 7].map((n) => values[n % values.length]);
      const object = { first, second, third, record: { first, second: { third } } };
      // If an object comes twice in it, that is for structured clone.
      assert.equal(
        isAsked(object),
        [first, third].some((value) => value !== null && typeof value === 'object'),
      );
    }
    for (const bad of [() => 1, Symbol('s')]) {
      const object = { first: bad, second: 1, third: 1, record: 1 };
      assert.throws(() => copyPlain(object, clone), { name: 'DataCloneError' });
    }
    const begins = { first: 1, second: 2 };
    assertSame(copyPlain(begins, clone), begins);
    const goesOn = { first: 1, second: 2, third: 3, record: 4, more: 5 };
    assertSame(copyPlain(goesOn, clone), goesOn);
  });

  test('wide objects, as often as they come', () => {
    for (const count of [20, 127, 128, 129, 255, 300]) {
      for (let round = 0; round < 5; round++) {
        const entries = Array.from({ length: count }, (_, i) => [`wide${count}_${i}`, i % 9 ? i : { round }]);
        const value = Object.fromEntries(entries) as Record<string, unknown>;
        assertSame(copyPlain(value, clone), structuredClone(value));
      }
    }
  });

  test('objects of a shape that came often, of which a getter takes a property away', () => {
    const make = () => ({
      early: 1,
      get removes() {
        delete (this as { late?: number }).late;
        return 'removed';
      },
      late: 2,
    });
    for (let i = 0; i < 100; i++) assertSame(copyPlain(make(), clone), structuredClone(make()));
  });

  test('where a program forbids code that is made at run time', () => {
    const source = `
      import assert from 'node:assert';
      import { copyPlain } from ${JSON.stringify(import.meta.resolve('./plain-copy.js'))};
      const never = () => assert.fail('structured clone was asked');
      for (let i = 0; i < 100; i++) assert.deepEqual(copyPlain({ id: i, inner: { id: [i] } }, never), { id: i, inner: { id: [i] } });
      try { new Function(''); } catch (error) { process.stdout.write(error.name); }
    `;
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module'];
    assert.equal(String(execFileSync(process.execPath, [...flags, '-e', source])), 'EvalError');
  });

  test('values as deep as structured clone can go', () => {
    let value: unknown = 1;
    for (let i = 0; i < 1000; i++) value = i % 2 === 0 ? [value] : { value };
    assertSame(copyPlain(value, clone), structuredClone(value));
  });
});
