/** The book of shapes: what gets into it, what does not, and that all who read it read the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BOOK_BYTES, DamagedError } from './tags.js';
import { ShapeReader, ShapeWriter } from './shape-book.js';
import { assertSame, cross, pair } from './value-codec.case.js';
import { memoryOf } from './value-memory.js';
import { ValueReader } from './value-reader.js';
import { ValueWriter } from './value-writer.js';

const NONE = -1;
const memory = memoryOf(new SharedArrayBuffer(1 << 16));

function book() {
  const buffer = new SharedArrayBuffer(BOOK_BYTES);
  const writer = new ShapeWriter(buffer);
  const shapes = () => new Int32Array(buffer)[0]!;
  return { buffer, writer, reader: new ShapeReader(buffer), shapes };
}

/** The number of `keys` once they are in the book. */
function add(writer: ShapeWriter, keys: readonly string[]): number {
  writer.idOf(keys);
  return writer.idOf(keys);
}

/** The same for more than 64 keys, which must come once more. */
function addMany(writer: ShapeWriter, keys: readonly string[]): number {
  writer.idOf(keys);
  return add(writer, keys);
}

/** All keys of the shape with that number. */
function keysOf(reader: ShapeReader, id: number): readonly string[] {
  return reader.shape(id).keys;
}

/** An object that has keys of `length` letters each, which no other number has. */
function objectOf(number: number, keys: number, length = 8): Record<string, number> {
  const name = (i: number) => `k${number.toString(36)}_${i}`.padEnd(length, 'x');
  return Object.fromEntries(Array.from({ length: keys }, (_, i) => [name(i), i * number]));
}

