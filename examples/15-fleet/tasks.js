// Runs on a thread of this machine or of another one: draws one row of the Mandelbrot set, a byte for each point.

const STEPS = 255;

export function row({ y, width, height }) {
  const bytes = new Uint8Array(width);
  const im = (2.4 * y) / height - 1.2;
  for (let x = 0; x < width; x++) bytes[x] = steps((3 * x) / width - 2.1, im);
  return bytes;
}

/** How many steps a point takes to leave the circle of radius 2; `STEPS` if it has not left by then. */
function steps(re, im) {
  let [a, b] = [0, 0];
  for (let i = 0; i < STEPS; i++) {
    [a, b] = [a * a - b * b + re, 2 * a * b + im];
    if (a * a + b * b > 4) return i;
  }
  return STEPS;
}
