// A clock that the tasks of every thread share with the main thread: `performance.now()` begins anew in each thread.

/** Milliseconds, from whenever. */
export const sharedNow = () => Number(process.hrtime.bigint()) / 1e6;
