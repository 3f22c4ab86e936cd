// Makes so many calls of the same, in each of the ways that there are. `onResult` gets each result.

const OUTSTANDING = 1000;
/** Numbers in one call. */
const BATCH = 1000;
const BATCHES_OUTSTANDING = 16;

/** Without a pool. */
export function callInLoop(pool, { count, argument, onResult }) {
  for (let i = 0; i < count; i++) onResult(pool.call('fibonacci', argument));
}

export async function callEach(pool, { count, argument, onResult }) {
  let next = 0;
  await inLanes(Math.min(count, OUTSTANDING), async () => {
    while (next < count) {
      next++;
      onResult(await pool.call('fibonacci', argument));
    }
  });
}

/** Many in one call; of few, as many calls as threads. */
export async function callBatched(pool, { count, argument, threads, onResult }) {
  const size = Math.min(BATCH, Math.ceil(count / threads));
  let next = 0;
  await inLanes(BATCHES_OUTSTANDING, async () => {
    while (next < count) {
      const length = Math.min(size, count - next);
      next += length;
      const results = await pool.call('fibonacciAll', new Array(length).fill(argument));
      for (const result of results) onResult(result);
    }
  });
}

const inLanes = (lanes, lane) => Promise.all(Array.from({ length: lanes }, lane));
