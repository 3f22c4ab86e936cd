// The cost of a call: tasks that do nothing, so that only the crossing is measured, and those of a server, which do little.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callManyAtOnce, callOf, callOneByOne } from '../../driver/driver.js';
import { withPool } from '../../driver/with-pool.js';
import { callsPerSecond, cpuMicroseconds, p50Microseconds, p99Microseconds, timesAs } from './metrics.js';

const OUTSTANDING = 1000;

/** Takes inline and one variant of each package, the best in most scenarios; `trivial` has the other variants. */
export const oneOfEach = ({ role, isQuick }) =>
  role === 'inline' || (isQuick && ['ours', 'published'].includes(role));

/** `x => x + 1` */
const trivial = {
  task: 'increment',
  argument: (i) => i,
  score: (result) => result,
  expected: (argument) => argument + 1,
};

/** A small object that crosses in both directions. */
const smallObject = {
  task: 'echo',
  argument: (i) => ({ id: i, name: 'a small object', ok: i % 2 === 0, tags: ['red', 'green', 'blue'] }),
  score: ({ id, name, ok, tags }) => id + name.length + tags.length + (ok ? 1 : 0),
  expected: (argument) => argument,
};

const GUESTS = ['Ada', 'Grace', 'Barbara', 'Frances'];
const SENTENCES = 10;
/** A task of a server, which takes some microseconds and returns text. */
const page = {
  task: 'render',
  argument: (i) => ({ sentences: SENTENCES, name: `Visitor ${i}`, guest: GUESTS[i % GUESTS.length] }),
  score: (text) => text.length + text.charCodeAt(text.length >> 1),
  expected: ({ name, guest }) => `${name} will meet ${guest}.\n`.repeat(SENTENCES),
};

/** Rows of a wide table, made once, so that making them is no part of a call. */
const COLUMNS = 100;
const rows = Array.from({ length: 16 }, (_, n) =>
  Object.fromEntries(Array.from({ length: COLUMNS }, (_value, column) => [`column${column}`, n * column])),
);
const row = {
  task: 'echo',
  argument: (i) => rows[i % rows.length],
  score: (fields) => fields.column1 + fields[`column${COLUMNS - 1}`],
  expected: (argument) => argument,
};

/** A task that throws, as one that checks its input does. */
const failure = {
  task: 'fail',
  fails: true,
  argument: (i) => `not so: ${i}`,
  score: ({ message }) => Number(message.slice('not so: '.length)),
  expected: (message) => ({ message }),
};

/** Objects of 10 KiB as JSON, made once, so that making them is no part of a call. */
const documents = Array.from({ length: 16 }, (_, n) => makeDocument(n));
const document = {
  task: 'echo',
  argument: (i) => documents[i % documents.length],
  score: ({ id, lines }) => id + lines.length + lines.at(-1).price + lines.at(-1).tags.length,
  expected: (argument) => argument,
};

function makeDocument(id) {
  const line = (n) => ({
    ...{
      sku: `article-${id}-${n}`,
      title: `A thing that is sold, number ${n}`,
      count: n % 7,
      price: n + 0.5,
    },
    ...{
      isTaxed: n % 2 === 0,
      note: null,
      tags: ['red', 'green', 'blue'],
      size: { width: n, height: 2 * n },
    },
  });
  return {
    id,
    customer: { name: 'A. Customer', city: 'Anywhere' },
    lines: Array.from({ length: 58 }, (_, n) => line(n)),
  };
}

/** Makes one call before anything is timed, to check that the contender does the work. */
async function check(pool, workload) {
  const { argument, expected, fails = false } = workload;
  const result = await callOf(pool, workload)(7);
  assert.deepEqual(fails ? { message: result.message } : result, expected(argument(7)));
}

export const manyAtOnce =
  (workload, { outstanding = OUTSTANDING, before } = {}) =>
  (context) =>
    withPool(context, async (pool) => {
      await check(pool, workload);
      return callManyAtOnce(pool, workload, { outstanding, before, ...context.budget });
    });

const oneByOne = (workload) => (context) =>
  withPool(context, async (pool) => {
    await check(pool, workload);
    return callOneByOne(pool, workload, context.budget);
  });

export const timesTheCalls = (atLeast, to) =>
  timesAs({ atLeast, metric: callsPerSecond, what: 'calls', ...to });

export const calls = [
  {
    id: 'trivial',
    title: 'x => x + 1, 1,000 calls outstanding',
    metrics: [callsPerSecond, cpuMicroseconds],
    goals: [
      timesTheCalls(30),
      {
        text: 'at most half a microsecond of CPU a call, over all threads',
        metric: 'cpuMicroseconds',
        atMost: 0.5,
      },
    ],
    highlights: [
      { metric: 'callsPerSecond' },
      { metric: 'cpuMicroseconds', text: 'the same, CPU time over all threads' },
    ],
    run: manyAtOnce(trivial),
  },
  {
    id: 'small-object',
    title: '{ id, name, ok, tags: [..] } there and back, 1,000 calls outstanding',
    takes: oneOfEach,
    metrics: [callsPerSecond, cpuMicroseconds],
    goals: [timesTheCalls(10)],
    highlights: [{ metric: 'callsPerSecond' }],
    run: manyAtOnce(smallObject),
  },
  {
    id: 'one-at-a-time',
    title: 'x => x + 1, one call at a time',
    takes: oneOfEach,
    metrics: [p50Microseconds, p99Microseconds, cpuMicroseconds],
    goals: [
      {
        text: 'at most a tenth of the median of the best published pool',
        ...{ metric: 'p50Microseconds', by: 'share', to: 'published', atMost: 0.1 },
      },
    ],
    highlights: [{ metric: 'p50Microseconds', text: 'x => x + 1, one call at a time, median' }],
    run: oneByOne(trivial),
  },
  {
    id: 'server',
    title: `A text of ${SENTENCES} sentences, 8 calls outstanding, each out of a turn of the event loop of its own`,
    takes: (contender) => contender.id === 'bare Worker' || oneOfEach(contender),
    metrics: [callsPerSecond, cpuMicroseconds],
    goals: [timesTheCalls(1.4, { to: 'bare', name: 'bare Workers' })],
    highlights: [{ metric: 'callsPerSecond' }],
    run: manyAtOnce(page, { outstanding: 8, before: nextTurn }),
  },
  {
    id: 'document',
    title: 'An object of 10 KiB (as JSON) there and back, 1,000 calls outstanding',
    takes: oneOfEach,
    isQuick: false, // a thousand documents take too long for a quick run
    metrics: [callsPerSecond, cpuMicroseconds],
    goals: [timesTheCalls(2)],
    highlights: [{ metric: 'callsPerSecond' }],
    run: manyAtOnce(document),
  },
  {
    id: 'row',
    title: `An object of ${COLUMNS} numbers there and back, 1,000 calls outstanding`,
    takes: oneOfEach,
    isQuick: false,
    metrics: [callsPerSecond, cpuMicroseconds],
    run: manyAtOnce(row),
  },
  {
    id: 'failure',
    title: 'A task that throws, 1,000 calls outstanding',
    takes: oneOfEach,
    isQuick: false,
    metrics: [callsPerSecond, cpuMicroseconds],
    run: manyAtOnce(failure),
  },
];
