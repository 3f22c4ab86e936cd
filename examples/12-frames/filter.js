// The filter, plainly: what becomes of one frame. It runs the same in one thread and in a worker.

/** Takes noise away: each pixel becomes the median of the 3 x 3 around it. Those at the edges stay. */
export function filterFrame({ pixels, filtered, width, height }) {
  filtered.set(pixels);
  const around = new Uint8Array(9);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      for (let i = 0; i < 9; i++) around[i] = pixels[at + (((i / 3) | 0) - 1) * width + (i % 3) - 1];
      filtered[at] = medianOf(around);
    }
  }
}

/** Sorts nine numbers: so few that nothing is faster than to put each one in its place. */
function medianOf(numbers) {
  for (let i = 1; i < 9; i++) {
    const number = numbers[i];
    let at = i;
    for (; at > 0 && numbers[at - 1] > number; at--) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
  return numbers[4];
}
