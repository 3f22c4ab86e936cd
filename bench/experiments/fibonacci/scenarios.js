// Two curves: the published one, of 100 rounds by n, from nothing to the last result; and calls of warm pools by the
// length of the task.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { FEWEST_ROUNDS } from '../../conclusions/statistics.js';
import { AS_PUBLISHED, isAsPublished } from '../../contenders/as-published.js';
import { isOurs } from '../../contenders/threadwise.js';
import { callManyAtOnce } from '../../driver/driver.js';
import { withPool } from '../../driver/with-pool.js';
import { callsPerSecond, cpuMicroseconds, cpuMs, mebibytes, totalMs } from '../crossing/metrics.js';
import { startForEach } from './as-published.js';
import { checkFor, workloadOf } from './numbers.js';
import { ROUNDS } from './published.js';

/** Computes the same number in `rounds` rounds, in a loop without a pool. `onResult` gets each result, as in the other ways. */
export function callInLoop(pool, { rounds, argument, onResult }) {
  for (let i = 0; i < rounds; i++) onResult(pool.call('fibonacci', argument));
}

/** Makes a call for each round, all at once: calls that the pool cannot begin wait in its queue. */
export function callEach(pool, { rounds, argument, onResult }) {
  const one = async () => onResult(await pool.call('fibonacci', argument));
  return Promise.all(Array.from({ length: rounds }, one));
}

/** Makes as many calls as there are threads, each for the same share of the rounds. */
export function callBatched(pool, { rounds, argument, threads, onResult }) {
  const size = Math.ceil(rounds / threads);
  const share = async (_, i) => {
    const length = Math.min(size, rounds - i * size);
    for (const result of await pool.call('fibonacciAll', new Array(length).fill(argument))) onResult(result);
  };
  return Promise.all(Array.from({ length: Math.ceil(rounds / size) }, share));
}

export const BY_N = `${ROUNDS} rounds`;
export const RUN_TIME = 'length of a task';

/** Each n, by the end of its scenario's id. */
const SIZES = { 100: 100, '100k': 100_000, '1m': 1_000_000, '10m': 10_000_000 };
/** The only n for which the article has a figure of one worker at a time. */
export const LARGEST = SIZES['10m'];
/** How many threads a pool has: as published, one for each thread of the processor, and no more than the published processor had. */
export const THREADS = Math.min(16, availableParallelism());
/** How many milliseconds a sample of the largest n may take beyond the usual limit before it counts as stuck. */
const LARGEST_MS = 240_000;
/** piscina with the setting that makes it faster on small tasks. */
const PISCINA = 'piscina (8 per worker)';
const OUTSTANDING = 64;
/** How many numbers a task computes: a hundred take about half a microsecond. */
const INDICES = [100, 1000, 10_000, 100_000];
const QUICK_INDICES = [100, 10_000];
/** How many numbers one call of a batch computes in all: they take some hundred microseconds. */
const BATCH_NUMBERS = 100_000;

const ACROSS = { id: 'across', takes: (contender) => !isAsPublished(contender), make: callEach };
const BATCHED = { id: 'batched', takes: isOurs, make: callBatched };
const AUTO = { id: 'auto', takes: isOurs, make: callEach, placement: 'auto' };
const MANY_WORKERS = { id: '16 workers at a time', takes: isAsPublished, atATime: 16 };
const ONE_WORKER = { id: '1 worker at a time', takes: isAsPublished, atATime: 1 };
const WAYS = [ACROSS, BATCHED, AUTO, MANY_WORKERS, ONE_WORKER];
const INLINE = { make: callInLoop };

const wayOf = (id) => WAYS.find((way) => way.id === id) ?? INLINE;

async function runRounds(index, context) {
  const { contender, way, threads, budget } = context;
  if (contender.package !== undefined) await import(contender.package);
  const rounds = Math.min(ROUNDS, budget.fibonacciRounds);
  const isRight = checkFor(index);
  let right = 0;
  let ended;
  const onResult = (result) => {
    if (isRight(result)) right++;
    process.stdout.write(`\r${right}/${rounds}`); // the published counter, which nobody sees here
    ended = performance.now();
  };
  const work = { rounds, argument: index, threads, onResult };
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const opened = await callAll(contender, wayOf(way), work);
  const { user, system } = process.cpuUsage(cpuBefore);
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  await opened.close();
  assert.equal(right, rounds, 'results that came, and are right');
  return { totalMs: ended - start, cpuMs: (user + system) / 1000, peakMiB };
}

/** Does everything from nothing to the last result. @returns what it has opened */
async function callAll(contender, { atATime, make, placement }, work) {
  if (atATime !== undefined) return startForEach({ ...work, atATime, isEnding: work.argument === LARGEST });
  const pool = await contender.open({ threads: work.threads, isCold: true, placement });
  await make(pool, work);
  return pool;
}

async function runLonger(index, context) {
  const { way, budget } = context;
  const batch = way === BATCHED.id ? Math.max(1, BATCH_NUMBERS / index) : undefined;
  const values = await withPool({ ...context, placement: wayOf(way).placement }, (pool) =>
    callManyAtOnce(pool, workloadOf(index, batch), { outstanding: OUTSTANDING, ...budget }),
  );
  return {
    callsPerSecond: (batch ?? 1) * values.callsPerSecond,
    cpuMicroseconds: values.cpuMicroseconds / (batch ?? 1),
  };
}

const rounds = ([name, index]) => ({
  id: `rounds-${name}`,
  title: `fibonacci(${index.toLocaleString('en-US')}), ${ROUNDS} rounds, from nothing to the last result`,
  curve: BY_N,
  x: index,
  isQuick: index <= 100_000,
  mostMs: index === LARGEST ? LARGEST_MS : undefined,
  mostRounds: index === LARGEST ? FEWEST_ROUNDS : undefined,
  metrics: [totalMs, cpuMs, mebibytes('peakMiB', 'peak MiB')],
  ways: WAYS.filter((way) => (index === LARGEST ? way !== BATCHED : way !== ONE_WORKER)),
  takes: ({ id, role }) => ['threadwise', AS_PUBLISHED].includes(id) || role === 'inline',
  run: (context) => runRounds(index, context),
});

const computing = (index) => ({
  id: `numbers-${index}`,
  title: `fibonacci(${index.toLocaleString('en-US')}), warm, ${OUTSTANDING} calls outstanding`,
  curve: RUN_TIME,
  x: index,
  isQuick: QUICK_INDICES.includes(index),
  metrics: [callsPerSecond, cpuMicroseconds],
  ways: [ACROSS, BATCHED, AUTO],
  takes: ({ id, role }) => ['threadwise', PISCINA].includes(id) || role === 'inline',
  run: (context) => runLonger(index, context),
});

export const scenarios = [...Object.entries(SIZES).map(rounds), ...INDICES.map(computing)];
