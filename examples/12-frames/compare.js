// Filters a video in one thread and on several, which must come to the same bytes in the same order.
import { createHash } from 'node:crypto';
import { createPool } from 'threadwise';
import { Counter } from 'threadwise/sync';
import { timed } from '../timing.js';
import { decodeFrames } from './decode.js';
import { filterFrame } from './filter.js';

const tasks = new URL('./tasks.js', import.meta.url);
/** How many frames the decoder may be ahead of the filters: enough that none of them waits for it. */
const DECODED_AHEAD = 4;

/** @returns milliseconds `alone` and `together`, the `digest` of all frames, the most frames `underway` at a time, and their `bound` */
export async function compare({ threads, ...video }) {
  const [expected, alone] = await timed(() => {
    const hash = createHash('sha256');
    for (const frame of decodeFrames(video)) {
      filterFrame(frame);
      hash.update(frame.filtered);
    }
    return hash.digest('hex');
  });
  // The decoder has a pool of its own: it keeps its worker until the last frame, and the filters must not wait for that.
  const decoder = createPool(tasks, { threads: 1, name: 'decoder' });
  const filters = createPool(tasks, { threads, name: 'filters' });
  const concurrency = 2 * threads;
  // Frames that wait for a filter, those in the filters or done, the one that is taken, and the one that is being decoded.
  const bound = DECODED_AHEAD + concurrency + 2;
  try {
    await Promise.all([decoder.ready, filters.ready]);
    const hash = createHash('sha256');
    let underway = 0;
    const [, together] = await timed(async () => {
      for await (const { frame, count } of filtered({ decoder, filters }, video, concurrency)) {
        hash.update(frame.filtered);
        underway = Math.max(underway, count);
      }
    });
    const digest = hash.digest('hex');
    if (digest !== expected) throw new Error('The threads made another video');
    return { alone, together, digest, underway, bound };
  } finally {
    await Promise.all([decoder.close(), filters.close()]);
  }
}

/** Yields the frames in order, each with how many have begun and are not taken yet. The decoder waits while they are not taken. */
export async function* filtered({ decoder, filters }, video, concurrency) {
  const decoded = new Counter();
  const frames = decoder.stream('decode', [video, decoded.buffer], { highWaterMark: DECODED_AHEAD });
  let taken = 0;
  for await (const frame of filters.map('filter', frames, { concurrency })) {
    yield { frame, count: decoded.value - taken };
    taken += 1;
  }
}
