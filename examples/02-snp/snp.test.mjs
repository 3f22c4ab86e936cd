import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPool } from 'threadwise';
import { compare } from './compare.js';
import { genotypeLines, writeGenotypes } from './generate.js';
import { eachLine, slicesOf } from './slices.js';
import { aggregate, merge, search } from './tasks.js';

const taskModule = new URL('./tasks.js', import.meta.url);
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'snp-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function linesOf(slice) {
  const lines = [];
  eachLine(slice, (line) => lines.push(line));
  return lines;
}

/** Counts in another way, with `split`. */
function countPlainly(text) {
  const counts = {};
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const [, chromosome, , genotype] = line.split('\t');
    counts[`${chromosome} ${genotype}`] = (counts[`${chromosome} ${genotype}`] ?? 0) + 1;
  }
  return counts;
}

function asObject({ counts }) {
  return Object.fromEntries(
    counts.map(([chromosome, genotype, count]) => [`${chromosome} ${genotype}`, count]),
  );
}

/** Cuts into slices of every odd length up to more than the file: the sum is always what one pass counts. */
function checkEverySliceLength(text, path) {
  const { size } = statSync(path);
  const expected = countPlainly(text);
  for (let length = 1; length <= size + 2; length += 2) {
    const total = [...slicesOf(path, size, length)]
      .map(aggregate)
      .reduce(merge, merge(undefined, aggregate({ path, start: 0, end: 0 })));
    assert.deepEqual(asObject(total), expected, `slices of ${length} bytes`);
  }
}

for (const [name, eol, end] of [
  ['line feeds', '\n', '\n'],
  ['carriage returns and line feeds', '\r\n', '\r\n'],
  ['line feeds, and none at the end', '\n', ''],
  ['carriage returns and line feeds, and none at the end', '\r\n', ''],
]) {
  test(`slices of every odd length lose no line and count none twice: ${name}`, () => {
    const text = [...genotypeLines({ lines: 25, seed: 4 })].join(eol) + end;
    checkEverySliceLength(text, fileOf('every.txt', text));
  });
}

test('keeps every line whole and in order, wherever a slice is cut, empty lines too', () => {
  const lines = ['', 'a', '', '', 'bcd', 'x'.repeat(3000), ''];
  const path = fileOf('lines.txt', `${lines.join('\n')}\n`);
  const { size } = statSync(path);
  for (const length of [1, 2, 3, 7, 1024, 1025, size]) {
    assert.deepEqual([...slicesOf(path, size, length)].flatMap(linesOf), lines, `slices of ${length} bytes`);
  }
});

test('reads lines that span the pieces in which a slice is read', () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i} ${'.'.repeat(i % 40)}`);
  const path = fileOf('long.txt', lines.join('\n'));
  assert.deepEqual(linesOf({ path, start: 0, end: statSync(path).size }), lines);
});

test('an empty file has no slices, and a file of comments no records', () => {
  assert.deepEqual([...slicesOf(fileOf('empty.txt', ''), 0, 100)], []);
  const path = fileOf('comments.txt', '# a\n# b\n');
  assert.deepEqual(aggregate({ path, start: 0, end: 8 }), { records: 0, counts: [] });
});

test('a line that is no record is an error which names the file and shows the line', () => {
  for (const line of ['rs1\t1\t100', 'rs1', 'rs1\t1\t100\tAA\tBB']) {
    const path = fileOf('bad.txt', `rs0\t1\t5\tAA\n${line}\n`);
    assert.throws(() => aggregate({ path, start: 0, end: 100 }), /bad\.txt: not 'rsid.*': rs1/);
  }
});

test('the generator writes what was asked for, the same from the same seed', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name));
  await writeGenotypes(a, { lines: 5000, seed: 1 });
  await writeGenotypes(b, { lines: 5000, seed: 1 });
  await writeGenotypes(c, { lines: 5000, seed: 2, eol: '\r\n' });
  const [textA, textB, textC] = [a, b, c].map((path) => readFileSync(path, 'latin1'));
  assert.equal(textA, textB);
  assert.notEqual(textA, textC.replaceAll('\r\n', '\n'));
  const records = textA.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(records.length, 5000);
  const pattern = /^rs\d+\t(?:[1-9]|1\d|2[0-2]|X|Y|MT)\t\d+\t(?:[ACGT]{1,2}|--)$/;
  assert.ok(records.every((line) => pattern.test(line)));
  const chromosomes = new Set(records.map((line) => line.split('\t')[1]));
  assert.equal(chromosomes.size, 25);
  assert.ok(records.some((line) => line.endsWith('\t--')));
});

test('workers count and find what one pass does', async () => {
  const path = join(folder, 'workers.txt');
  await writeGenotypes(path, { lines: 40_000, seed: 9, eol: '\r\n' });
  const { total, found, rows } = await compare({ path, threads: [1, 2, 3], query: { rsid: 'rs20000' } });
  assert.equal(total.records, 40_000);
  assert.deepEqual(
    rows.map(({ threads }) => threads),
    ['inline', 1, 2, 3],
  );
  assert.deepEqual(asObject(total), countPlainly(readFileSync(path, 'latin1')));
  const line = readFileSync(path, 'latin1')
    .split('\r\n')
    .find((text) => text.startsWith('rs20000\t'));
  const [rsid, chromosome, position, genotype] = line.split('\t');
  assert.deepEqual(found, [{ rsid, chromosome, position: Number(position), genotype }]);
});

test('searches by a pattern, which crosses to the workers as it is', async () => {
  const path = join(folder, 'pattern.txt');
  await writeGenotypes(path, { lines: 3000, seed: 5 });
  const text = readFileSync(path, 'latin1').split('\n');
  const expected = text
    .filter((line) => /\tMT\t.*\tA$/.test(line) || /\tY\t.*\tA$/.test(line))
    .map((line) => line.split('\t')[0]);
  assert.ok(expected.length > 0);
  const pool = createPool(taskModule, { threads: 2 });
  try {
    for (const pattern of [/\t(?:Y|MT)\t\d+\tA$/, '\\t(?:Y|MT)\\t\\d+\\tA$']) {
      const slices = [...slicesOf(path, statSync(path).size, 10_001)];
      const parts = await Promise.all(slices.map((slice) => pool.run('search', [{ ...slice, pattern }])));
      assert.deepEqual(
        parts.flat().map(({ rsid }) => rsid),
        expected,
      );
    }
    assert.deepEqual(search({ path, start: 0, end: statSync(path).size, rsid: 'rs' }), []);
  } finally {
    await pool.close();
  }
});

test('main.js runs and ends by itself', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    main,
    '--lines',
    '2000',
    '--threads',
    '1,2',
  ]);
  assert.match(stdout, /2000 records; rs1000: \{"rsid":"rs1000"/);
  assert.match(stdout, /All of them agree/);
});
