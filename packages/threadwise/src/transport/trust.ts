/**
 * What main believes of memory that workers write, too. A task can overwrite all of it, so a number that main reads there must not
 * make it loop, wait or reckon without end, whatever the number is: it is checked where it is read. What cannot be true of a worker
 * that works is that worker's end; where nobody can tell who has written, the number is brought within its bounds.
 */

/** A count, or 0 where it cannot be one. */
export function countWithin(count: number, most: number): number {
  return count > 0 && count <= most ? count : 0;
}

/** When a task began: not in the future, and now where it has not been written yet. */
export function beganWithin(began: number, now: number): number {
  return began > 0 && began <= now ? began : now;
}

/** The error of a worker that has written, or in whose memory a task has written, what cannot be true. */
export function untrue(what: string, value: number, expected: string): Error {
  return new Error(
    `The worker was ended: in the memory that it shares with the pool, ${what} is ${value}, expected ${expected}. A task may have written there`,
  );
}
