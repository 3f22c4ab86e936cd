import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPool } from 'threadwise';
import { compare, shared } from './compare.js';
import { step } from './life.js';

const [width, height] = [8, 6];

/** A grid from a picture: `#` lives. */
const cellsOf = (rows) => Uint8Array.from(rows.join(''), (cell) => (cell === '#' ? 1 : 0));

test('a blinker blinks, a block stays, and a glider crosses the edge', () => {
  const next = (cells) => {
    const to = new Uint8Array(cells.length);
    step(cells, to, { width, height, first: 0, end: height });
    return to;
  };
  const lying = ['........', '..###...', '........', '.....##.', '.....##.', '........'];
  const standing = ['...#....', '...#....', '...#....', '.....##.', '.....##.', '........'];
  const alone = (rows) => cellsOf(rows.map((row, y) => (y < 3 ? row : '........')));
  assert.deepEqual(next(alone(lying)), alone(standing));
  assert.deepEqual(next(alone(standing)), alone(lying));
  const block = cellsOf(lying.map((row, y) => (y < 3 ? '........' : row)));
  assert.deepEqual(next(block), block);
  let glider = cellsOf(['.#......', '..#.....', '###.....', '........', '........', '........']);
  const begin = glider;
  // It moves by one cell in both directions in 4 generations, and is back after the least common multiple of both sides.
  for (let i = 0; i < 4 * 24; i++) glider = next(glider);
  assert.deepEqual(glider, begin);
});

test('one thread and several come to the same grid, also where rows cannot be shared evenly', async () => {
  for (const threads of [1, 2, 3]) {
    const { living } = await compare({ width: 33, height: 20, generations: 25, threads, seed: 7 });
    assert.ok(living > 0);
  }
});

test('a worker that fails ends the game of all', async () => {
  const failing = `export * from '${new URL('./tasks.js', import.meta.url).href}';
    import { live as play } from '${new URL('./tasks.js', import.meta.url).href}';
    export const live = (part) => { if (part.first > 0) throw new RangeError('expected'); return play(part); };`;
  const pool = createPool(`data:text/javascript,${encodeURIComponent(failing)}`, { threads: 2 });
  const game = shared(pool, new Uint8Array(64), { width: 8, height: 8, generations: 5, threads: 2 });
  await assert.rejects(game, RangeError);
  await pool.close();
});

test('main.js runs, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const args = [main, '--width', '40', '--height', '30', '--generations', '10', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(
    stdout,
    /^40 x 30 cells, 10 generations: \d+ live\. Both ways agree\.\nOn 2 threads .* times as fast/,
  );
});
