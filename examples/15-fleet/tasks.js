// Runs on a thread, of this machine or of another one: one row of the Mandelbrot set, a byte for each point.

const STEPS = 255;

export function row({ y, width, height }) {
  const bytes = new Uint8Array(width);
  const im = (2.4 * y) / height - 1.2;
  for (let x = 0; x < width; x++) bytes[x] = steps((3 * x) / width - 2.1, im);
  return bytes;
}

/** How many steps it takes to leave. */
function steps(re, im) {
  let [a, b] = [0, 0];
  for (let i = 0; i < STEPS; i++) {
    [a, b] = [a * a - b * b + re, 2 * a * b + im];
    if (a * a + b * b > 4) return i;
  }
  return STEPS;
}
