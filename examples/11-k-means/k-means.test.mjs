import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compare } from './compare.js';
import { assignBlock, BLOCK, moveCenters, scatter } from './kmeans.js';

test('each point belongs to the nearest center; each center moves to the mean; one without points stays', () => {
  const arrays = {
    dimensions: 2,
    points: Float64Array.of(0, 0, 2, 0, 10, 10, 12, 14),
    centers: Float64Array.of(1, 1, 9, 9, 50, 50),
    nearest: new Int32Array(4).fill(-1),
    sums: new Float64Array(9).fill(7), // left from an earlier round
  };
  assert.equal(assignBlock(arrays, 0), 4);
  assert.deepEqual([...arrays.nearest], [0, 0, 1, 1]);
  moveCenters(arrays);
  assert.deepEqual([...arrays.centers], [1, 0, 11, 12, 50, 50]);
  assert.equal(assignBlock(arrays, 0), 0, 'none has another center than before');
});

test('sums are made in one order, whoever makes them and when', () => {
  const [dimensions, k, count] = [1, 2, 3 * BLOCK + 5];
  const points = new Float64Array(count);
  scatter(points, { k, dimensions, seed: 3 });
  const centersBy = (order) => {
    const nearest = new Int32Array(count);
    const arrays = { points, dimensions, centers: points.slice(0, k), nearest, sums: new Float64Array(16) };
    for (const block of order) assignBlock(arrays, block);
    moveCenters(arrays);
    return arrays.centers;
  };
  assert.deepEqual(centersBy([3, 1, 0, 2]), centersBy([0, 1, 2, 3]));
});

test('all numbers of threads find the same clusters as one thread', async () => {
  const options = { points: 3 * BLOCK + 100, dimensions: 3, k: 5, rounds: 10, seed: 2 };
  const all = [];
  for (const threads of [1, 2, 3]) all.push(await compare({ ...options, threads }));
  assert.ok(all[0].rounds > 1);
  assert.ok(all[0].centers.every(Number.isFinite));
  for (const { centers } of all) assert.deepEqual(centers, all[0].centers);
});

test('it ends when no point has another center; each cluster needs a point', async () => {
  const { rounds, centers } = await compare({
    points: 4,
    dimensions: 1,
    k: 4,
    rounds: 9,
    threads: 2,
    seed: 1,
  });
  assert.equal(rounds, 2);
  assert.equal(new Set(centers).size, 4);
  await assert.rejects(compare({ points: 3, dimensions: 1, k: 4, threads: 1, seed: 1 }), /a point for each/);
});

test('main.js runs, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const args = [main, '--points', '5000', '--k', '3', '--rounds', '4', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /^5000 points .*\nBoth ways agree in every bit\.\nOn 2 threads .* times as fast/);
});
