// What the workers do: one decodes, the others filter.
import { Counter } from 'threadwise/sync';
import { decodeFrames } from './decode.js';
import { filterFrame } from './filter.js';

/** A stream of frames, for `pool.stream`. @param counter is increased with each of them */
export function decode(video, counter) {
  const decoded = Counter.from(counter);
  return decodeFrames(video, () => decoded.add());
}

/** Filters a frame in shared memory, so that nothing is copied. */
export function filter(frame) {
  filterFrame(frame);
  return frame;
}
