/**
 * How main treats numbers in memory that workers write, too. A task can overwrite all of this memory, and no number that main reads there
 * may make main loop, wait or compute without end. So main checks a number where it reads it. If the number cannot be true of a worker
 * that works, the worker is ended; where main cannot know which worker has written it, the number is brought within its bounds.
 */

/** A count, or 0 where it cannot be one. */
export const countWithin = (count: number, most: number) => (count > 0 && count <= most ? count : 0);

/** When a task began: not in the future, and now where it has not been written yet. */
export const beganWithin = (began: number, now: number) => (began > 0 && began <= now ? began : now);

/** The error of a worker in whose memory is a number that cannot be true: the worker or a task has written there. */
export function untrue(what: string, value: number, expected: string): Error {
  return new Error(
    `The worker was ended: in the memory that it shares with the pool, ${what} is ${value}, expected ${expected}. A task may have written there`,
  );
}
