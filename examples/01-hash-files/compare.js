// Three ways to hash a folder of files, and their comparison.
import { performance } from 'node:perf_hooks';
import { createPool } from 'threadwise';
import { makeFiles } from './generate.js';
import { digestFile, readStart } from './tasks.js';

const taskModule = new URL('./tasks.js', import.meta.url);
/** How many files are on their way at a time: enough that no worker waits for its next one… */
const MAX_CONCURRENCY = 128;
/** …and so few that what main has read for them stays below this many bytes. */
const MAX_BYTES_ON_THE_WAY = 16 * 2 ** 20;
/** How many files each way hashes before it is timed, so that everything is compiled. */
const WARM_UP_FILES = 512;

/** One thread does everything. */
async function inline({ paths }) {
  const digests = [];
  for (const path of paths) digests.push((await digestFile(path)).digest);
  return digests;
}

/** The main thread reads straight into memory that it shares with the workers, so nothing is copied. */
async function mainReads({ paths, size, pool }) {
  function* contents() {
    for (const path of paths) {
      const lease = pool.lease(size);
      readStart(path, lease.bytes);
      yield lease;
    }
  }
  const fitting = Math.floor(MAX_BYTES_ON_THE_WAY / size);
  const concurrency = Math.max(4, Math.min(MAX_CONCURRENCY, fitting));
  return collect(pool.map('digest', contents(), { concurrency }));
}

/** The main thread hands out paths, the workers read. */
async function workersRead({ paths, pool }) {
  const results = await collect(pool.map('digestFile', paths, { concurrency: MAX_CONCURRENCY }));
  return results.map((result) => result.digest);
}

async function collect(results) {
  const all = [];
  for await (const result of results) all.push(result);
  return all;
}

/** Hashes the same files in all three ways. Throws unless they find the same digests. */
export async function compare({ files, size, threads, dir, seed }) {
  const { paths, remove } = makeFiles({ count: files, size, seed, dir });
  const pool = createPool(taskModule, { threads });
  try {
    await pool.ready;
    const ways = [];
    for (const [name, way] of Object.entries({ inline, mainReads, workersRead })) {
      await way({ paths: paths.slice(0, WARM_UP_FILES), size, pool });
      const start = performance.now();
      const digests = await way({ paths, size, pool });
      ways.push({ name, milliseconds: performance.now() - start, digests });
    }
    for (const { name, digests } of ways) checkSame(name, ways[0].digests, digests);
    return ways;
  } finally {
    await pool.close();
    remove();
  }
}

function checkSame(name, expected, digests) {
  const at = expected.findIndex((value, i) => value !== digests[i]);
  if (at >= 0 || digests.length !== expected.length) {
    throw new Error(`${name}: file ${at} has another digest than inline`);
  }
}
