import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compare } from './compare.js';
import { ALPHABET, BLOCK, searchBlock, sha1, wordAt, wordCount } from './search.js';

const run = promisify(execFile);
const main = fileURLToPath(new URL('./main.js', import.meta.url));

test('digests are as the standard says', () => {
  assert.equal(sha1('abc'), 'a9993e364706816aba3e25717850c26c9cd0d89d');
});

test('every word has one number', () => {
  const words = Array.from({ length: wordCount(2) }, (_, number) => wordAt(number, 2));
  assert.equal(new Set(words).size, ALPHABET.length ** 2);
  assert.deepEqual([words[0], words[1], words.at(-1)], ['aa', 'ab', '99']);
});

test('a block ends where the next one begins', () => {
  const [last, next] = [wordAt(BLOCK - 1, 3), wordAt(BLOCK, 3)];
  assert.deepEqual([searchBlock(sha1(last), 3, 0), searchBlock(sha1(last), 3, 1)], [last, undefined]);
  assert.deepEqual([searchBlock(sha1(next), 3, 0), searchBlock(sha1(next), 3, 1)], [undefined, next]);
});

test('threads find the first word, the last one, and none, as one thread does', async () => {
  const find = (word) => compare({ digest: sha1(word), length: 3, threads: 2 });
  assert.equal((await find('aaa')).word, 'aaa');
  assert.equal((await find('999')).word, '999');
  const none = await find('no word of three letters');
  assert.deepEqual([none.word, none.searched], [undefined, none.blocks]);
});

test('the find ends the others: they do not look through all there is', async () => {
  // The word is in the second of 14,764 blocks: that takes a moment, all blocks would take minutes.
  const { word, searched, blocks } = await compare({
    digest: sha1(wordAt(BLOCK + 5, 5)),
    length: 5,
    threads: 3,
  });
  assert.equal(word, wordAt(BLOCK + 5, 5));
  assert.ok(searched < blocks, `${searched} of ${blocks}`);
});

test('main.js runs, and ends with what threads brought', async () => {
  const { stdout } = await run(process.execPath, [main, '--password', 'yes', '--threads', '2']);
  assert.match(stdout, /\nyes\nOn 2 threads .* times as fast/);
  await assert.rejects(run(process.execPath, [main, '--digest', 'abc']), /40 hexadecimal digits/);
});
