// The published figures of the experiments are complete: each table has all its cells, and related figures of a document
// agree. This finds mistakes of copying.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { experiments } from './catalog.js';

/** How many rows and columns each table has in its document. */
const SHAPES = {
  'hash-direct': ['16 x 4', '1 x 2'],
  'hash-coordinator': ['16 x 22', '1 x 2'],
  memory: ['6 x 4', '1 x 2', '1 x 4', '1 x 2'],
  cores: ['4 x 5', '2 x 3'],
  template: ['2 x 3', '1 x 2', '2 x 2'],
  fibonacci: ['4 x 3', '1 x 2'],
  'read-files': ['6 x 4', '6 x 4', '6 x 4'],
  snp: ['7 x 2', '1 x 2'],
  cluster: ['2 x 13'],
};

const all = (await experiments()).filter(({ published }) => published !== undefined);
const tablesOf = (id) => all.find((one) => one.id === id).published.tables.map(({ rows }) => rows);
/** Compares two published figures, which were cut or rounded to whole numbers. */
const isWithin = (value, expected, most) => Math.abs(value - expected) <= most;

test('each document has all its tables', () => {
  const shapes = all.map(({ id, published }) => [
    id,
    published.tables.map(({ head, rows }) => `${rows.length} x ${head.length}`),
  ]);
  assert.deepEqual(Object.fromEntries(shapes), SHAPES);
});

for (const { id, published } of all) {
  test(`${id}: no cell is missing, and what is no name is a number`, () => {
    for (const { title, head, rows } of published.tables) {
      assert.equal(new Set(head).size, head.length, title);
      for (const row of rows) {
        assert.equal(row.length, head.length, title);
        assert.ok(
          row.every((cell) => (typeof cell === 'string' ? cell !== '' : Number.isFinite(cell) && cell >= 0)),
          `${title}: ${row}`,
        );
      }
      const kinds = rows.map((row) => row.map((cell) => typeof cell).join());
      assert.deepEqual(new Set(kinds).size, 1, `${title}: columns are names or figures`);
    }
  });
}

test('files hashed: every number of workers from 1 to 16, and clean time and reads add up to the total', () => {
  const [[direct], [coordinated]] = ['hash-direct', 'hash-coordinator'].map(tablesOf);
  for (const rows of [direct, coordinated]) {
    assert.deepEqual(
      rows.map(([workers]) => workers),
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
    for (const [workers, clean, reads, total] of rows)
      assert.ok(isWithin(clean + reads, total, 1), `${workers}`);
  }
});

test('files hashed: the mean utilisation is that of the workers in use', () => {
  const [rows] = tablesOf('hash-coordinator');
  for (const [workers, , , , mean, , ...each] of rows) {
    const sum = each.slice(0, workers).reduce((total, percent) => total + percent, 0);
    assert.ok(isWithin(sum / workers, mean, 1), `${workers}`);
  }
});

test('files hashed: almost four times less, and memory: about 6 MB, are what the figures of the tables give', () => {
  const [[direct], [coordinated]] = ['hash-direct', 'hash-coordinator'].map(tablesOf);
  const [without, withOne] = [direct, coordinated].map((rows) => Math.min(...rows.map(([, clean]) => clean)));
  assert.ok(isWithin(without / withOne, 4, 0.2));
  const [memory] = tablesOf('memory');
  const [first, last] = [memory[0], memory.at(-1)];
  assert.ok(isWithin((last[2] - first[2]) / last[0] / 1000, 6, 0.5));
});

test('templates: what was gained is what the figures give', () => {
  const [[main, offloaded], [[, idle]], [[, more], [, times]]] = tablesOf('template');
  assert.equal(Math.round(100 * (offloaded[1] / main[1] - 1)), more);
  assert.equal(Math.round((10 * (main[2] - idle)) / (offloaded[2] - idle)) / 10, times);
});

test('files read: each share is that of the best of the table', () => {
  for (const rows of tablesOf('read-files')) {
    const best = Math.max(...rows.map(([, , rate]) => rate));
    for (const [symbol, , rate, share] of rows)
      assert.ok(isWithin((100 * rate) / best, share, 1), `${symbol}`);
  }
});

test('an API: quantiles are in order, and all requests were answered', () => {
  const [rows] = tablesOf('cluster');
  for (const [, users, , requests, , min, max, median, p95, p99, , , answers] of rows) {
    assert.ok(min < median && median < p95 && p95 < p99 && p99 < max);
    assert.deepEqual([requests, answers], [20 * users, 20 * users]);
  }
});
