// Draws images for when none are given: each a plane of color with noise, the same for the same seed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom } from '../random.js';
import { writePpm } from './ppm.js';

/** @returns the files' paths */
export function drawImages(folder, { files, size, seed }) {
  const random = randomFrom(seed);
  return Array.from({ length: files }, (_, number) => {
    const pixels = Buffer.alloc(size * size * 3);
    for (let i = 0; i < pixels.length; i++)
      pixels[i] = ((i / 3) % size) / 4 + (number * 7) / (i % 3 || 1) + (random() & 3);
    const path = join(folder, `image-${String(number).padStart(4, '0')}.ppm`);
    writeFileSync(path, writePpm({ width: size, height: size, pixels }));
    return path;
  });
}
