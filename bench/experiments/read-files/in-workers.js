// Ways to read a file on the threads of a pool, where the contents stay; and `readFiles`, which reads on this thread.

/** How many calls are open at a time. */
const OUTSTANDING = 64;
/** How many reads one call makes. */
const BATCH = 50;

/** Makes a call for each read. */
export function oneByOne(pool, order) {
  return inCalls(pool, order, 1);
}

/** Makes many reads in one call; if there are few reads, makes as many calls as there are threads. */
export function batched(pool, order) {
  return inCalls(pool, order, Math.min(BATCH, Math.ceil(order.times / order.threads)));
}

async function inCalls(pool, { path, times, probes: [byteLength], onChecked }, size) {
  let next = 0;
  const lane = async () => {
    while (next < times) {
      const count = Math.min(size, times - next);
      next += count;
      const read = await pool.call('readManyTimes', { path, times: count });
      if (read === count * byteLength) onChecked(count);
    }
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
}

/** Reads with `readFiles` of the library, which chooses by size how to read. */
export async function withReadFiles(_pool, { path, times, onContent }) {
  const { readFiles } = await import('threadwise/files');
  const paths = new Array(times).fill(path);
  for await (const { bytes } of readFiles(paths)) onContent(bytes);
}
