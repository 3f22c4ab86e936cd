// What the workers do: one decodes, the others filter.
import { Counter } from 'threadwise/sync';
import { decodeFrames } from './decode.js';
import { filterFrame } from './filter.js';

/** A stream of frames, for `pool.stream`. @param counter is counted up with each of them */
export function decode(video, counter) {
  const decoded = Counter.from(counter);
  return decodeFrames(video, () => decoded.add());
}

/** The frame's memory is shared: what goes back is where it is. */
export function filter(frame) {
  filterFrame(frame);
  return frame;
}
