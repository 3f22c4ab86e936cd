// The rules, plainly: what one row range of a grid becomes. It runs the same in one thread and in a worker.
import { randomFrom } from '../random.js';

/**
 * One generation of rows `first` up to `end`. The grid's edges meet, as on a ring.
 * @param from one byte for each cell, 1 if it lives @param to gets the next generation
 */
export function step(from, to, { width, height, first, end }) {
  for (let y = first; y < end; y++) {
    const [above, row, below] = [y === 0 ? height - 1 : y - 1, y, y + 1 === height ? 0 : y + 1].map(
      (each) => each * width,
    );
    for (let x = 0; x < width; x++) {
      const left = x === 0 ? width - 1 : x - 1;
      const right = x + 1 === width ? 0 : x + 1;
      const neighbours =
        from[above + left] +
        from[above + x] +
        from[above + right] +
        from[row + left] +
        from[row + right] +
        from[below + left] +
        from[below + x] +
        from[below + right];
      to[row + x] = neighbours === 3 || (neighbours === 2 && from[row + x] === 1) ? 1 : 0;
    }
  }
}

/** A grid of which a third lives, the same for the same seed. */
export function grid({ width, height, seed }) {
  const random = randomFrom(seed);
  return Uint8Array.from({ length: width * height }, () => (random() < 2 ** 32 / 3 ? 1 : 0));
}
