// A main thread that reads file after file without ever returning to its event loop, and has them hashed: how much threads
// get to do in the meantime.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isAsPublished } from '../../contenders/as-published.js';
import { sharedNow } from '../../driver/clock.js';
import { withPool } from '../../driver/with-pool.js';
import { files } from '../../fixtures/files.js';
import { median } from '../../conclusions/statistics.js';
import { measurePasses } from '../crossing/hashing.js';
import { percent, readMs, totalMs } from '../crossing/metrics.js';

/**
 * Reads all files of a folder, and awaits nothing before all are read.
 * @param give gets each file's number and bytes, and returns a promise of what the task `hashTimed` returns
 * @returns what `readAndHash` of crossing/hashing.js does, and how many per cent of the files were left to hash when all were read
 */
export function readInOneGo(folder, give) {
  const names = readdirSync(folder).sort();
  return giveInOneGo(names, (name) => readFileSync(join(folder, name)), give);
}

/** The contents of all files of a folder: messages that are in memory before anything is measured. */
export function messagesOf(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name)));
}

/**
 * Prepares the bytes of each item of a list, and awaits nothing before all are prepared. Returns what `readInOneGo` does.
 * @param prepare the synchronous work of the main thread for an item, which counts as reading; returns the bytes to hash
 */
export async function giveInOneGo(all, prepare, give) {
  const calls = [];
  let readingMs = 0;
  for (const [id, one] of all.entries()) {
    const began = performance.now();
    const bytes = prepare(one);
    readingMs += performance.now() - began;
    calls.push(give(id, bytes));
  }
  const allRead = sharedNow();
  const results = await Promise.all(calls);
  // The last file is always left: it is handed over when all are read.
  const left = results.filter(({ ended }) => ended >= allRead).length;
  return {
    digests: results.map(({ digest }) => digest),
    readingMs,
    leftPercent: (100 * left) / Math.max(1, results.length),
  };
}

/** Returns the median times and share of several passes. Checks the digests. */
async function measureOneGo({ budget, given }, work) {
  const shares = [];
  const { totalMs: total, readMs: reading } = await measurePasses(budget, given.digest, async () => {
    const result = await work(given.folder);
    shares.push(result.leftPercent);
    return result;
  });
  return { leftPercent: median(shares.slice(budget.warmUpPasses)), totalMs: total, readMs: reading };
}

/** Opens the workers of a published program, measures, and ends them. */
export async function withWorkers(open, context, measure) {
  const workers = await open(context);
  const values = await measure(workers);
  await workers.close();
  return values;
}

export const ONE_GO = 'in-one-go';

/**
 * @param ways { id, takes, open, isMoved }: open: what opens the workers of a published program, or a pool in another way than usually;
 *   isMoved: whether a pool gets the bytes moved, and not copied
 * @param takes who takes part
 */
export const inOneGo = (ways, takes) => ({
  id: ONE_GO,
  title:
    '4,096 files of 64 KiB, SHA-256: 2 threads hash, and get them from a main thread that reads without a pause',
  threads: 2,
  fixture: files,
  metrics: [percent.lower('leftPercent', 'left to hash %'), totalMs, readMs],
  ways,
  takes,
  run(context) {
    const { open, isMoved = false } = ways.find(({ id }) => id === context.way);
    if (isAsPublished(context.contender))
      return withWorkers(open, context, ({ hashFolder }) => measureOneGo(context, hashFolder));
    return withPool({ ...context, open }, (pool) =>
      measureOneGo(context, (folder) =>
        readInOneGo(folder, (_id, bytes) =>
          pool.call('hashTimed', bytes, isMoved ? [bytes.buffer] : undefined),
        ),
      ),
    );
  },
});
