// The work, for one image. The code is the same in one thread and in a worker.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PNG } from 'pngjs';
import { writeWhole } from '../whole-file.js';
import { readPpm } from './ppm.js';

/** The path of the converted image: the same name in another folder. */
export const targetOf = (path, folder) => join(folder, `${basename(path, '.ppm')}.png`);

/**
 * Converts a PPM file to a PNG, whole or not at all. Throws if the PNG cannot be written: then no other image could be, either.
 * @returns `problem`: why the image cannot be read, which says nothing about the others
 */
export function convert({ path, folder }) {
  let image;
  try {
    image = readPpm(readFileSync(path));
  } catch (error) {
    return { path, problem: error.message };
  }
  writeWhole(targetOf(path, folder), encode(image));
  return { path };
}

function encode({ width, height, pixels }) {
  const png = new PNG({ width, height });
  for (let from = 0, to = 0; from < pixels.length; from += 3, to += 4) {
    pixels.copy(png.data, to, from, from + 3);
    png.data[to + 3] = 255;
  }
  return PNG.sync.write(png, { colorType: 2 });
}
