// What a worker does: computes its rows, generation by generation, together with the others.
import { Barrier } from 'threadwise/sync';
import { step } from './life.js';

/** @param cells two grids in shared memory: each generation reads one and writes the other */
export function live({ cells, barrier, generations, width, height, first, end }) {
  const size = width * height;
  const grids = [new Uint8Array(cells, 0, size), new Uint8Array(cells, size, size)];
  const meeting = Barrier.from(barrier);
  for (let i = 0; i < generations; i++) {
    step(grids[i % 2], grids[(i + 1) % 2], { width, height, first, end });
    // Waits, so that nobody reads a row that its owner has not written, or writes one that a neighbour still reads.
    meeting.waitSync();
  }
}
