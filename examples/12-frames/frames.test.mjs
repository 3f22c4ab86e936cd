import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPool } from 'threadwise';
import { compare, filtered } from './compare.js';
import { decodeFrames } from './decode.js';
import { filterFrame } from './filter.js';

const tasks = new URL('./tasks.js', import.meta.url);
const video = { frames: 30, width: 20, height: 12, seed: 1 };

test('the median takes a single bright pixel away; edges of areas and of the frame stay', () => {
  const rows = ['9.....', '......', '..8...', '111111', '111111'];
  const pixels = Uint8Array.from(rows.join(''), (pixel) => Number(pixel) || 0);
  const frame = { pixels, filtered: new Uint8Array(30), width: 6, height: 5 };
  filterFrame(frame);
  assert.deepEqual(
    [...frame.filtered],
    [...pixels].map((pixel) => (pixel === 8 ? 0 : pixel)),
  );
});

test('each frame is the one before, moved by a pixel, but for the noise', () => {
  const [first, second] = [...decodeFrames({ ...video, frames: 2 })].map(({ pixels }) => pixels);
  const changed = [...second].filter((pixel, i) => i > 0 && pixel !== ((first[i - 1] + 1) & 255));
  assert.ok(changed.length > 0 && changed.length <= 4, `${changed.length} pixels of noise`); // one of 64
});

test('all numbers of threads make the video that one thread makes, with a bounded number of frames underway', async () => {
  const digests = new Set();
  for (const threads of [1, 2, 3]) {
    const { digest, underway, bound } = await compare({ ...video, frames: 60, threads });
    digests.add(digest);
    assert.ok(bound < 60);
    assert.ok(underway <= bound, `${underway} of ${bound}`);
  }
  assert.equal(digests.size, 1);
});

test('whoever leaves the loop ends the decoder', async () => {
  const [decoder, filters] = [createPool(tasks, { threads: 1 }), createPool(tasks, { threads: 1 })];
  const numbers = [];
  // The video is endless: the pools could not close if the decoder went on.
  for await (const { frame } of filtered({ decoder, filters }, { ...video, frames: Infinity }, 2)) {
    numbers.push(frame.number);
    if (numbers.length === 5) break;
  }
  await Promise.all([decoder.close(), filters.close()]);
  assert.deepEqual(numbers, [0, 1, 2, 3, 4]);
});

test('a frame that cannot be filtered ends the video behind the frames before it', async () => {
  const failing = `import { filter as whole } from '${tasks.href}';
    export const filter = (frame) => { if (frame.number === 7) throw new RangeError('expected'); return whole(frame); };`;
  const decoder = createPool(tasks, { threads: 1 });
  const filters = createPool(`data:text/javascript,${encodeURIComponent(failing)}`, { threads: 2 });
  const numbers = [];
  const all = (async () => {
    for await (const { frame } of filtered({ decoder, filters }, video, 4)) numbers.push(frame.number);
  })();
  await assert.rejects(all, RangeError);
  assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 6]);
  await Promise.all([decoder.close(), filters.close()]);
});

test('main.js runs, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const args = [main, '--frames', '9', '--width', '16', '--height', '8', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(
    stdout,
    /^9 frames of 16 x 8, SHA-256 [0-9a-f]{64}\..*\nOn 2 threads all took .* times as fast/,
  );
});
