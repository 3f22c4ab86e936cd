// One scenario for each number of threads: with the coordinator of the article, with ours, and without any.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { isAsPublished } from '../../contenders/as-published.js';
import { isOurs, open as openOurs } from '../../contenders/threadwise.js';
import { median } from '../../conclusions/statistics.js';
import { combine, files } from '../../fixtures/files.js';
import { withPool } from '../../driver/with-pool.js';
import { measurePasses, readAndHash } from '../crossing/hashing.js';
import { cleanMs, cpuMs, percent, readMs, totalMs } from '../crossing/metrics.js';
import { openSegments } from '../hash-direct/as-published.js';
import { COMPARED_THREADS, QUICK_THREADS, THREADS } from '../hash-direct/scenarios.js';
import { inOneGo, withWorkers } from '../hash-direct/one-go.js';
import { openCoordinated } from './as-published.js';

const WITH = { id: 'coordinator', takes: isAsPublished, open: openCoordinated };
/** The article's first experiment, with which it compares. */
const WITHOUT = { id: 'no coordinator', takes: isAsPublished, open: openSegments };
const COORDINATOR = {
  id: 'coordinator, moved',
  takes: isOurs,
  handOver: 'moved',
  isMoved: true,
  open: (settings) => openOurs(settings, { dispatch: 'coordinator' }),
};
const COORDINATOR_LEASED = { ...COORDINATOR, id: 'coordinator, leased', handOver: 'leased' };
const COPIED = { id: 'copied', takes: isOurs };
const WAYS = [WITH, WITHOUT, COORDINATOR_LEASED, COORDINATOR];
/** Inline there are no ways. */
const wayOf = (way) => WAYS.find(({ id }) => id === way) ?? {};

/** Optional, since only rows with a coordinator have it. */
const coordinatorPercent = { ...percent.lower('coordinatorPercent', 'coordinator %'), isOptional: true };
const workersPercent = { ...percent.higher('workersPercent', 'workers %'), isOptional: true };

function run(context) {
  if (isAsPublished(context.contender)) return runAsPublished(context);
  const { given, budget } = context;
  const { handOver, open } = wayOf(context.way);
  return withPool({ ...context, open }, async (pool) => {
    const look = () => pool.stats?.();
    look(); // starts the interval in which utilisation is measured
    const values = await measurePasses(budget, given.digest, () => readAndHash(pool, given.folder, handOver));
    return { ...values, ...percents(utilizationsOf(look())) };
  });
}

/** How many workers the coordinator has chosen, while files come: `sizes` are [milliseconds since the start, workers, why]. */
async function runSizing({ budget, given }) {
  const pool = await openOurs({ threads: 'auto' }, { dispatch: 'coordinator' });
  const [began, since] = [Date.now(), performance.now()];
  const passesMs = [];
  do {
    const pass = performance.now();
    const { digests } = await readAndHash(pool, given.folder, 'moved');
    assert.equal(combine(digests), given.digest, 'the digests of the files, in order');
    passesMs.push(performance.now() - pass);
  } while (performance.now() - since < budget.followMs);
  const { workers, sizing } = pool.stats();
  await pool.close();
  const sizes = sizing.decisions
    .filter(({ by }) => by === 'coordinator')
    .map(({ at, to, why }) => [at - began, to, why]);
  return { totalMs: median(passesMs), workers: workers.length, changes: sizes.length, sizes };
}

const runAsPublished = ({ way, given, budget, ...context }) =>
  withWorkers(wayOf(way).open, context, async ({ hashFolder, utilizations = () => ({}) }) => ({
    ...(await measurePasses(budget, given.digest, () => hashFolder(given.folder))),
    ...percents(utilizations()),
  }));

/** The utilisation of a pool of ours; nothing if it has no coordinator. */
function utilizationsOf(stats) {
  if (stats?.coordinator === undefined) return {};
  const { coordinator, workers } = stats;
  return {
    coordinator: coordinator.utilization,
    workers: workers.map(({ utilization }) => utilization),
  };
}

/** `eachPercent`: the utilisation of each worker, which is saved, and has a table of its own. */
function percents({ coordinator, workers }) {
  if (coordinator === undefined) return {};
  const eachPercent = workers.map((share) => 100 * share);
  const sum = eachPercent.reduce((total, percentOf) => total + percentOf, 0);
  return { coordinatorPercent: 100 * coordinator, workersPercent: sum / workers.length, eachPercent };
}

const scenario = (threads) => ({
  id: `threads-${threads}`,
  title: `4,096 files of 64 KiB, SHA-256: main reads, a coordinator hands out; threads that hash: ${threads}`,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  fixture: files,
  metrics: [totalMs, cleanMs, readMs, cpuMs, coordinatorPercent, workersPercent],
  ways: COMPARED_THREADS.includes(threads) ? WAYS : [WITH],
  takes: (contender) =>
    isAsPublished(contender) ||
    (COMPARED_THREADS.includes(threads) && isOurs(contender)) ||
    (contender.role === 'inline' && threads === 1),
  run,
});

export const SIZING = 'sizing';

const sizing = {
  id: SIZING,
  title:
    '4,096 files of 64 KiB, SHA-256, again and again for 5 s: our coordinator changes the number of workers',
  fixture: files,
  metrics: [
    totalMs,
    { id: 'workers', label: 'workers at the end', unit: 'workers', better: 'lower' },
    { id: 'changes', label: 'changes of their number', unit: 'changes', better: 'lower' },
  ],
  takes: isOurs,
  run: runSizing,
};

export const scenarios = [
  ...THREADS.map(scenario),
  inOneGo([WITH, WITHOUT, COORDINATOR, COPIED], (contender) => isAsPublished(contender) || isOurs(contender)),
  sizing,
];
