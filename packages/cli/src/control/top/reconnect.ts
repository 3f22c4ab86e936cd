/**
 * How long to wait between attempts to connect: a program that restarts is found soon, one that is gone is
 * left alone.
 */

/** The first pause. Milliseconds; like the others chosen, not measured. */
const FIRST_MS = 1000;
const LONGEST_MS = 10_000;

/** @param failures attempts that failed before the one that failed just now */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
}
