// What a worker does: maps its part of the array to a histogram of its own; then all workers reduce these to one, in pairs.
import { Barrier } from 'threadwise/sync';
import { BINS, count } from './collatz.js';

/** `numbers` and `histograms` (one for each worker) are shared memory. The result is in the first histogram. */
export function mapReduce({ numbers, histograms, barrier, index, threads, first, end }) {
  const own = histogramAt(histograms, index);
  count(new Uint32Array(numbers, first * 4, end - first), own);
  const meeting = Barrier.from(barrier);
  // A reduction tree: 0 adds what 1 has and 2 what 3 has, at the same time; then 0 adds what 2 has; and so on.
  for (let distance = 1; distance < threads; distance *= 2) {
    meeting.waitSync();
    const isTaking = index % (2 * distance) === 0 && index + distance < threads;
    if (isTaking) add(own, histogramAt(histograms, index + distance));
  }
}

function histogramAt(histograms, index) {
  return new Float64Array(histograms, index * BINS * 8, BINS);
}

function add(own, other) {
  for (let i = 0; i < BINS; i++) own[i] += other[i];
}
