// One scenario for each number of threads; and what threads get to do while the main thread reads.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { files } from '../../fixtures/files.js';
import { withPool } from '../../driver/with-pool.js';
import { hashPaths, measurePasses, readAndHash } from '../crossing/hashing.js';
import { cleanMs, cpuMs, readMs, totalMs } from '../crossing/metrics.js';
import { openSegments } from './as-published.js';
import { measureOneGo, ONE_GO, oneGoMetrics, readInOneGoFor } from './one-go.js';

const THREADS = [1, 2, 4, 8, 16];
const QUICK_THREADS = [1, 2, 4];
/** The two that are fastest at it, with the settings that make them so. */
const PUBLISHED_POOLS = ['piscina (8 per worker)', 'poolifier'];

const isOurs = ({ id }) => id === 'threadwise';
const isPublished = ({ role }) => role === 'published';
const isAsPublished = ({ id }) => id === AS_PUBLISHED;

/** The best that each can do where the main thread reads, and ours with its threads reading. */
const LEASED = { id: 'leased', takes: isOurs, work: readAndHash };
const READ = { id: 'workers read', takes: isOurs, work: hashPaths };
const MOVED = { id: 'moved', takes: isPublished, work: readAndHash };
/** Of ours in one go: there is no lease for each of so many files. */
const COPIED = { id: 'copied', takes: isOurs };
const INLINE = { work: readAndHash };
/** The published one, which needs no pool. */
const SEGMENTS = { id: 'shared segments', takes: isAsPublished };
const WAYS = [SEGMENTS, LEASED, READ, MOVED];

async function run(context) {
  const { contender, threads, way, given, budget } = context;
  if (isAsPublished(contender)) return runAsPublished({ threads, given, budget });
  const { work } = WAYS.find(({ id }) => id === way) ?? INLINE;
  return withPool(context, (pool) =>
    measurePasses(budget, given.digest, () => work(pool, given.folder, way)),
  );
}

async function runInOneGo(context) {
  const { contender, way } = context;
  if (isAsPublished(contender)) {
    const workers = await openSegments(context);
    const values = await measureOneGo(context, workers.hashFolder);
    await workers.close();
    return values;
  }
  return withPool(context, (pool) =>
    measureOneGo(context, (folder) => readInOneGoFor(pool, folder, way === MOVED.id)),
  );
}

async function runAsPublished({ threads, given, budget }) {
  const workers = await openSegments({ threads });
  const values = await measurePasses(budget, given.digest, () => workers.hashFolder(given.folder));
  await workers.close();
  return values;
}

const scenario = (threads) => ({
  id: `threads-${threads}`,
  title: `4,096 files of 64 KiB, SHA-256: the main thread reads; threads that hash: ${threads}`,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  fixture: files,
  metrics: [totalMs, cleanMs, readMs, cpuMs],
  ways: WAYS,
  takes: (contender) =>
    isOurs(contender) ||
    isAsPublished(contender) ||
    contender.role === 'inline' ||
    PUBLISHED_POOLS.includes(contender.id),
  run,
});

const inOneGo = {
  id: ONE_GO,
  title:
    '4,096 files of 64 KiB, SHA-256: 2 threads hash, and get them from a main thread that reads without a pause',
  threads: 2,
  fixture: files,
  metrics: oneGoMetrics,
  ways: [SEGMENTS, COPIED, MOVED],
  takes: (contender) =>
    isOurs(contender) || isAsPublished(contender) || PUBLISHED_POOLS.includes(contender.id),
  run: runInOneGo,
};

export const scenarios = [...THREADS.map(scenario), inOneGo];
