/** Bytes that are no value: the reader of the binary codec says so, soon, and makes nothing large of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { BOOK_BYTES, DamagedError } from './tags.js';
import { ShapeReader } from './shape-book.js';
import * as tag from './tags.js';
import { graph, pair } from './value-codec.case.js';
import { memoryOf } from './value-memory.js';
import { ValueReader } from './value-reader.js';

const SPACE = 1 << 18;
const both = pair();

/** What `bytes` are read as, with whatever else the memory holds around them. */
function readBytes(bytes: Uint8Array | readonly number[], { reader } = both): unknown {
  const memory = memoryOf(new SharedArrayBuffer(bytes.length + 40));
  memory.u8.fill(0x41).set(bytes, 20);
  return reader.read(memory, 20, 20 + bytes.length);
}

/** Asserts that reading ends, with a value or with a DamagedError. Returns whether there was a value. */
function assertEnds(bytes: Uint8Array): boolean {
  try {
    readBytes(bytes);
    return true;
  } catch (error) {
    assert.ok(error instanceof DamagedError, String(error));
    return false;
  }
}

function u32(value: number): number[] {
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];
}

describe('the reader of the binary codec', () => {
  const { TREE, GRAPH } = tag;
  const huge = u32(0xffffffff);
  const damaged: Record<string, readonly number[]> = {
    nothing: [],
    'nothing behind the first byte': [TREE],
    'a first byte that is none': [7, tag.NULL],
    'kinds that are none': [TREE, 0xff],
    'a text that is cut off': [TREE, tag.TEXT + 5, 1, 2],
    'a longer text that is cut off': [TREE, tag.TEXT8, 200, 1, 2],
    'a text of 4 GiB': [TREE, tag.TEXT32, ...huge, 1, 2],
    'a wide text of 8 GiB': [TREE, tag.WIDE, ...huge, 1, 2],
    'a wide text that is cut off in a character': [TREE, tag.WIDE, ...u32(2), 1, 2, 3],
    'a number that is cut off': [TREE, tag.DOUBLE, 1, 2, 3, 4, 5, 6, 7],
    'an int that is cut off': [TREE, tag.INT32, 1, 2, 3],
    'a bigint that is cut off': [TREE, tag.BIGINT64, 1, 2, 3],
    'a bigint of other digits': [TREE, tag.BIGINT, tag.TEXT + 2, 0x67, 0x68],
    'a bigint of no digits': [TREE, tag.BIGINT, tag.TEXT],
    'a bigint of no text': [TREE, tag.BIGINT, 5],
    'an array of 4 Gi items': [TREE, tag.LIST32, ...huge, 1],
    'an array of 4 Gi numbers': [TREE, tag.DOUBLES, ...huge, 1, 2, 3, 4, 5, 6, 7, 8],
    'an array of numbers that is cut off': [TREE, tag.DOUBLES, ...u32(1), 1, 2, 3, 4, 5, 6, 7],
    'an array that is cut off': [TREE, tag.LIST + 3, 1, 2],
    'an object of a shape that is not there': [TREE, tag.OBJECT, 200, 3],
    'a record without values': [TREE, tag.RECORD, 0xff, 0xff],
    'a record with a key that is no text': [TREE, tag.RECORD, 1, 0, 1, 1],
    'a dictionary with a key that is no text': [
      TREE,
      tag.RECORD,
      40,
      0,
      ...new Array<number>(40).fill(1),
      ...new Array<number>(39).fill(tag.TEXT),
      1,
    ],
    'a date that is cut off': [TREE, tag.DATE, 1],
    'a Map of 4 Gi entries': [TREE, tag.MAP, ...huge, 1, 1],
    'a Set of 4 Gi items': [TREE, tag.SET, ...huge, 1],
    'a buffer of 4 GiB': [TREE, tag.BUFFER, ...huge, 0, 1],
    'a buffer behind more than there is': [TREE, tag.BUFFER, ...u32(1), 9, 1],
    'a view of 4 GiB': [TREE, tag.VIEW, 0, ...huge, 0, 1],
    'a view of no known kind': [TREE, tag.VIEW, 99, ...u32(0), 0],
    'a view that ends within an item': [TREE, tag.VIEW, 5, ...u32(3), 0, 1, 2, 3],
    'a view of what is no buffer': [TREE, tag.VIEW_OF, 0, ...u32(0), ...u32(0), tag.NULL],
    'a view of an array': [TREE, tag.VIEW_OF, 0, ...u32(0), ...u32(0), tag.LIST],
    'a view beyond its buffer': [TREE, tag.VIEW_OF, 0, ...u32(1), ...u32(2), tag.BUFFER, ...u32(2), 0, 1, 2],
    'a view at an odd place': [
      TREE,
      tag.VIEW_OF,
      3,
      ...u32(1),
      ...u32(2),
      tag.BUFFER,
      ...u32(4),
      0,
      1,
      2,
      3,
      4,
    ],
    'a view of itself': [GRAPH, tag.VIEW_OF, 0, ...u32(0), ...u32(0), tag.SAME, ...u32(0)],
    'an error of no known class': [TREE, tag.ERROR, 50, 0],
    'an error with a message that is no text': [TREE, tag.ERROR, 0, 1, 5],
    'an object that did not come before': [GRAPH, tag.SAME, ...u32(0)],
    'an object that comes later': [GRAPH, tag.LIST + 2, tag.SAME, ...u32(1), tag.LIST],
    'an object again where none come again': [TREE, tag.LIST + 1, tag.SAME, ...u32(0)],
    'arrays in arrays without end': [TREE, ...new Array<number>(100_000).fill(tag.LIST + 1)],
    'Sets in Sets without end': [TREE, ...new Array(10_000).fill([tag.SET, ...u32(1)]).flat()],
    'errors caused by errors without end': [
      TREE,
      ...new Array(10_000).fill([tag.ERROR, 0, 1, tag.UNDEFINED, tag.UNDEFINED]).flat(),
    ],
  };
  for (const [name, bytes] of Object.entries(damaged)) {
    test(`refuses ${name}`, () => {
      assert.throws(() => readBytes(bytes), DamagedError);
      assert.deepEqual(readBytes([TREE, tag.LIST + 1, 5]), [5], 'and goes on');
    });
  }

  test('reads a key that comes twice as one with the later value', () => {
    for (const others of [0, 5, 50]) {
      const letters = Array.from({ length: others }, (_, i) => [tag.TEXT + 1, 0x30 + i]).flat();
      const keys = [tag.TEXT + 1, 0x78, ...letters, tag.TEXT + 1, 0x78];
      const values = [1, ...new Array<number>(others).fill(2), 3];
      const object = readBytes([TREE, tag.RECORD, others + 2, 0, ...values, ...keys]) as Record<
        string,
        number
      >;
      assert.equal(object['x'], 3);
      assert.equal(Object.keys(object).length, others + 1);
    }
  });

  test('takes what is cut off anywhere for damaged, whatever comes behind it', () => {
    fc.assert(
      fc.property(graph, (value) => {
        const memory = memoryOf(new ArrayBuffer(SPACE));
        const after = both.writer.write(value, memory, 0, SPACE);
        fc.pre(after < 3000);
        for (let end = 0; end < after; end++) {
          assert.throws(() => both.reader.read(memory, 0, end), DamagedError, `${end} of ${after}`);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('ends, whatever the bytes are', () => {
    const first = fc.constantFrom(TREE, GRAPH);
    const bytes = fc.uint8Array({ maxLength: 120 });
    // Bytes that are tags are the likelier to be values.
    const tags = fc.array(fc.oneof(fc.integer({ min: 0x80, max: tag.DOUBLES }), fc.nat(9)), {
      maxLength: 120,
    });
    let values = 0;
    fc.assert(
      fc.property(first, fc.oneof(bytes, tags), (kind, rest) => {
        if (assertEnds(Uint8Array.from([kind, ...rest]))) values++;
      }),
      { numRuns: 6000 },
    );
    assert.ok(values > 500, `only ${values} of 6000 were values: the bytes are too unlikely`);
  });

  test('ends, whatever has happened to the bytes of a value', () => {
    const change = fc.tuple(fc.nat(4000), fc.nat(255), fc.constantFrom('set', 'insert', 'remove'));
    const memory = memoryOf(new ArrayBuffer(SPACE));
    fc.assert(
      fc.property(graph, fc.array(change, { minLength: 1, maxLength: 6 }), (value, changes) => {
        const bytes = [...memory.u8.slice(0, both.writer.write(value, memory, 0, SPACE))];
        for (const [at, byte, what] of changes) {
          bytes.splice(at % bytes.length, what === 'insert' ? 0 : 1, ...(what === 'remove' ? [] : [byte]));
        }
        assertEnds(Uint8Array.from(bytes));
      }),
      { numRuns: 1500 },
    );
  });

  test('takes no memory for an array that cannot be there', () => {
    const peak = () => process.resourceUsage().maxRSS;
    const before = peak();
    assert.throws(() => readBytes([TREE, tag.LIST32, ...u32(3e7), 1, 2, 3]), DamagedError);
    assert.ok(peak() - before < 100_000, `${peak() - before} KiB`);
  });

  test('gives what it reads memory of its own', () => {
    const memory = memoryOf(new SharedArrayBuffer(1000));
    const after = both.writer.write([Uint8Array.of(1, 2), Uint8Array.of(3).buffer], memory, 0, 1000);
    const [view, buffer] = both.reader.read(memory, 0, after) as [Uint8Array, ArrayBuffer];
    memory.u8.fill(99);
    assert.deepEqual([[...view], [...new Uint8Array(buffer)]], [[1, 2], [3]]);
    assert.ok(view.buffer instanceof ArrayBuffer);
  });
});

describe('the reader of a damaged book of shapes', () => {
  test('makes what would do something to the object a property of its own', () => {
    const book = new SharedArrayBuffer(BOOK_BYTES);
    new Int32Array(book)[0] = 1;
    new Uint8Array(book).set([2, 9, ...Buffer.from('__proto__'), 1, 0x61], 4);
    const reader = new ValueReader(new ShapeReader(book));
    for (let i = 0; i < 100; i++) {
      const object = readBytes([tag.TREE, tag.OBJECT, 0, 0, tag.LIST, 5], { ...both, reader }) as object;
      assert.equal(Object.getPrototypeOf(object), Object.prototype);
      assert.deepEqual(Object.entries(object), [
        ['__proto__', []],
        ['a', 5],
      ]);
    }
  });

  test('ends, whatever is in the book', () => {
    const letters = fc.constantFrom(1, 2, 3, 0x61, 0x62, 0x5f, 0x24);
    const anyBook = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((bytes) => [...bytes]),
      fc.array(letters, { maxLength: 400 }),
    );
    fc.assert(
      fc.property(anyBook, fc.nat(), fc.nat(70), fc.boolean(), (bytes, count, id, isFull) => {
        const book = new SharedArrayBuffer(BOOK_BYTES);
        const u8 = new Uint8Array(book);
        for (let at = 4; at < (isFull ? u8.length : bytes.length + 4); at++)
          u8[at] = bytes[at % bytes.length] ?? 1;
        new Int32Array(book)[0] = count;
        const reader = new ValueReader(new ShapeReader(book));
        for (let i = 0; i < 2; i++) {
          try {
            readBytes([tag.TREE, tag.OBJECT, id, 0, ...new Array<number>(300).fill(5)], { ...both, reader });
          } catch (error) {
            assert.ok(error instanceof DamagedError, String(error));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
