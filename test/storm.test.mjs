// The storm: thousands of calls with 1 % each of every way to die. Every call settles once, results are right, nothing is left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { tasksUrl } from './fixtures/helpers.mjs';

const CALLS = Number(process.env.STORM_CALLS ?? 20_000);
/** Calls outstanding at a time. */
const WIDTH = 200;

/** A linear congruential generator, so that a storm that failed can be repeated: STORM_SEED. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One call of each kind: how it is made, and what may come of it. */
const KINDS = {
  plain: (pool, i) => ({ promise: pool.run('increment', [i]), accept: ({ value }) => value === i + 1 }),
  exit: (pool) => ({ promise: pool.run('exit', [3]), accept: crashed }),
  throw: (pool) => ({ promise: pool.run('fail', ['x']), accept: ({ error }) => error?.message === 'x' }),
  later: (pool, i) => ({ promise: pool.run('crashLater', [i]), accept: ({ value }) => value === i }),
  loop: (pool) => ({
    promise: pool.run('loopForEver', [], { timeoutMs: 50 }),
    accept: ({ error }) => error?.code === 'ERR_TASK_TIMEOUT',
  }),
  deep: (pool) => ({ promise: pool.run('nested', [3000]), accept: isUnreadable }),
  // Only Node.js 20 cannot read it.
  selfCaused: (pool) => ({
    promise: pool.run('selfCaused', []),
    accept: ({ value, error }) => isUnreadable({ error }) || value?.error.cause.error === value?.error,
  }),
  abort: (pool, i) => {
    const controller = new AbortController();
    const promise = pool.run('increment', [i], { signal: controller.signal });
    setImmediate(() => controller.abort());
    return { promise, accept: ({ value, error }) => value === i + 1 || error?.code === 'ERR_TASK_ABORTED' };
  },
};

/** Whatever its thread can write and the caller's cannot read. */
function isUnreadable({ error }) {
  return error?.code === 'ERR_NOT_CLONEABLE';
}

function crashed({ error }) {
  return error?.code === 'ERR_WORKER_CRASHED';
}

function kindOf(random) {
  const percent = Math.floor(random() * 100);
  return ['exit', 'throw', 'later', 'loop', 'abort', 'deep', 'selfCaused'][percent] ?? 'plain';
}

/** Settlements of a promise, counted by the caller's own continuations. */
async function judge({ promise, accept }, kind, counts) {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  counts.settled++;
  // A neighbour that crashes in a later tick may take down whatever runs on its worker by then.
  if (accept(outcome)) counts[kind]++;
  else if (crashed(outcome) && outcome.error.cause?.message?.startsWith('crashed later')) counts.takenDown++;
  else counts.wrong.push([kind, outcome]);
}

test(`a storm of ${CALLS.toLocaleString('en')} calls: each settles once, results are right, nothing is left, and the pool works on`, async () => {
  const seed = Number(process.env.STORM_SEED ?? Date.now() % 1e6);
  const random = randomFrom(seed);
  const pool = createPool(tasksUrl, { threads: 4 });
  const errors = [];
  const settled = new Map();
  pool.on('error', ({ error }) => errors.push(error));
  pool.on('task:settle', ({ taskId }) => settled.set(taskId, (settled.get(taskId) ?? 0) + 1));
  const counts = { settled: 0, takenDown: 0, wrong: [] };
  for (const kind of Object.keys(KINDS)) counts[kind] = 0;
  let next = 0;
  const lane = async () => {
    while (next < CALLS) {
      const i = next++;
      const kind = kindOf(random);
      await judge(KINDS[kind](pool, i), kind, counts);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  assert.deepEqual(counts.wrong, [], `seed ${seed}`);
  assert.equal(counts.settled, CALLS, `seed ${seed}`);
  assert.ok([...settled.values()].every((times) => times === 1));
  assert.deepEqual(errors, [], `seed ${seed}`);
  // Those that were taken down are few: only tasks that ran beside a crash.
  assert.ok(counts.takenDown <= CALLS * 0.01, `${counts.takenDown} taken down, seed ${seed}`);
  assert.equal(pool.stats().tasks.open, 0);
  assert.equal(await pool.run('increment', [41]), 42);
  await pool.close();
  assert.deepEqual(pool.stats().workers, []);
  const left = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name));
  assert.deepEqual(left, []);
});
