// One scenario for each number of threads, and scenarios of what threads get to do while the main thread is busy.
import { isAsPublished } from '../../contenders/as-published.js';
import { isOurs } from '../../contenders/threadwise.js';
import { files } from '../../fixtures/files.js';
import { withPool } from '../../driver/with-pool.js';
import { hashPaths, measurePasses, readAndHash } from '../crossing/hashing.js';
import { cleanMs, cpuMs, microseconds, milliseconds, readMs, totalMs } from '../crossing/metrics.js';
import { openSegments } from './as-published.js';
import { giveInOneGo, inOneGo, messagesOf, withWorkers } from './one-go.js';

/** All numbers of threads that were published; only those of COMPARED_THREADS are measured with other rows. */
export const THREADS = Array.from({ length: 16 }, (_, i) => i + 1);
export const COMPARED_THREADS = [1, 2, 4, 8, 16];
export const QUICK_THREADS = [1, 2, 4];
/** The two that are fastest at this, with their best settings; most points of the curve have only the first. */
const PUBLISHED_POOLS = ['piscina (8 per worker)', 'poolifier'];
/** The number of threads of the goals. MEMORY_THREADS: those with which the cost of reads is measured, this one and the published. */
const MAIN_THREADS = 2;
export const MEMORY_THREADS = [MAIN_THREADS, 4];
/** The row without threads is measured once. */
const INLINE_THREADS = 1;

const isPublished = ({ role }) => role === 'published';

const isCompared = (contender, threads) =>
  isOurs(contender) ||
  contender.id === PUBLISHED_POOLS[0] ||
  (threads === MAIN_THREADS && PUBLISHED_POOLS.includes(contender.id));

/** The best way of each contender where the main thread reads, and ours where the workers read. */
const LEASED = { id: 'leased', takes: isOurs, work: readAndHash };
const READ = { id: 'workers read', takes: isOurs, work: hashPaths };
const MOVED = { id: 'moved', takes: isPublished, work: readAndHash, isMoved: true };
/** Copies the bytes: there are not enough leases for all files in one go. */
const COPIED = { id: 'copied', takes: isOurs, work: readAndHash };
const INLINE = { work: readAndHash };
/** The published transport, which needs no pool. */
const SEGMENTS = { id: 'shared segments', takes: isAsPublished, open: openSegments };
/** The published program with its messages in memory, with which its synchronous reads are compared. */
const MEMORY = { id: 'messages from memory', takes: isAsPublished };
const WAYS = [SEGMENTS, MEMORY, LEASED, COPIED, READ, MOVED];

function waysOf(threads) {
  const isOf = (way) =>
    way === MEMORY ? MEMORY_THREADS.includes(threads) : way !== COPIED || threads === MAIN_THREADS;
  return COMPARED_THREADS.includes(threads) ? WAYS.filter(isOf) : [SEGMENTS];
}

const fasterThan = (to, atLeast) => ({ metric: 'totalMs', by: 'times', to, atLeast });
const WHAT = '4,096 files of 64 KiB, SHA-256';

/** Goals and highlights, only for the main number of threads. */
const SAID = {
  goals: [
    {
      text: 'with leases, at least 1.6 times as fast as the best published pool',
      of: 'threadwise, leased',
      ...fasterThan('published', 1.6),
    },
    {
      text: 'with threads that read, at least 1.6 times as fast as the best published pool',
      of: 'threadwise, workers read',
      ...fasterThan('published', 1.6),
    },
  ],
  highlights: [
    { metric: 'totalMs', of: 'threadwise, leased', text: `${WHAT}: main reads into leases, 2 threads hash` },
    { metric: 'totalMs', of: 'threadwise, copied', text: 'the same, with copied arguments' },
    { metric: 'totalMs', of: 'threadwise, workers read', text: `${WHAT}: 2 threads read and hash` },
  ],
};

async function run(context) {
  const { contender, way, given, budget } = context;
  if (isAsPublished(contender)) return runAsPublished(context);
  const { work } = WAYS.find(({ id }) => id === way) ?? INLINE;
  return withPool(context, (pool) =>
    measurePasses(budget, given.digest, () => work(pool, given.folder, way)),
  );
}

function runAsPublished(context) {
  const { way, given, budget } = context;
  const messages = way === MEMORY.id ? messagesOf(given.folder) : undefined;
  return withWorkers(openSegments, context, ({ hashFolder, hashAll }) =>
    measurePasses(budget, given.digest, async () => {
      if (messages === undefined) return hashFolder(given.folder);
      // Taking a message out of a list does not count as reading.
      return { ...(await hashAll(messages, (bytes) => bytes)), readingMs: 0 };
    }),
  );
}

/** Words of four letters and more, with a digit behind them. Random bytes have few of them, but each byte is looked at. */
const WORDS = /[a-z]{4,}\d/gi;

/** Main has all messages in memory, and runs a regular expression over each, synchronously, before the message is hashed. */
async function runMatching(context) {
  const { contender, given, budget } = context;
  const messages = messagesOf(given.folder);
  const prepare = (bytes) => {
    bytes.latin1Slice(0, bytes.length).match(WORDS);
    return bytes;
  };
  const pass = async (hashAll) => {
    const values = await measurePasses(budget, given.digest, () => hashAll(messages, prepare));
    return { totalMs: values.totalMs, cleanMs: values.cleanMs, matchingMs: values.readMs };
  };
  if (isAsPublished(contender)) return withWorkers(openSegments, context, ({ hashAll }) => pass(hashAll));
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
  ways: waysOf(threads),
  takes: (contender) =>
    isAsPublished(contender) ||
    (COMPARED_THREADS.includes(threads) && isCompared(contender, threads)) ||
    (contender.role === 'inline' && threads === INLINE_THREADS),
  run,
  ...(threads === MAIN_THREADS ? SAID : {}),
});

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

export const scenarios = [
  ...THREADS.map(scenario),
  inOneGo(
    [SEGMENTS, COPIED, MOVED],
    (contender) => isOurs(contender) || isAsPublished(contender) || PUBLISHED_POOLS.includes(contender.id),
  ),
  mainMatches,
];
