/** Sizes of values that cross, and copies that hold no memory but their own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStream } from '../../../run/output/format.js';
import { bytesOf, classesIn, standalone, uncloneable } from './values.js';

test('a view of a large buffer gets memory of its own size', () => {
  const view = new Uint16Array(new ArrayBuffer(4096), 64, 4).fill(7);
  const own = standalone(view) as Uint16Array;
  assert.deepEqual(own, view);
  assert.equal(own.buffer.byteLength, 8);
});

test('views within arrays and objects do, too, and a Buffer stays one', () => {
  const source = Buffer.from('some text that is long enough');
  const { list } = standalone({ list: [source.subarray(5, 9)] }) as { list: Buffer[] };
  assert.equal(list[0]?.toString(), 'text');
  assert.ok(Buffer.isBuffer(list[0]));
  assert.equal(list[0]?.buffer.byteLength, 4);
});

test('other values stay what they are', () => {
  const date = new Date(0);
  assert.deepEqual(standalone(date), date);
  assert.equal(standalone('text'), 'text');
  assert.equal(standalone(null), null);
});

test('what contains itself or is there twice is copied as it is', () => {
  const bytes = Buffer.from('bytes');
  const tree: Record<string, unknown> = { bytes, again: bytes, list: [1, 'text'] };
  tree.list = [tree, tree.list];
  const copy = standalone(tree) as typeof tree;
  assert.notEqual(copy, tree);
  assert.deepEqual(copy, tree);
  assert.equal((copy.list as unknown[])[0], copy);
  assert.equal(copy.again, copy.bytes);
  const named = standalone(JSON.parse('{"__proto__": {"a": 1}}')) as object;
  assert.deepEqual(Object.keys(named), ['__proto__']);
});

test('the classes of what arrives plain are named, wherever it lies, and no others', () => {
  class Point {
    x = 1;
  }
  class Table extends Map {}
  const value = [new Date(0), { a: new Map([[new Point(), new Set([new Point()])]]) }, /x/, new Table()];
  assert.deepEqual(classesIn(value), ['Point']);
  assert.deepEqual(classesIn({ hash: Buffer.from('x') }), ['Buffer']);
  assert.deepEqual(classesIn([new Uint8Array(5), new Error('x'), null, 'text']), []);
  assert.deepEqual(classesIn(Object.assign(new Point(), { f: () => 1 })), [], 'it cannot cross at all');
  const withoutConstructor: unknown = Object.create(Object.create(null) as object);
  assert.deepEqual(classesIn(withoutConstructor), ['a class without a name']);
  class Named {
    static name(): void {}
  }
  assert.deepEqual(classesIn(new Named()), ['a class without a name']);
  const throwing = {
    get x() {
      throw new Error('boom');
    },
  };
  assert.deepEqual(classesIn([throwing, new Point()]), ['Point']);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const odd = [new Proxy(new Map(), {}), new Proxy(new Set(), {}), Object.create(Set.prototype), proxy];
  assert.deepEqual(classesIn([...odd, new Point()]), ['Point']);
});

test('bytes are counted as bytes, and the rest as it is written', () => {
  assert.equal(bytesOf(new Float64Array(4)), 32);
  assert.equal(bytesOf(new ArrayBuffer(5)), 5);
  assert.ok(bytesOf('x'.repeat(1000))! >= 1000);
  assert.equal(
    bytesOf(() => 1),
    undefined,
  );
});

test('what cannot be cloned says why', () => {
  assert.equal(uncloneable({ a: [1] }), undefined);
  assert.match(uncloneable({ call: () => 1 })!, /could not be cloned/);
});

test('tells what gives its values one by one from lists, also from lists that cannot be cloned', () => {
  function* generator() {
    yield 1;
  }
  for (const stream of [generator(), [1].values(), new ReadableStream()]) assert.ok(isStream(stream));
  for (const other of [[() => 1], new Map(), 'text', undefined, { next: 1 }]) assert.ok(!isStream(other));
});
