/** Runs of pages: the shortest that fits, never the same page twice, and whole again when all came back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PageRuns } from './page-runs.js';

const MOST = 40;
const STRIDE = 64;

/** Runs over so many strides, all free. */
function filled(strides: number): PageRuns {
  const runs = new PageRuns(MOST, STRIDE);
  runs.grow(strides * STRIDE);
  for (let i = 0; i < strides; i++) runs.free(i * STRIDE, STRIDE);
  return runs;
}

describe('PageRuns', () => {
  test('has nothing to give at first', () => {
    const runs = new PageRuns(MOST, STRIDE);
    assert.equal(runs.take(1), -1);
    runs.grow(STRIDE);
    assert.equal(runs.take(1), -1);
  });

  test('takes the shortest run that is long enough', () => {
    const runs = new PageRuns(MOST, STRIDE);
    runs.grow(STRIDE);
    runs.free(0, 5);
    runs.free(10, 33);
    runs.free(50, 3);
    assert.equal(runs.take(4), 0, 'of 3, 5 and 33');
    assert.equal(runs.take(1), 4, 'what is left of the 5');
    assert.equal(runs.take(4), 10);
    assert.equal(runs.take(3), 50);
    assert.equal(runs.take(29), 14);
    assert.equal(runs.take(1), -1);
  });

  test('joins a run to its neighbours, whichever comes back last', () => {
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const runs = filled(1);
      const taken = [runs.take(10), runs.take(20), runs.take(34)];
      for (const i of order) runs.free(taken[i]!, [10, 20, 34][i]!);
      assert.equal(runs.take(MOST), 0, `${order}`);
    }
  });

  test('does not join what belongs to two strides', () => {
    const runs = new PageRuns(MOST, STRIDE);
    runs.grow(2 * STRIDE);
    runs.free(STRIDE - 20, 20);
    runs.free(STRIDE, 20);
    assert.equal(runs.take(21), -1);
    assert.notEqual(runs.take(20), -1);
    assert.notEqual(runs.take(20), -1);
  });

  test('keeps what it has when it grows', () => {
    const runs = filled(1);
    const taken = runs.take(7);
    runs.grow(3 * STRIDE);
    runs.free(2 * STRIDE, STRIDE);
    runs.free(taken, 7);
    const firsts = [runs.take(MOST), runs.take(MOST)];
    assert.deepEqual(firsts.sort(), [0, 2 * STRIDE].sort());
  });

  test('agrees with a map of the pages, whatever is taken and freed', () => {
    const op = fc.record({
      pages: fc.integer({ min: 1, max: MOST }),
      free: fc.nat(1000),
      frees: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 200 }), (ops) => {
        const [runs, isFree] = [filled(3), new Array<boolean>(3 * STRIDE).fill(true)];
        const taken: { run: number; pages: number }[] = [];
        for (const { pages, free, frees } of ops) {
          if (frees && taken.length > 0) {
            const [{ run, pages }] = taken.splice(free % taken.length, 1) as [(typeof taken)[0]];
            runs.free(run, pages);
            isFree.fill(true, run, run + pages);
            continue;
          }
          const fitting = runLengths(isFree).filter((length) => length >= pages);
          const run = runs.take(pages);
          if (fitting.length === 0) assert.equal(run, -1);
          if (run === -1) {
            assert.equal(fitting.length, 0, `${pages} pages were free`);
            continue;
          }
          assert.equal(lengthAt(isFree, run), Math.min(...fitting), 'the shortest, from its beginning');
          isFree.fill(false, run, run + pages);
          taken.push({ run, pages });
        }
        for (const { run, pages } of taken) runs.free(run, pages);
        const firsts = [runs.take(MOST), runs.take(MOST), runs.take(MOST)];
        assert.deepEqual(
          firsts.sort((a, b) => a - b),
          [0, STRIDE, 2 * STRIDE],
        );
      }),
    );
  });
});

/** Length of the free run that begins at a page, 0 inside of one. Above MOST all count alike. */
function lengthAt(isFree: readonly boolean[], page: number): number {
  if (!isFree[page] || (page % STRIDE > 0 && isFree[page - 1])) return 0;
  let length = 0;
  do length++;
  while (isFree[page + length] && (page + length) % STRIDE > 0);
  return Math.min(length, MOST + 1);
}

function runLengths(isFree: readonly boolean[]): number[] {
  return isFree.map((_, page) => lengthAt(isFree, page)).filter((length) => length > 0);
}
