// A clock that the tasks of every thread share with the main thread: `performance.now()` starts at zero in each thread.

/** Milliseconds since an arbitrary moment. */
export const sharedNow = () => Number(process.hrtime.bigint()) / 1e6;
