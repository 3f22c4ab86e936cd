// Two curves: by the number of calls, from nothing to the last result; and by the length of a task, warm.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { callManyAtOnce } from '../../driver/driver.js';
import { withPool } from '../../driver/with-pool.js';
import { callsPerSecond, cpuMicroseconds, totalMs } from '../crossing/metrics.js';
import { callChained } from './as-published.js';
import { callBatched, callEach, callInLoop } from './calling.js';
import { checkFor } from './numbers.js';
import { Results } from './results.js';

export const CALLS = 'number of calls';
export const RUN_TIME = 'length of a task';

const INDEX = 100;
const COUNTS = [100, 100_000, 1_000_000, 10_000_000];
/** With a single worker only the most calls were published. */
const ONE_WORKER_COUNT = COUNTS.at(-1);
/** The published workers are asked to make so many times as many as pools of npm: their start is to count for little. */
const CHAINED_SHARE = 3;
/** With the setting that makes it faster on small tasks. */
const PISCINA = 'piscina (8 per worker)';
const OUTSTANDING = 64;
/** How many numbers a task computes: about half a microsecond for a hundred. */
const INDICES = [100, 1000, 10_000, 100_000];
const QUICK_INDICES = [100, 10_000];
/** Stands for what is expected: results are not compared with it, but checked. */
const RIGHT = Symbol('right');

const isOurs = ({ id }) => id === 'threadwise';
const isAsPublished = ({ id }) => id === AS_PUBLISHED;

const ACROSS = { id: 'across', takes: (contender) => !isAsPublished(contender), make: callEach };
const BATCHED = { id: 'batched', takes: isOurs, make: callBatched };
const AUTO = { id: 'auto', takes: isOurs, make: callEach, placement: 'auto' };
const MANY_WORKERS = { id: '16 workers', takes: isAsPublished, workers: 16 };
const ONE_WORKER = { id: '1 worker', takes: isAsPublished, workers: 1 };
const WAYS = [ACROSS, BATCHED, AUTO, MANY_WORKERS, ONE_WORKER];
const INLINE = { make: callInLoop };

const wayOf = (id) => WAYS.find((way) => way.id === id) ?? INLINE;

/** How many of the calls are made. */
function madeOf(count, { role }, { calls, publishedCalls }) {
  if (role === 'published') return Math.min(count, publishedCalls);
  return Math.min(count, role === 'as-published' ? CHAINED_SHARE * publishedCalls : calls);
}

async function runCounted(count, context) {
  const { contender, way, threads, budget } = context;
  if (contender.package !== undefined) await import(contender.package);
  const made = madeOf(count, contender, budget);
  const results = new Results(made, checkFor(INDEX));
  const work = { count: made, argument: INDEX, threads, onResult: results.take };
  const cpuBefore = process.cpuUsage();
  results.start();
  const opened = await callAll(contender, wayOf(way), work);
  const { user, system } = process.cpuUsage(cpuBefore);
  await opened.close();
  const milliseconds = results.timeOf(count);
  return {
    // What is reckoned is good enough for a rate, and not for a time.
    totalMs: made === count ? milliseconds : undefined,
    callsPerSecond: (count * 1000) / milliseconds,
    cpuMicroseconds: (user + system) / made,
  };
}

/** From nothing to the last result. @returns what has been opened for it */
async function callAll(contender, { workers, make, placement }, work) {
  if (workers !== undefined) return callChained({ ...work, threads: workers });
  const pool = await contender.open({ threads: work.threads, isCold: true, placement });
  await make(pool, work);
  return pool;
}

/** All calls of a scenario are the same: the sum of the scores is how many of them are right. */
function workloadOf(index) {
  const isRight = checkFor(index);
  return {
    task: 'fibonacci',
    argument: () => index,
    score: (result) => (result === RIGHT || isRight(result) ? 1 : 0),
    expected: () => RIGHT,
  };
}

function runLonger(index, context) {
  const { way, budget } = context;
  return withPool({ ...context, placement: wayOf(way).placement }, (pool) =>
    callManyAtOnce(pool, workloadOf(index), { outstanding: OUTSTANDING, ...budget }),
  );
}

const counting = (count) => ({
  id: `calls-${count}`,
  title: `fibonacci(100), ${count.toLocaleString('en-US')} calls, from nothing to the last result`,
  curve: CALLS,
  x: count,
  isQuick: count <= 100_000,
  metrics: [{ ...totalMs, isOptional: true }, callsPerSecond, cpuMicroseconds],
  ways: WAYS.filter((way) => way !== ONE_WORKER || count === ONE_WORKER_COUNT),
  takes: ({ id, role }) => ['threadwise', PISCINA, AS_PUBLISHED].includes(id) || role === 'inline',
  run: (context) => runCounted(count, context),
});

const computing = (index) => ({
  id: `numbers-${index}`,
  title: `fibonacci(${index.toLocaleString('en-US')}), warm, ${OUTSTANDING} outstanding`,
  curve: RUN_TIME,
  x: index,
  isQuick: QUICK_INDICES.includes(index),
  metrics: [callsPerSecond, cpuMicroseconds],
  ways: [ACROSS, AUTO],
  takes: ({ id, role }) => ['threadwise', PISCINA].includes(id) || role === 'inline',
  run: (context) => runLonger(index, context),
});

export const scenarios = [...COUNTS.map(counting), ...INDICES.map(computing)];
