// Finds the clusters in one thread and on several, which must be equal to the last bit.
import { createPool } from 'threadwise';
import { Counter } from 'threadwise/sync';
import { timed } from '../timing.js';
import { assignBlock, blocksOf, moveCenters, scatter, sumsLength } from './kmeans.js';

/** @returns milliseconds `alone` and `together`, how many `rounds` it took at the most, and the centers */
export async function compare({ points: count, dimensions, k, rounds, threads, seed }) {
  if (k > count) throw new Error(`${k} clusters of ${count} points: there must be a point for each`);
  const points = shared(Float64Array, count * dimensions);
  scatter(points, { k, dimensions, seed });
  const blocks = blocksOf(points, dimensions);

  const [expected, alone] = await timed(() => cluster({ points, dimensions, k, rounds }, assignPlainly));
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const next = new Counter();
    const assign = async (arrays) => {
      next.value = 0;
      const work = { ...arrays, blocks, next: next.buffer };
      const moved = await Promise.all(Array.from({ length: threads }, () => pool.run('assign', [work])));
      return moved.reduce((sum, each) => sum + each);
    };
    const [found, together] = await timed(() => cluster({ points, dimensions, k, rounds }, assign));
    for (const name of ['centers', 'nearest'])
      if (!found[name].every((value, i) => value === expected[name][i]))
        throw new Error('The threads found other clusters');
    return { alone, together, rounds: found.rounds, centers: found.centers };
  } finally {
    await pool.close();
  }

  function assignPlainly(arrays) {
    let moved = 0;
    for (let block = 0; block < blocks; block++) moved += assignBlock(arrays, block);
    return moved;
  }
}

/** Runs rounds until no point changes its center. @param assign assigns each point to a center, and sums the points by blocks */
async function cluster({ points, dimensions, k, rounds }, assign) {
  const arrays = {
    points,
    dimensions,
    centers: shared(Float64Array, k * dimensions),
    nearest: shared(Int32Array, points.length / dimensions).fill(-1),
    sums: shared(Float64Array, blocksOf(points, dimensions) * sumsLength(k, dimensions)),
  };
  const { centers, nearest } = arrays;
  centers.set(points.subarray(0, centers.length)); // the first points are the first centers
  let round = 0;
  while (round < rounds) {
    round += 1;
    const moved = await assign(arrays);
    if (moved === 0) break;
    moveCenters(arrays);
  }
  return { centers, nearest, rounds: round };
}

function shared(Type, length) {
  return new Type(new SharedArrayBuffer(length * Type.BYTES_PER_ELEMENT));
}