describe('the book of shapes', () => {
  test('takes a list of keys when it comes for the second time, and gives it the same number from then on', () => {
    const { writer, reader, shapes } = book();
    assert.equal(writer.idOf(['a', 'b']), NONE);
    assert.equal(shapes(), 0);
    assert.equal(writer.idOf(['a', 'b']), 0);
    assert.equal(add(writer, ['b', 'a']), 1, 'in another order it is another shape');
    assert.equal(add(writer, ['a', 'b', 'c']), 2, 'longer');
    assert.equal(add(writer, ['a']), 3, 'shorter');
    assert.equal(writer.idOf(['a', 'b']), 0);
    assert.equal(shapes(), 4);
    assert.deepEqual(
      [0, 1, 2, 3].map((id) => keysOf(reader, id)),
      [['a', 'b'], ['b', 'a'], ['a', 'b', 'c'], ['a']],
    );
  });

  test('does not take what is no name, what all objects have, no keys, and too many', () => {
    const { writer, shapes } = book();
    const many = Object.keys(objectOf(1, 256));
    const odd = ['', '1', 'a b', 'é', '__proto__', 'toString', 'x'.repeat(256)].map((key) => ['a', key]);
    for (const keys of [...odd, [], many]) {
      for (let i = 0; i < 5; i++) assert.equal(writer.idOf(keys), NONE, keys.join());
    }
    assert.equal(shapes(), 0);
    assert.equal(addMany(writer, many.slice(0, 255)), 0);
    assert.equal(add(writer, ['$', '_x', 'camelCase', 'x9']), 1);
  });

  test('takes a list of more than 64 keys when it comes for the third time', () => {
    const { writer, reader } = book();
    const keys = Object.keys(objectOf(1, 255, 10));
    assert.equal(add(writer, keys), NONE);
    assert.equal(writer.idOf(keys), 0);
    assert.deepEqual(keysOf(reader, 0), keys);
    assert.equal(add(writer, keys.slice(0, 65)), NONE);
    assert.equal(writer.idOf(keys.slice(0, 65)), 1, 'also one that another begins with');
    assert.equal(add(writer, keys.slice(0, 64)), 2);
    assert.equal(writer.idOf(keys), 0);
  });

  test('is not filled by lists of more than 64 keys: half of it is left to others', () => {
    const { writer, shapes, reader } = book();
    for (let i = 0; i < 100; i++) addMany(writer, Object.keys(objectOf(i, 150)));
    const wide = shapes();
    assert.ok(wide > 5, `${wide} shapes`);
    assert.ok(writer.byteLength <= BOOK_BYTES / 2, `${writer.byteLength} bytes`);
    const lists = Array.from({ length: 25 }, (_, i) => Object.keys(objectOf(i, 64)));
    lists.forEach((keys, i) => assert.equal(add(writer, keys), wide + i));
    assert.deepEqual(keysOf(reader, wide + 24), lists[24]);
  });

  test('can be read by several, each when it needs it', () => {
    const { writer, buffer } = book();
    const [early, late] = [new ShapeReader(buffer), new ShapeReader(buffer)];
    const long = Object.keys(objectOf(1, 11));
    for (let i = 0; i < 20; i++) {
      assert.equal(add(writer, [`k${i}`, 'same']), i);
      assert.deepEqual(keysOf(early, i), [`k${i}`, 'same']);
    }
    for (const i of [7, 19, 0]) assert.deepEqual(keysOf(late, i), [`k${i}`, 'same']);
    for (const id of [20, NONE, 0xffff]) assert.throws(() => late.shape(id), DamagedError);
    assert.equal(add(writer, long), 20);
    assert.deepEqual(keysOf(late, 20), long, 'also one that it has asked for too early');
  });

  test('stays as it is when it is full, and objects arrive nevertheless', () => {
    const both = pair();
    const shapes = new Int32Array(both.book);
    const objects = Array.from({ length: 1000 }, (_, i) => objectOf(i, 1 + (i % 9)));
    for (let round = 0; round < 3; round++) {
      // Each object twice in a row: otherwise its shape is forgotten before it comes again.
      for (const object of objects) {
        for (let i = 0; i < 2; i++)
          assertSame(cross([object, { object }], both, memory), [object, { object }]);
      }
    }
    assert.ok(shapes[0]! > 100 && shapes[0]! < 1000, `${shapes[0]} shapes`);
    assert.equal(new Uint8Array(both.book).length, BOOK_BYTES);
  });

  test('takes all of many shapes that take turns', () => {
    const { writer, shapes } = book();
    const lists = Array.from({ length: 100 }, (_, i) => Object.keys(objectOf(i, 3)));
    for (let round = 0; round < 20; round++) for (const keys of lists) writer.idOf(keys);
    assert.equal(shapes(), lists.length);
  });

  test('is not filled by a few shapes of long keys', () => {
    const { writer } = book();
    for (let i = 0; i < 5; i++) {
      assert.equal(writer.idOf(Object.keys(objectOf(1, 64, 100))), NONE);
      assert.equal(writer.idOf(Object.keys(objectOf(3, 200, 50))), NONE);
    }
    assert.equal(add(writer, Object.keys(objectOf(2, 8, 100))), 0);
  });

  test('is not filled by dictionaries whose keys are others each time', () => {
    const both = pair();
    for (let i = 0; i < 10_000; i++) {
      const dictionary = { [`k${i}`]: 1, [`k${i * 31}x`]: 2 };
      both.writer.write(dictionary, memory, 0, 1000);
    }
    // The last keys of these lists are always the same.
    const end = objectOf(1, 30);
    for (let i = 2; i < 500; i++) both.writer.write({ ...objectOf(i, 100), ...end }, memory, 0, 1 << 16);
    assert.equal(new Int32Array(both.book)[0], 0);
    const record = { id: 1, name: 'x' };
    for (let i = 0; i < 3; i++) assertSame(cross(record, both, memory), record);
    assert.equal(new Int32Array(both.book)[0], 1);
  });

  test('has objects made right when they are made often: of more shapes than can be made quickly, too', () => {
    const both = pair();
    const objects = Array.from({ length: 30 }, (_, i) => objectOf(i, 1 + (i % 13)));
    objects.push(objectOf(30, 127), objectOf(31, 128), objectOf(32, 255, 9));
    const alike = Array.from({ length: 6 }, (_, i) => ({
      same: i,
      begin: [i],
      [`end${i}`]: 'x',
      and: { same: i },
    }));
    for (let round = 0; round < 60; round++) {
      for (const object of [...objects, ...alike]) assertSame(cross(object, both, memory), object);
    }
  });

  test('has objects made right whose values are now of one kind and then of another', () => {
    const both = pair();
    const values = [1, 0.5, 'text', null, [1], { a: 1 }, undefined, 2 ** 40, true];
    for (let i = 0; i < 400; i++) {
      const object = { id: values[i % 9], name: values[(i >> 1) % 9], next: values[(i * 7) % 9] };
      assertSame(cross(object, both, memory), object);
    }
  });

  test('has objects made right where a program forbids code that is made at run time', () => {
    const codec = JSON.stringify(import.meta.resolve('./value-codec.case.js'));
    const memory = JSON.stringify(import.meta.resolve('./value-memory.js'));
    const source = `
      import { assertSame, cross, pair } from ${codec};
      import { memoryOf } from ${memory};
      const [both, space] = [pair(), memoryOf(new SharedArrayBuffer(4000))];
      const row = Object.fromEntries(Array.from({ length: 100 }, (_, i) => ['column' + i, i]));
      const object = { id: 1, name: 'x', inner: { id: 2 }, row };
      for (let i = 0; i < 100; i++) assertSame(cross(object, both, space), object);
      try { new Function(''); } catch (error) { process.stdout.write(error.name); }
    `;
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module'];
    assert.equal(String(execFileSync(process.execPath, [...flags, '-e', source])), 'EvalError');
  });

  test('has objects within objects of the same shape made right', () => {
    const both = pair();
    const tree = (depth: number): unknown => ({
      depth,
      left: depth === 0 ? null : tree(depth - 1),
      name: `node ${depth}`,
      right: depth === 0 ? null : tree(depth - 1),
      weight: depth / 3,
    });
    for (let i = 0; i < 5; i++) assertSame(cross(tree(6), both, memory), tree(6));
  });
});

