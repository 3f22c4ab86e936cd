/**
 * Quantiles of Student's t distribution with a whole number of degrees of freedom: intervals of so few values that their order
 * says too little. By the closed forms in M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
 */

/** Halvings of an angle, after which it is as exact as a double. */
const HALVINGS = 60;

/** From minus how much to how much all lies but `doubt`, half of which is on each side. */
export function studentQuantile(doubt: number, freedom: number): number {
  let [low, high] = [0, Math.PI / 2];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (within(middle, freedom) < 1 - doubt) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** How probable it is to be between minus and plus the square root of `freedom` times the tangent of the angle. */
function within(angle: number, freedom: number): number {
  if (freedom === 1) return (2 * angle) / Math.PI;
  const isOdd = freedom % 2 === 1;
  const square = Math.cos(angle) ** 2;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = term;
  for (let k = isOdd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= ((k - 1) / k) * square;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
