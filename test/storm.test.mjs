// Storms: thousands of calls, 1 % for each kind of failure. Every call settles once, results are right, nothing is left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createPool } from 'threadwise';
import { Barrier, Channel, Mutex } from 'threadwise/sync';
import { apart, moduleUrl, outcome, randomFrom } from './fixtures/helpers.mjs';

const url = moduleUrl('storm.mjs');

const CALLS = Number(process.env.STORM_CALLS ?? 20_000);
/** How many calls are open at a time. */
const WIDTH = 200;

class Point {
  constructor(x) {
    this.x = x;
    this.path = [x];
  }
}

/** Guards `total`, which its holders change without atomics; some of them die. */
const mutex = new Mutex();
const total = new Float64Array(new SharedArrayBuffer(8));

/** Makes a call of each kind, with the check of its outcome. */
const KINDS = {
  plain: (pool, i) => ({ promise: pool.run('increment', [i]), accept: ({ value }) => value === i + 1 }),
  exit: (pool) => ({ promise: pool.run('exit', [3]), accept: crashed }),
  throw: (pool) => ({ promise: pool.run('fail', ['x']), accept: ({ error }) => error?.message === 'x' }),
  later: (pool, i) => ({ promise: pool.run('crashLater', [i]), accept: ({ value }) => value === i }),
  loop: (pool) => ({
    promise: pool.run('loopForEver', [], { timeoutMs: 50 }),
    accept: ({ error }) => error?.code === 'ERR_TASK_TIMEOUT',
  }),
  moved: (pool, i) => {
    // Up to a MiB is copied into shared memory, more goes by port: then it is lost with a worker that dies before it has begun the task.
    const length = [8, 100_000, 2 ** 20 + 1][i % 3];
    const bytes = new Uint8Array(length);
    const promise = pool.run('byteLength', [bytes], { transfer: [bytes.buffer] });
    return { promise, accept: (outcome) => outcome.value === length || crashed(outcome) };
  },
  // Shared memory can cross by a port, but not by a pipe.
  shared: (pool, i) => ({
    promise: pool.run('byteLength', [new Uint8Array(new SharedArrayBuffer(1 + (i % 1000)))]),
    accept: ({ value, error }) => (apart ? isUnreadable({ error }) : value === 1 + (i % 1000)),
  }),
  text: (pool, i) => {
    const text = 'é'.repeat(i % 3000);
    return { promise: pool.run('echo', [text]), accept: ({ value }) => value === text };
  },
  // Large messages cross in another way. What the caller writes after the call is not sent.
  large: (pool, i) => {
    const bytes = new Uint8Array(2 ** 16 + (i % 3)).fill(i);
    const promise = pool.run('echo', [bytes]);
    bytes.fill(i + 1);
    const accept = ({ value }) => value?.length === bytes.length && value.every((byte) => byte === i % 256);
    return { promise, accept };
  },
  instance: (pool, i) => ({
    promise: pool.run('echo', [new Point(i)]),
    accept: ({ value }) => value?.x === i && value.path[0] === i,
  }),
  leased: (pool, i) => {
    const lease = pool.lease(1 + (i % 1000));
    const promise = pool.run('byteLength', [lease]).finally(() => lease.release());
    return { promise, accept: ({ value }) => value === 1 + (i % 1000) };
  },
  urgent: (pool, i) => ({
    promise: pool.run('increment', [i], { priority: i % 3, timeoutMs: 60_000 }),
    accept: ({ value }) => value === i + 1,
  }),
  keyed: (pool, i) => ({
    promise: pool.run('increment', [i], { key: i % 5 }),
    accept: ({ value }) => value === i + 1,
  }),
  deep: (pool) => ({
    promise: pool.run('nested', [3000]),
    // Two processes have stacks of the same size, so the value can be read.
    accept: ({ value, error }) => isUnreadable({ error }) || (apart && Array.isArray(value)),
  }),
  // Only Node.js 20 cannot read the value.
  selfCaused: (pool) => ({
    promise: pool.run('selfCaused', []),
    accept: ({ value, error }) => isUnreadable({ error }) || value?.error.cause.error === value?.error,
  }),
  stream: (pool, i) => ({
    promise: sumOf(pool.stream('upTo', [i % 40])),
    accept: ({ value }) => value === sumUpTo(i % 40),
  }),
  fork: (pool, i) => ({
    promise: pool.run('sumUpTo', [i % 40]),
    accept: ({ value }) => value === sumUpTo(i % 40),
  }),
  lock: (pool) => ({
    promise: pool.run('addLocked', [mutex.buffer, total.buffer]),
    accept: ({ value }) => value === 'added',
  }),
  lockThenExit: (pool) => ({ promise: pool.run('holdAndExit', [mutex.buffer]), accept: crashed }),
  // Main is one of the two parties; the other one never comes to the second round.
  barrier: (pool) => {
    const barrier = new Barrier(2);
    const call = outcome(pool.run('meet', [barrier.buffer, { rounds: 1, exits: true, blocks: false }]));
    const wait = outcome(barrier.wait().then(() => barrier.wait()));
    void call.then(() => barrier.abort());
    const codes = ['ERR_WORKER_CRASHED', 'ERR_TASK_ABORTED'];
    const promise = Promise.all([call, wait]);
    return { promise, accept: ({ value: [of, own] }) => crashed(of) && codes.includes(own.error?.code) };
  },
  channel: (pool, i) => {
    const channel = new Channel({ capacity: 2 });
    const exitsAt = i % 2 === 0 ? i % 30 : undefined;
    const call = outcome(pool.run('sendAll', [channel.buffer, 30, exitsAt]));
    void call.then(() => channel.close());
    const promise = Promise.all([call, sumOf(channel)]);
    return {
      promise: promise.then(([{ error }, sum]) => {
        if (error !== undefined && (exitsAt === undefined || isTakenDown(error))) throw error;
        return [error, sum];
      }),
      accept: ({ value: [error, sum] = [] }) =>
        sum === (exitsAt === undefined ? sumUpTo(30) : sumUpTo(exitsAt)) &&
        (exitsAt === undefined || crashed({ error })),
    };
  },
  abort: (pool, i) => {
    const controller = new AbortController();
    const promise = pool.run('increment', [i], { signal: controller.signal });
    setImmediate(() => controller.abort());
    return { promise, accept: ({ value, error }) => value === i + 1 || error?.code === 'ERR_TASK_ABORTED' };
  },
};

