/** Sizes of blocks: every size has the smallest class that holds it, and little of it is waste. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNIT_BYTES } from './arena-address.js';
import { CLASS_OF, LARGEST, PAGE_BYTES, SIZES, SPAN_PAGES } from './arena-classes.js';

const classOf = (byteLength: number) => CLASS_OF[Math.ceil(byteLength / UNIT_BYTES)]!;

test('every size gets the smallest class that holds it', () => {
  for (let bytes = 0; bytes <= LARGEST; bytes += bytes < 5000 ? 1 : 61) {
    const kind = classOf(bytes);
    assert.ok(SIZES[kind]! >= bytes, `${bytes}`);
    assert.ok(kind === 0 || SIZES[kind - 1]! < bytes, `${bytes}`);
  }
  assert.equal(SIZES[classOf(LARGEST)], LARGEST);
});

test('less than a quarter of a block is waste, above the smallest class', () => {
  for (let bytes = SIZES[0]!; bytes <= LARGEST; bytes += 13) {
    assert.ok(bytes > SIZES[classOf(bytes)]! * 0.75, `${bytes}`);
  }
});

test('a power of two and a header fit a class an eighth above, up to 1 MiB', () => {
  for (let bytes = 512; bytes <= 2 ** 20; bytes *= 2) {
    assert.equal(SIZES[classOf(bytes)], bytes);
    assert.equal(SIZES[classOf(bytes + UNIT_BYTES)], bytes * 1.125);
  }
});

test('blocks begin where a unit does, and less than an eighth of a span is left over', () => {
  for (const [kind, size] of SIZES.entries()) {
    const span = SPAN_PAGES[kind]! * PAGE_BYTES;
    assert.equal(size % UNIT_BYTES, 0);
    assert.ok(span >= size && span % size < span / 8, `${size} in ${span}`);
  }
});
