// The filter, for one frame. The code is the same in one thread and in a worker.

/** Removes noise: each pixel becomes the median of the 3 x 3 pixels around it. Pixels at the edges stay. */
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

/** The median of nine numbers: for so few, insertion sort is the fastest. */
function medianOf(numbers) {
  for (let i = 1; i < 9; i++) {
    const number = numbers[i];
    let at = i;
    for (; at > 0 && numbers[at - 1] > number; at--) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
  return numbers[4];
}