/** The sum of the values, each times its place: a value that is missing, comes twice or too early makes another sum. */
async function sumOf(values) {
  let [sum, place] = [0, 0];
  for await (const value of values) sum += value * ++place;
  return sum;
}
const sumUpTo = (n) => Array.from({ length: n }, (_, i) => i * (i + 1)).reduce((a, b) => a + b, 0);

/** Whether the value was one that its thread can write and the caller's cannot read. */
function isUnreadable({ error }) {
  return error?.code === 'ERR_NOT_CLONEABLE';
}

function crashed({ error }) {
  return error?.code === 'ERR_WORKER_CRASHED';
}
const isTakenDown = ({ cause }) => cause?.message?.startsWith('crashed later') === true;

/** The kinds that make up 1 % of the calls each; a kind listed twice makes up 2 %. */
const RARE = [
  ...['exit', 'throw', 'later', 'loop', 'abort', 'moved', 'keyed', 'deep', 'selfCaused', 'stream'],
  ...['lock', 'lock', 'lockThenExit', 'barrier', 'channel'],
];
/** The kinds that make up 5 % of the calls each. */
const FREQUENT = ['shared', 'text', 'instance', 'leased', 'urgent', 'fork'];

/** The kinds that use structures in memory, which two processes do not share. */
const BETWEEN_THREADS = ['lock', 'lockThenExit', 'barrier', 'channel'];

function kindOf(random) {
  const percent = Math.floor(random() * 100);
  const kind = RARE[percent] ?? FREQUENT[Math.floor((percent - RARE.length) / 5)] ?? 'plain';
  return apart && BETWEEN_THREADS.includes(kind) ? 'plain' : kind;
}

/** Awaits a call, and counts its outcome: accepted, taken down by a neighbour's crash, or wrong. */
async function judge({ promise, accept }, kind, counts) {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  counts.settled++;
  // A task that crashes its worker in a later tick may take down whatever runs there by then.
  if (accept(outcome)) counts[kind]++;
  else if (crashed(outcome) && isTakenDown(outcome.error)) counts.takenDown++;
  else counts.wrong.push([kind, outcome]);
}

