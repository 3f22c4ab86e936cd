// Files hashed on threads: how much of the work a second core takes over if the main thread reads, and if it does not.
import { files } from '../../fixtures/files.js';
import { withPool } from '../../driver/with-pool.js';
import { hashPaths, measurePasses, readAndHash } from './hashing.js';
import { cleanMs, cpuMs, percent, readMs, totalMs } from './metrics.js';

const THREADS = [1, 2, 4, 8, 16];
/** The count that goals are stated for, and that a quick run has. */
const MAIN_THREADS = 2;

const LEASED = { id: 'leased', needs: ['lease'] };
const COPIED = { id: 'copied' };
const MOVED = { id: 'moved', needs: ['transfer'] };
const EVERY_WAY = [LEASED, COPIED, MOVED];
/** Of the published pools only what is best for them: to move, where they can. */
const BEST_WAYS = [
  LEASED,
  { ...COPIED, takes: ({ role, can }) => role === 'ours' || !can.includes('transfer') },
  { ...MOVED, takes: ({ role }) => role === 'published' },
];

/** Given only by a library that has a coordinator. */
const coordinatorPercent = { ...percent.lower('coordinatorPercent', 'coordinator %'), isOptional: true };

const measure = (pool, { budget, given, way }, work) =>
  measurePasses(budget, given.digest, () => work(pool, given.folder, way));

const direct = (context) => withPool(context, (pool) => measure(pool, context, readAndHash));

const workersRead = (context) => withPool(context, (pool) => measure(pool, context, hashPaths));

/** As `direct`, and how busy the coordinator was meanwhile. */
const viaCoordinator = (context) =>
  withPool(context, async (pool) => {
    const look = () => pool.stats?.().coordinator?.utilization;
    look(); // utilisation is since the last look
    const values = await measure(pool, context, readAndHash);
    const utilization = look();
    return utilization === undefined ? values : { ...values, coordinatorPercent: 100 * utilization };
  });

const what = '4,096 files of 64 KiB, SHA-256';
const onThreads = (threads) => (threads === 1 ? '1 thread' : `${threads} threads`);

const fasterThan = (to, atLeast) => ({ metric: 'totalMs', by: 'times', to, atLeast });

/** What is said at the main count only. */
const SAID_OF_DIRECT = {
  goals: [
    {
      text: 'with leases, at least 1.6 times as fast as inline',
      of: 'threadwise, leased',
      ...fasterThan('inline', 1.6),
    },
    {
      text: 'with leases, at least 1.8 times as fast as the best published pool',
      of: 'threadwise, leased',
      ...fasterThan('published', 1.8),
    },
    {
      text: 'with copied arguments, at least 1.2 times as fast as inline',
      of: 'threadwise, copied',
      ...fasterThan('inline', 1.2),
    },
  ],
  highlights: [
    { metric: 'totalMs', of: 'threadwise, leased', text: `${what}: main reads into leases, 2 threads hash` },
    { metric: 'totalMs', of: 'threadwise, copied', text: 'the same, with copied arguments' },
  ],
};

function hashDirect(threads) {
  const isMain = threads === MAIN_THREADS;
  return {
    id: `hash-direct-${threads}`,
    title: `${what}: the main thread reads, ${onThreads(threads)} hash`,
    threads,
    isQuick: isMain,
    fixture: files,
    metrics: [totalMs, readMs, cleanMs, cpuMs],
    // At other counts the shape of the curve is of interest, and not every variant.
    ways: isMain ? EVERY_WAY : BEST_WAYS,
    takes: ({ role, isQuick }) => role !== 'bare' && role !== 'as-published' && (isMain || isQuick),
    ...(isMain ? SAID_OF_DIRECT : {}),
    run: direct,
  };
}

/** The bytes move through the thread that gives tasks to workers. */
const hashCoordinator = (threads) => ({
  id: `hash-coordinator-${threads}`,
  title: `${what}: the main thread reads, a coordinator hands out, ${onThreads(threads)} hash`,
  threads,
  isQuick: false,
  fixture: files,
  metrics: [totalMs, readMs, cleanMs, cpuMs, coordinatorPercent],
  ways: [MOVED],
  takes: ({ role, id }) => role === 'inline' || ['threadwise', 'threadwise (coordinator)'].includes(id),
  run: viaCoordinator,
});

const hashWorkersRead = {
  id: 'hash-workers-read',
  title: `${what}: ${onThreads(MAIN_THREADS)} read and hash`,
  threads: MAIN_THREADS,
  isQuick: false, // the experiment hash-direct has it
  fixture: files,
  metrics: [totalMs, cpuMs],
  goals: [{ text: 'at least 1.9 times as fast as inline', ...fasterThan('inline', 1.9) }],
  highlights: [{ metric: 'totalMs' }],
  run: workersRead,
};

export const hash = [...THREADS.map(hashDirect), ...THREADS.map(hashCoordinator), hashWorkersRead];
