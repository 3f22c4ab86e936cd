import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PNG } from 'pngjs';
import { blur } from './blur.js';
import { compare } from './compare.js';
import { drawRings } from './draw.js';

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-filter-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a pixel becomes the mean of those around it, at the edges of those there are', () => {
  const [width, height] = [3, 2];
  const from = new Uint8ClampedArray(width * height * 4);
  from.set([90, 60, 0, 255]); // the first pixel; the others are empty
  const to = new Uint8ClampedArray(from.length);
  blur(from, to, { width, height, radius: 1, x: 0, y: 0, w: 3, h: 2 });
  const pixel = (i) => [...to.subarray(4 * i, 4 * i + 4)];
  // The first pixel is one of four around itself, one of six around the second, and not around the third. Halves round to even.
  assert.deepEqual(
    [pixel(0), pixel(1), pixel(2)],
    [
      [22, 15, 0, 64],
      [15, 10, 0, 42],
      [0, 0, 0, 0],
    ],
  );
  assert.deepEqual([pixel(3), pixel(4), pixel(5)], [pixel(0), pixel(1), pixel(2)]);
});

test('an image of one color stays as it is', () => {
  const from = new Uint8ClampedArray(10 * 7 * 4).fill(77);
  const to = new Uint8ClampedArray(from.length);
  blur(from, to, { width: 10, height: 7, radius: 20, x: 0, y: 0, w: 10, h: 7 });
  assert.deepEqual(to, from);
});

test('a PNG goes in, and the blurred one comes out; tiles at the edges are narrower', async () => {
  const [input, output] = [join(folder, 'in.png'), join(folder, 'out.png')];
  drawRings(input, { width: 150, height: 131 });
  const { tiles } = await compare({ input, output, radius: 2, threads: 2 });
  assert.equal(tiles, 4);
  const [from, to] = [input, output].map((path) => PNG.sync.read(readFileSync(path)));
  const expected = new Uint8ClampedArray(from.data.length);
  const whole = { x: 0, y: 0, w: 150, h: 131 };
  blur(from.data, expected, { width: 150, height: 131, radius: 2, ...whole });
  assert.deepEqual([to.width, to.height], [150, 131]);
  assert.ok(to.data.every((value, i) => value === expected[i]));
});

test('what is no image is named, and nothing is written', async () => {
  const [text, cut] = [join(folder, 'text.png'), join(folder, 'cut.png')];
  writeFileSync(text, 'no image');
  drawRings(cut, { width: 20, height: 20 });
  writeFileSync(cut, readFileSync(cut).subarray(0, 60));
  const claims = readFileSync(cut);
  claims.writeUInt32BE(2 ** 31 - 1, 16);
  const huge = join(folder, 'huge.png');
  writeFileSync(huge, claims);
  for (const input of [text, cut, huge, join(folder, 'absent.png')]) {
    const output = join(folder, 'never.png');
    await assert.rejects(compare({ input, output, radius: 1, threads: 1 }), {
      message: /cannot be read as a PNG/,
    });
    assert.ok(!existsSync(output));
  }
});

test('main.js runs, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const output = join(folder, 'main.png');
  const input = join(folder, 'main-in.png');
  drawRings(input, { width: 140, height: 20 });
  const args = [main, '--in', input, '--out', output, '--radius', '1', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /140 x 20 pixels, 2 tiles\. Both ways agree\..*\nOn 2 threads .* times as fast/);
  assert.equal(PNG.sync.read(readFileSync(output)).width, 140);
});