/** Resizes the pool before any worker is ready. Returns a function that now and then resizes it, or pauses it for a turn. */
function steer(pool, random) {
  const sizes = [3, 1, { min: 0, max: 4 }, { min: 2, max: 2 }, { min: 0, max: 1 }];
  for (const size of sizes) pool.resize(size);
  return () => {
    if (random() < 0.05) pool.resize(sizes[Math.floor(random() * sizes.length)]);
    if (random() > 0.05) return;
    pool.pause();
    setImmediate(() => pool.resume());
  };
}

const STORMS = [
  { calls: CALLS, what: 'calls', options: { threads: 4 }, begin: () => () => undefined },
  {
    calls: Math.ceil(CALLS / 10),
    what: 'calls of a pool that may have no worker, is paused and resized',
    options: { threads: { min: 0, max: 4 }, idleTimeoutMs: 1 },
    begin: steer,
  },
  {
    calls: Math.ceil(CALLS / 40),
    what: 'calls of a pool that starts with them, is paused and resized, and whose workers run seven tasks each',
    options: { threads: { min: 0, max: 3 }, worker: { recycle: { afterTasks: 7 } } },
    begin: steer,
  },
  {
    calls: Math.ceil(CALLS / 200),
    what: 'calls of a pool whose workers run one task each',
    options: { threads: { min: 0, max: 2 }, worker: { recycle: { afterTasks: 1 } } },
    begin: () => () => undefined,
  },
];

for (const { calls, what, options, begin } of STORMS) {
  const name = (count, who) =>
    `a storm of ${count.toLocaleString('en')} ${what}, ${who}: each settles once, results are right, nothing is left, and the pool works on`;
  const heard = Math.ceil(calls / 5);
  const unheard = calls - heard;
  test(name(unheard, 'which nobody listens to, so most are plain'), () =>
    storm(unheard, options, begin, false),
  );
  test(name(heard, 'each listened to, so all have records'), () => storm(heard, options, begin, true));
}

/** @param begin is called with the pool before the first call, and returns what is done after each call */
async function storm(calls, options, begin, isHeard) {
  const seed = Number(process.env.STORM_SEED ?? 1);
  const random = randomFrom(seed);
  const pool = createPool(url, options);
  const disturb = begin(pool, random);
  const errors = [];
  const settled = new Map();
  pool.on('error', ({ error }) => errors.push(error));
  if (isHeard) pool.on('task:settle', ({ taskId }) => settled.set(taskId, (settled.get(taskId) ?? 0) + 1));
  const before = total[0];
  const counts = { settled: 0, takenDown: 0, wrong: [] };
  for (const kind of Object.keys(KINDS)) counts[kind] = 0;
  let next = 0;
  const lane = async () => {
    while (next < calls) {
      const i = next++;
      const kind = kindOf(random);
      await judge(KINDS[kind](pool, i), kind, counts);
      disturb();
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  // A pause may have come last: immediates run in the order in which they were requested, so this one runs after its end.
  await turn();
  assert.deepEqual(counts.wrong, [], `seed ${seed}`);
  assert.equal(counts.settled, calls, `seed ${seed}`);
  assert.ok([...settled.values()].every((times) => times === 1));
  assert.equal(settled.size > 0, isHeard);
  assert.deepEqual(errors, [], `seed ${seed}`);
  // Few calls are taken down: only tasks that ran beside a crash.
  assert.ok(counts.takenDown <= Math.max(10, calls * 0.01), `${counts.takenDown} taken down, seed ${seed}`);
  // No addition is lost, and tasks that were taken down may have added before.
  const added = total[0] - before;
  assert.ok(added >= counts.lock && added <= counts.lock + counts.takenDown, `${added}, ${counts.lock} told`);
  assert.equal(pool.stats().tasks.open, 0);
  assert.equal(await pool.run('increment', [41]), 42);
  await pool.ready;
  await pool.close();
  assert.deepEqual(pool.stats().workers, []);
  const left = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name));
  assert.deepEqual(left, []);
}
