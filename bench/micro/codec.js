// How long it takes to write a value into shared memory and to read it back, beside what the platform offers for that.
// node bench/micro/codec.js [words of names]
import { deserialize, serialize } from 'node:v8';

const codec = new URL('../../packages/threadwise/dist/transport/codec/', import.meta.url);
const load = (name) => import(new URL(name, codec).href);
const { ShapeReader, ShapeWriter } = await load('shape-book.js');
const { BOOK_BYTES } = await load('tags.js');
const { memoryOf } = await load('value-memory.js');
const { ValueReader } = await load('value-reader.js');
const { ValueWriter } = await load('value-writer.js');

/** How many batches are timed. The shortest counts: what disturbs the machine only ever adds time. */
const BATCHES = 300;
const BATCH_NANOSECONDS = 1e6;
const SPACE = 1 << 20;

const small = () => ({ id: 7, name: 'a small object', ok: true, tags: ['red', 'green', 'blue'] });
const line = (n) => ({
  sku: `article-7-${n}`,
  title: `A thing that is sold, number ${n}`,
  count: n % 7,
  price: n + 0.5,
  isTaxed: n % 2 === 0,
  note: null,
  tags: ['red', 'green', 'blue'],
  size: { width: n, height: 2 * n },
});

const dictionary = (keys, prefix) =>
  Object.fromEntries(Array.from({ length: keys }, (_, i) => [`${prefix} ${i}`, i]));

/** The values that are measured, by name; several values take turns. */
const scenarios = {
  'a small object': [small()],
  'a small object, of four shapes in turn': [
    small(),
    { type: 'event', at: 123_456, who: { id: 5, name: 'somebody' } },
    { x: 1.5, y: 2.5, z: 3.5 },
    { a: 1, b: 'two', c: [1, 2, 3] },
  ],
  'a small object with other texts each time': Array.from({ length: 500 }, (_, i) => ({
    ...small(),
    name: `object no. ${i}`,
    tags: [`red ${i}`, `green ${i}`, `blue ${i}`],
  })),
  'an array of 3 integers': [[1, 2, 3]],
  'a text of 20 characters': ['twenty characters...'],
  '10 KiB of JSON': [
    { id: 7, customer: { name: 'A. Customer' }, lines: Array.from({ length: 58 }, (_, n) => line(n)) },
  ],
  '100 numbers with a fraction': [Array.from({ length: 100 }, (_, i) => i + 0.5)],
  'a dictionary of 20 names': [dictionary(20, 'name')],
  'a dictionary of 200 others each time': Array.from({ length: 50 }, (_, i) => dictionary(200, `no. ${i}`)),
  'a row of 100 columns': [Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`column${i}`, i]))],
  '1 KiB of bytes': [new Uint8Array(1024).fill(7)],
};

/** The shortest time of one call, in nanoseconds. The calls before it warm up: the first results make the compiler recompile. */
function measure(call) {
  let perBatch = 1;
  for (let round = 0; round < 200 || timeOf(call, perBatch) < BATCH_NANOSECONDS / 2; round++) {
    if (timeOf(call, perBatch) < BATCH_NANOSECONDS) perBatch = Math.ceil(perBatch * 1.2);
  }
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < BATCHES; i++) best = Math.min(best, timeOf(call, perBatch) / perBatch);
  return best;
}

let kept;
function timeOf(call, count) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < count; i++) kept = call(i);
  return Number(process.hrtime.bigint() - begin);
}

/** Ways to get a value across: the function that writes the i-th value, and the one that reads it. */
function waysOf(values) {
  const book = new SharedArrayBuffer(BOOK_BYTES);
  const writer = new ValueWriter(new ShapeWriter(book));
  const reader = new ValueReader(new ShapeReader(book));
  const memory = memoryOf(new SharedArrayBuffer(SPACE));
  const { length } = values;
  // Written twice before, so that the book has the shapes, and the third time has the final length.
  for (const value of [...values, ...values]) writer.write(value, memory, 0, SPACE);
  let end = 0;
  const places = values.map((value) => {
    const begin = end;
    end = writer.write(value, memory, begin, SPACE / 2);
    if (end < 0) throw new Error(`not written: ${end}`);
    return { begin, end };
  });
  const texts = values.map((value) => JSON.stringify(value));
  const serialized = values.map((value) => serialize(value));
  return {
    codec: [
      (i) => writer.write(values[i % length], memory, SPACE / 2, SPACE),
      (i) => {
        const place = places[i % length];
        return reader.read(memory, place.begin, place.end);
      },
    ],
    JSON: [(i) => JSON.stringify(values[i % length]), (i) => JSON.parse(texts[i % length])],
    'v8.serialize': [(i) => serialize(values[i % length]), (i) => deserialize(serialized[i % length])],
    structuredClone: [(i) => structuredClone(values[i % length])],
  };
}

const wanted = process.argv.slice(2);
console.log(`Node ${process.version}; nanoseconds to write / to read, least of ${BATCHES} batches\n`);
for (const [name, values] of Object.entries(scenarios)) {
  if (!wanted.every((word) => name.includes(word))) continue;
  const figures = Object.entries(waysOf(values)).map(
    ([way, calls]) => `${way} ${calls.map((call) => measure(call).toFixed(0)).join(' / ')}`,
  );
  console.log(`${name.padEnd(42)} ${figures.join('   ')}`);
}
if (kept === undefined) throw new Error('nothing was measured');