describe('in another thread', () => {
  test('values arrive whose shapes were not in the book when the thread began', async () => {
    const { buffer, writer } = book();
    const space = new SharedArrayBuffer(1 << 16);
    const words = new Int32Array(new SharedArrayBuffer(12));
    const source = `
      import { parentPort, workerData } from 'node:worker_threads';
      const load = (name) => import(new URL(name, workerData.base).href);
      const { ShapeReader, ShapeWriter } = await load('./shape-book.js');
      const { memoryOf } = await load('./value-memory.js');
      const { ValueReader } = await load('./value-reader.js');
      const { ValueWriter } = await load('./value-writer.js');
      const { words, space, book, backBook } = workerData;
      const memory = memoryOf(space);
      const reader = new ValueReader(new ShapeReader(book));
      const writer = new ValueWriter(new ShapeWriter(backBook));
      for (let turn = 1; ; turn += 2) {
        Atomics.wait(words, 0, turn - 1);
        const length = words[1];
        if (length === 0) break;
        words[1] = writer.write(reader.read(memory, 7, length), memory, 9, space.byteLength);
        Atomics.store(words, 0, turn + 1);
        Atomics.notify(words, 0);
      }
    `;
    const back = book();
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
      workerData: { base: import.meta.url, words, space, book: buffer, backBook: back.buffer },
    });
    const failed = new Promise<never>((_, reject) => worker.once('error', reject));
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const [values, reader] = [new ValueWriter(writer), new ValueReader(back.reader)];
    const here = memoryOf(space);
    let turn = 0;
    const send = async (length: number) => {
      words[1] = length;
      Atomics.store(words, 0, ++turn);
      Atomics.notify(words, 0);
      if (length === 0) return;
      while (Atomics.load(words, 0) === turn) await Promise.race([setImmediate(), failed]);
      turn++;
    };
    for (let i = 0; i < 200; i++) {
      const shared = { i };
      const value = { [`key${i % 20}`]: [shared, shared], name: 'é€'.repeat(i), data: new Float64Array([i]) };
      await send(values.write(value, here, 7, space.byteLength));
      assertSame(reader.read(here, 9, words[1]!), value);
    }
    await send(0);
    await Promise.race([ended, failed]);
    assert.equal(back.shapes(), 21);
  });
});
