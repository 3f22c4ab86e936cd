// Filters an image in one thread and by tiles on several, which must come to the same pixels; reads and writes the files.
import { readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { createPool } from 'threadwise';
import { timed } from '../timing.js';
import { writeWhole } from '../whole-file.js';
import { blur } from './blur.js';

/** How many pixels a tile's side has: many beside the edge that the blur reads, and so few that no thread waits long for the last tile. */
const TILE = 128;

/** @returns the size, how many tiles, and milliseconds `alone` and `together`, of the filter without reading and writing */
export async function compare({ input, output, radius, threads }) {
  const image = readImage(input);
  const { width, height, data } = image;
  const [expected, alone] = await timed(() => {
    const to = new Uint8Array(data.length);
    blur(data, new Uint8ClampedArray(to.buffer), { width, height, radius, x: 0, y: 0, w: width, h: height });
    return to;
  });
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const [pixels, together] = await timed(() => byTiles(pool, image, radius));
    if (Buffer.compare(pixels, expected) !== 0) throw new Error('The tiles came to another image');
    image.data = Buffer.from(pixels);
    writeWhole(output, PNG.sync.write(image));
    return { width, height, tiles: tilesOf(image).length, alone, together };
  } finally {
    await pool.close();
  }
}

/** How many pixels an image may have: the size in its header is allocated before a pixel is read, and 60 bytes can claim 2^62 pixels. */
const MOST_PIXELS = 2 ** 26;
/** The offsets in bytes of the width and the height in a PNG, behind the signature and the head of its first chunk. */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;

function readImage(path) {
  try {
    const file = readFileSync(path);
    const pixels =
      file.length < HEIGHT_AT + 4 ? 0 : file.readUInt32BE(WIDTH_AT) * file.readUInt32BE(HEIGHT_AT);
    if (pixels > MOST_PIXELS)
      throw new Error(`it claims ${pixels} pixels, and this takes ${MOST_PIXELS} at most`);
    return PNG.sync.read(file);
  } catch (cause) {
    throw new Error(`${path} cannot be read as a PNG: ${cause.message}`, { cause });
  }
}

async function byTiles(pool, image, radius) {
  const { width, height, data } = image;
  const [from, to] = [new SharedArrayBuffer(data.length), new SharedArrayBuffer(data.length)];
  const pixels = new Uint8Array(to);
  new Uint8Array(from).set(data);
  const tiles = tilesOf(image).map((tile) => ({ from, to, width, height, radius, ...tile }));
  let [done, total] = [0, tiles.length];
  for await (const _ of pool.map('blurTile', tiles, { ordered: false })) done += 1;
  if (done !== total) throw new Error(`${done} of ${total} tiles were done`);
  return pixels;
}

function tilesOf({ width, height }) {
  const tiles = [];
  for (let y = 0; y < height; y += TILE) {
    for (let x = 0; x < width; x += TILE) {
      tiles.push({ x, y, w: Math.min(TILE, width - x), h: Math.min(TILE, height - y) });
    }
  }
  return tiles;
}
