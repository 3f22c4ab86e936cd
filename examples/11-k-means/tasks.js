// What a worker does in each round: assigns one block of points after the other, until none is left.
import { Counter } from 'threadwise/sync';
import { assignBlock } from './kmeans.js';

/** All arrays are views of shared memory. @returns how many points have another center than before */
export function assign({ next, blocks, ...arrays }) {
  const counter = Counter.from(next);
  let moved = 0;
  for (let block = counter.add(); block < blocks; block = counter.add()) moved += assignBlock(arrays, block);
  return moved;
}
