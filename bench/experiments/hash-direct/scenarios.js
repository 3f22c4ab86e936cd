// One scenario for each number of threads; and what threads get to do while the main thread reads.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { files } from '../../fixtures/files.js';
import { withPool } from '../../driver/with-pool.js';
import { hashPaths, measurePasses, readAndHash } from '../crossing/hashing.js';
import { cleanMs, cpuMs, microseconds, milliseconds, readMs, totalMs } from '../crossing/metrics.js';
import { openSegments } from './as-published.js';
import { matchesOf } from './matching.js';
import { giveInOneGo, measureOneGo, messagesOf, ONE_GO, oneGoMetrics, readInOneGoFor } from './one-go.js';

/** All that were published; beside these counts, the published program is alone. */
const THREADS = Array.from({ length: 16 }, (_, i) => i + 1);
export const COMPARED_THREADS = [1, 2, 4, 8, 16];
const QUICK_THREADS = [1, 2, 4];
/** The two that are fastest at it, with the settings that make them so. */
const PUBLISHED_POOLS = ['piscina (8 per worker)', 'poolifier'];

const isOurs = ({ id }) => id === 'threadwise';
const isPublished = ({ role }) => role === 'published';
const isAsPublished = ({ id }) => id === AS_PUBLISHED;

const isCompared = (contender) =>
  isOurs(contender) || contender.role === 'inline' || PUBLISHED_POOLS.includes(contender.id);

/** The best that each can do where the main thread reads, and ours with its threads reading. */
const LEASED = { id: 'leased', takes: isOurs, work: readAndHash };
const READ = { id: 'workers read', takes: isOurs, work: hashPaths };
const MOVED = { id: 'moved', takes: isPublished, work: readAndHash };
/** Of ours in one go: there is no lease for each of so many files. */
const COPIED = { id: 'copied', takes: isOurs };
const INLINE = { work: readAndHash };
/** The published one, which needs no pool. */
const SEGMENTS = { id: 'shared segments', takes: isAsPublished };
/** The published program before it read: what its synchronous reads are compared with. */
const MEMORY = { id: 'messages from memory', takes: isAsPublished };
const WAYS = [SEGMENTS, MEMORY, LEASED, READ, MOVED];

async function run(context) {
  const { contender, threads, way, given, budget } = context;
  if (isAsPublished(contender))
    return runAsPublished({ threads, given, budget, isFromMemory: way === MEMORY.id });
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

async function runAsPublished({ threads, given, budget, isFromMemory }) {
  const messages = isFromMemory ? messagesOf(given.folder) : undefined;
  const workers = await openSegments({ threads });
  const values = await measurePasses(budget, given.digest, async () => {
    if (messages === undefined) return workers.hashFolder(given.folder);
    // To take one out of a list is no reading.
    return { ...(await workers.hashAll(messages, (bytes) => bytes)), readingMs: 0 };
  });
  await workers.close();
  return values;
}

/** Main has all messages in memory, and looks for words in each of them before it is hashed: synchronously. */
async function runMatching(context) {
  const { contender, given, budget } = context;
  const messages = messagesOf(given.folder);
  const prepare = (bytes) => {
    matchesOf(bytes);
    return bytes;
  };
  const pass = async (hashAll) => {
    const values = await measurePasses(budget, given.digest, () => hashAll(messages, prepare));
    return { totalMs: values.totalMs, cleanMs: values.cleanMs, matchingMs: values.readMs };
  };
  if (isAsPublished(contender)) {
    const workers = await openSegments(context);
    const values = await pass(workers.hashAll);
    await workers.close();
    return values;
  }
  return withPool(context, (pool) =>
    pass((all, prepareOne) =>
      giveInOneGo(all, prepareOne, async (_id, bytes) => pool.call('hashTimed', bytes)),
    ),
  );
}

const scenario = (threads) => ({
  id: `threads-${threads}`,
  title: `4,096 files of 64 KiB, SHA-256: the main thread reads; threads that hash: ${threads}`,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  fixture: files,
  metrics: [totalMs, cleanMs, readMs, cpuMs, microseconds('cleanUsPerFile', 'clean us/file')],
  ways: COMPARED_THREADS.includes(threads) ? WAYS : [SEGMENTS],
  takes: (contender) =>
    isAsPublished(contender) || (COMPARED_THREADS.includes(threads) && isCompared(contender)),
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

export const MATCHING = 'main-matches';

const mainMatches = {
  id: MATCHING,
  title:
    '4,096 messages of 64 KiB in memory, SHA-256: the main thread runs a regular expression over each, without a pause; 2 threads hash',
  threads: 2,
  fixture: files,
  metrics: [totalMs, cleanMs, milliseconds('matchingMs', 'matching ms')],
  ways: [SEGMENTS, COPIED],
  takes: (contender) => isOurs(contender) || isAsPublished(contender) || contender.role === 'inline',
  run: runMatching,
};

export const scenarios = [...THREADS.map(scenario), inOneGo, mainMatches];
