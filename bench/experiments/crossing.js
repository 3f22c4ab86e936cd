// What a call costs: tasks that do nothing, so that only the way there and back is measured.
import assert from 'node:assert/strict';
import { callManyAtOnce, callOneByOne } from '../driver.js';

const OUTSTANDING = 1000;

const callsPerSecond = { id: 'callsPerSecond', label: 'calls/s', better: 'higher' };
const cpuMicroseconds = { id: 'cpuMicroseconds', label: 'CPU us/call', better: 'lower' };
const p50Microseconds = { id: 'p50Microseconds', label: 'p50 us', better: 'lower' };
const p99Microseconds = { id: 'p99Microseconds', label: 'p99 us', better: 'lower' };

/** `x => x + 1` */
const trivial = {
  task: 'increment',
  argument: (i) => i,
  score: (result) => result,
  expected: (argument) => argument + 1,
};

/** A small object, there and back. */
const smallObject = {
  task: 'echo',
  argument: (i) => ({ id: i, name: 'a small object', ok: i % 2 === 0, tags: ['red', 'green', 'blue'] }),
  score: ({ id, name, ok, tags }) => id + name.length + tags.length + (ok ? 1 : 0),
  expected: (argument) => argument,
};

/**
 * Opens the contender, and makes sure that it does the work at all before anything is timed. After an error nothing is
 * closed: the sample's process ends, and takes everything with it.
 */
async function withPool({ open, threads }, workload, measure) {
  const pool = await open({ threads });
  const argument = workload.argument(7);
  assert.deepEqual(await pool.call(workload.task, argument), workload.expected(argument));
  const values = await measure(pool);
  await pool.close();
  return values;
}

const manyAtOnce = (workload) => (context) =>
  withPool(context, workload, (pool) =>
    callManyAtOnce(pool, workload, { outstanding: OUTSTANDING, ...context.budget }),
  );

const oneByOne = (workload) => (context) =>
  withPool(context, workload, (pool) => callOneByOne(pool, workload, context.budget));

export default {
  id: 'crossing',
  title: 'What a call costs that does nothing',
  threads: 2,
  scenarios: [
    {
      id: 'trivial',
      title: 'x => x + 1, 1,000 calls outstanding',
      metrics: [callsPerSecond, cpuMicroseconds],
      run: manyAtOnce(trivial),
    },
    {
      id: 'small-object',
      title: '{ id, name, ok, tags: [..] } there and back, 1,000 calls outstanding',
      metrics: [callsPerSecond, cpuMicroseconds],
      run: manyAtOnce(smallObject),
    },
    {
      id: 'one-at-a-time',
      title: 'x => x + 1, one call at a time',
      metrics: [p50Microseconds, p99Microseconds, cpuMicroseconds],
      run: oneByOne(trivial),
    },
  ],
};
