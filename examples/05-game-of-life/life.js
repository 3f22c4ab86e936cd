// The rules, for a range of rows of a grid. The code is the same in one thread and in a worker.
import { randomFrom } from '../random.js';

/**
 * Computes one generation of the rows from `first` up to `end`. Opposite edges of the grid meet.
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

/** A grid in which a third of the cells live, the same for the same seed. */
export function grid({ width, height, seed }) {
  const random = randomFrom(seed);
  return Uint8Array.from({ length: width * height }, () => (random() < 2 ** 32 / 3 ? 1 : 0));
}
