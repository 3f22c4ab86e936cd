// Draws an image for when none is given: rings in color, written as a PNG.
import { writeFileSync } from 'node:fs';
import { PNG } from 'pngjs';

export function drawRings(path, { width, height }) {
  const image = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot(x - width / 2, y - height / 2);
      const at = (y * width + x) * 4;
      image.data[at] = distance % 32 < 16 ? 255 : 30;
      image.data[at + 1] = (x * 255) / width;
      image.data[at + 2] = (y * 255) / height;
      image.data[at + 3] = 255;
    }
  }
  writeFileSync(path, PNG.sync.write(image));
}
