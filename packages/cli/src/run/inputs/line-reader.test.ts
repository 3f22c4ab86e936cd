import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants } from 'node:buffer';
import { UsageError } from '../../exit-code.js';
import { readLines } from './stream.js';

async function linesOf(text: string, chunkBytes: number): Promise<{ texts: string[]; bytes: number }> {
  const all = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
  }
  const texts: string[] = [];
  let bytes = 0;
  for await (const group of readLines(chunks(), 'x')) {
    for (const line of group) {
      texts.push(line.value);
      bytes += line.bytes;
    }
  }
  return { texts, bytes };
}

test('cuts lines the same however the bytes come, and counts every byte', async () => {
  const text = 'eins\r\nzwei é 😀\n\nlast';
  for (const chunkBytes of [1, 2, 3, 5, 1000]) {
    const { texts, bytes } = await linesOf(text, chunkBytes);
    assert.deepEqual(texts, ['eins', 'zwei é 😀', '', 'last']);
    assert.equal(bytes, Buffer.byteLength(text));
  }
});

test('a carriage return ends a line together with a newline only', async () => {
  for (const chunkBytes of [1, 2, 1000]) {
    assert.deepEqual((await linesOf('a\rb\r\r\nc\r', chunkBytes)).texts, ['a\rb\r', 'c\r']);
  }
});

test('a newline at the end begins no further line, and nothing has no line', async () => {
  assert.deepEqual((await linesOf('a\nb\n', 4)).texts, ['a', 'b']);
  assert.deepEqual((await linesOf('', 4)).texts, []);
  assert.deepEqual((await linesOf('\n', 4)).texts, ['']);
});

test('a byte order mark is no part of the first line, and alone no line', async () => {
  for (const chunkBytes of [1, 2, 1000]) {
    assert.deepEqual((await linesOf('\ufeff', chunkBytes)).texts, []);
    assert.deepEqual((await linesOf('\ufeffa', chunkBytes)).texts, ['a']);
    assert.deepEqual((await linesOf('\ufeff\n\ufeff', chunkBytes)).texts, ['', '\ufeff']);
  }
});

test('a line that no string can hold is refused before all of it is in memory', async () => {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('first\nsecond\nthird ');
    for (; given < 4 * constants.MAX_STRING_LENGTH; given += chunk.length) yield chunk;
  }
  const texts: string[] = [];
  const reading = (async () => {
    for await (const group of readLines(endless(), 'x.bin')) texts.push(...group.map(({ value }) => value));
  })();
  await assert.rejects(reading, (error: unknown) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /^line 3 of 'x\.bin' has more than 511 MiB/);
    return true;
  });
  assert.deepEqual(texts, ['first', 'second']);
  assert.ok(given < 2 * constants.MAX_STRING_LENGTH);
});
