import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { combine } from '../../fixtures/files.js';
import { canonical, countPlainly, fewGenotypes, genotypes, PANEL } from '../../fixtures/genotypes.js';
import { studyInShares } from './slices.js';
import { merge, study } from './genotypes.js';

const PATTERN = '^rs\\d*77\\t.*\\tAG$';

/** A fixture of a few hundred lines, and what is in its file. */
function withFile(t) {
  const { given, remove } = genotypes.make({ files: 4 });
  t.after(remove);
  return { ...given, text: readFileSync(given.path, 'latin1') };
}

function sharedBufferOf(text) {
  const buffer = new SharedArrayBuffer(text.length);
  new Uint8Array(buffer).set(Buffer.from(text, 'latin1'));
  return buffer;
}

/** The result of a file that is studied in parts of that length. */
function inParts(where, size, length) {
  const parts = [];
  for (let start = 0; start < size; start += length)
    parts.push(study({ ...where, pattern: PATTERN, start, end: Math.min(size, start + length) }));
  return canonical(merge(parts));
}

test('the file has the lines that were asked for, and something to be found', (t) => {
  const { text, digest } = withFile(t);
  const { records, counts, found } = countPlainly(text);
  assert.equal(records, 600);
  assert.equal(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    records,
  );
  for (const rsid of found) assert.match(text, new RegExp(`^${rsid}\t.*\tAG$`, 'm'));
  assert.equal(digest, combine([canonical({ records, counts, found })]));
});

test('of a panel of patterns it is counted how often lines match, however they are cut', async (t) => {
  const { given, remove } = fewGenotypes.make({ files: 4 });
  t.after(remove);
  const text = readFileSync(given.path, 'latin1');
  const plain = countPlainly(text, true);
  assert.ok(plain.records === 60 && plain.counts.panel > 0);
  assert.equal(given.digest, combine([canonical(plain)]));
  const order = { path: given.path, pattern: PATTERN, panel: PANEL };
  const halves = [0, 1].map((half) => half * Math.ceil(text.length / 2));
  const parts = halves.map((start) => study({ ...order, start, end: start + Math.ceil(text.length / 2) }));
  assert.equal(canonical(merge(parts)), canonical(plain));
  assert.equal(canonical(await studyInShares({ ...order, threads: 2 })), canonical(plain));
});

test('parts of any length come to the whole: out of the file, and out of shared memory', (t) => {
  const { path, text } = withFile(t);
  const expected = canonical(countPlainly(text));
  const buffer = sharedBufferOf(text);
  for (const length of [1, 7, 19, 20, 1024, 4096, text.length, 2 * text.length]) {
    if (length > 1) assert.equal(inParts({ path }, text.length, length), expected, `file, ${length} bytes`);
    assert.equal(inParts({ buffer }, text.length, length), expected, `memory, ${length} bytes`);
  }
});

test('comments, empty lines, lines longer than what is read at a time, no line feed at the end', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-bench-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'odd.txt');
  const text = `# ${'x'.repeat(3000)}\n\nrs77\t1\t5\tAG\n\nrs177\tMT\t7\tA\nrs277\t1\t9\tAG`;
  writeFileSync(path, text);
  const expected = canonical({ records: 3, counts: { '1 AG': 2, 'MT A': 1 }, found: ['rs277', 'rs77'] });
  assert.equal(canonical(countPlainly(text)), expected);
  for (let length = 1; length < text.length; length += 5) {
    assert.equal(inParts({ path }, text.length, length), expected, `file, ${length} bytes`);
    assert.equal(
      inParts({ buffer: sharedBufferOf(text) }, text.length, length),
      expected,
      `memory, ${length} bytes`,
    );
  }
});

test('a thread for each share finds the same, with more threads than lines as well', async (t) => {
  const { path, text } = withFile(t);
  for (const threads of [1, 3]) {
    const result = await studyInShares({ path, threads, pattern: PATTERN });
    assert.equal(canonical(result), canonical(countPlainly(text)));
  }
  writeFileSync(path, 'rs77\t1\t5\tAG');
  const one = await studyInShares({ path, threads: 2, pattern: PATTERN });
  assert.deepEqual(one, { records: 1, counts: { '1 AG': 1 }, found: ['rs77'] });
});
