// The algorithm (Lloyd's): each point belongs to the nearest center, then each center moves to the mean of its points.
import { randomFrom } from '../random.js';

/**
 * How many points are summed at a time. Adding fractions in another order changes the last digit, so the order is fixed: the points within
 * a block, then the blocks. Which thread sums which block, and when, makes no difference.
 */
export const BLOCK = 4096;

export const blocksOf = (points, dimensions) => Math.ceil(points.length / dimensions / BLOCK);
/** The length of the sums of a block: for each center the sum of its points, and how many these are. */
export const sumsLength = (k, dimensions) => k * (dimensions + 1);

/**
 * Finds the nearest center of each point of a block, and sums the points of each center.
 * @param nearest the center of each point; updated @param sums the sums of all blocks; those of this block are set
 * @returns how many points have another center than before
 */
export function assignBlock({ points, centers, nearest, sums, dimensions }, block) {
  const k = centers.length / dimensions;
  const own = sums
    .subarray(block * sumsLength(k, dimensions), (block + 1) * sumsLength(k, dimensions))
    .fill(0);
  let moved = 0;
  for (let i = block * BLOCK; i < Math.min((block + 1) * BLOCK, nearest.length); i++) {
    const best = nearestOf(points, i * dimensions, centers, dimensions);
    if (nearest[i] !== best) moved += 1;
    nearest[i] = best;
    const at = best * (dimensions + 1);
    for (let d = 0; d < dimensions; d++) own[at + d] += points[i * dimensions + d];
    own[at + dimensions] += 1;
  }
  return moved;
}

function nearestOf(points, at, centers, dimensions) {
  let [best, least] = [0, Infinity];
  for (let c = 0; c < centers.length; c += dimensions) {
    let distance = 0;
    for (let d = 0; d < dimensions; d++) {
      const difference = points[at + d] - centers[c + d];
      distance += difference * difference;
    }
    if (distance < least) [best, least] = [c / dimensions, distance];
  }
  return best;
}

/** Adds up the sums of all blocks in their order, and moves the centers. A center without points stays. */
export function moveCenters({ centers, sums, dimensions }) {
  const k = centers.length / dimensions;
  const total = new Float64Array(sumsLength(k, dimensions));
  for (let i = 0; i < sums.length; i++) total[i % total.length] += sums[i];
  for (let c = 0; c < k; c++) {
    const count = total[c * (dimensions + 1) + dimensions];
    if (count === 0) continue;
    for (let d = 0; d < dimensions; d++)
      centers[c * dimensions + d] = total[c * (dimensions + 1) + d] / count;
  }
}

/** Scatters points around `k` places, the same for the same seed. */
export function scatter(points, { k, dimensions, seed }) {
  const random = randomFrom(seed);
  const fraction = () => random() / 2 ** 32;
  const places = Float64Array.from({ length: k * dimensions }, fraction);
  for (let i = 0; i < points.length; i += dimensions) {
    const place = (random() % k) * dimensions;
    for (let d = 0; d < dimensions; d++)
      points[i + d] = places[place + d] + (fraction() + fraction() - 1) / 4;
  }
}
