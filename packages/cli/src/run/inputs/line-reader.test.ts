import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLines } from './stream.js';

async function linesOf(text: string, chunkBytes: number): Promise<{ texts: string[]; bytes: number }> {
  const all = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
  }
  const texts: string[] = [];
  let bytes = 0;
  for await (const group of readLines(chunks())) {
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

test('a newline at the end begins no further line, and nothing has no line', async () => {
  assert.deepEqual((await linesOf('a\nb\n', 4)).texts, ['a', 'b']);
  assert.deepEqual((await linesOf('', 4)).texts, []);
  assert.deepEqual((await linesOf('\n', 4)).texts, ['']);
});
