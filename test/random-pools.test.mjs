// Pools with options at random, under bursts of calls and changes at random: each call settles, as it may, and nothing is left. In a storm, the next
// call goes on with what a pool has left lying; here each burst has to end by itself. RANDOM_POOLS says how many, RANDOM_SEED which one is first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { outcome, poolFor, randomFrom, ways } from './fixtures/helpers.mjs';

const POOLS = Number(process.env.RANDOM_POOLS ?? 100);
const FIRST_SEED = Number(process.env.RANDOM_SEED ?? 1);
const BURSTS = 6;
const MOST_IN_A_BURST = 24;

/** What a seed decides. */
function chancesOf(seed) {
  const random = randomFrom(seed);
  // The first numbers of seeds that are near each other are, too.
  for (let i = 0; i < 10; i++) random();
  const below = (n) => Math.floor(random() * n);
  return { below, pick: (...list) => list[below(list.length)], isSo: (share) => random() < share };
}

function optionsOf({ pick, isSo }) {
  const way = pick(...Object.values(ways), {}, { isolation: 'process' }, { isolation: { threads: 2 } });
  // A process starts too slowly for one that is replaced after a few tasks.
  const afterTasks = way.isolation === undefined ? pick(3, 20) : 20;
  return {
    ...way,
    threads: pick(1, 2, 3, { min: 0, max: 2 }, { min: 1, max: 3 }),
    ...(isSo(0.4) && { tasksPerWorker: pick(2, 4, 20) }),
    ...(isSo(0.2) && way.isolation === undefined && { placement: pick('auto', 'inline') }),
    ...(isSo(0.3) && { queue: { limit: pick(1, 5, 30) } }),
    ...(isSo(0.3) && { retries: pick(1, 2) }),
    ...(isSo(0.3) && { idleTimeoutMs: pick(1, 20, 200) }),
    ...(isSo(0.2) && { worker: { recycle: { afterTasks } } }),
    host: { double: (x) => 2 * x },
  };
}

const is = (expected) => (ended) => assert.deepEqual(ended, { value: expected });
const failsWith = (key, expected) => (ended) => assert.equal(ended.error?.[key], expected);
const upTo = (n) => Array.from({ length: n }, (_, i) => i);

/** All values, or as many as `most`, after which the caller leaves. */
async function take(values, most = Number.POSITIVE_INFINITY) {
  const taken = [];
  for await (const value of values) {
    taken.push(value);
    if (taken.length >= most) break;
  }
  return taken;
}

/** Makes a call of each kind. Returns its promise, and what checks its end. */
const KINDS = {
  plain: (pool, { below }) => {
    const x = below(1000);
    return [pool.run('increment', [x]), is(x + 1)];
  },
  ordered: (pool, { below, pick }) => {
    const options = pick({ priority: below(3) }, { key: below(3) }, { timeoutMs: 60_000 });
    return [pool.run('increment', [1], options), is(2)];
  },
  large: (pool, { pick }) => {
    const text = 'x'.repeat(pick(1000, 70_000, 500_000));
    return [pool.run('echo', [{ text }]), is({ text })];
  },
  moved: (pool, { pick }) => {
    const { buffer, length } = new Uint8Array(pick(8, 5000, 300_000, 2 ** 20 + 1));
    return [pool.run('byteLength', [buffer], { transfer: [buffer] }), is(length)];
  },
  leased: (pool, { below }) => {
    const length = 1 + below(5000);
    return [pool.run('byteLength', [pool.lease(length)]), is(length)];
  },
  fails: (pool) => [pool.run('fail', ['x']), failsWith('message', 'x')],
  isMissing: (pool) => [pool.run('missing', []), failsWith('code', 'ERR_TASK_NOT_FOUND')],
  cannotCross: (pool) => [pool.run('echo', [() => 1]), failsWith('code', 'ERR_NOT_CLONEABLE')],
  isAborted: (pool) => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const promise = pool.run('runUntilAborted', [], { signal: controller.signal });
    return [promise, failsWith('code', 'ERR_TASK_ABORTED')];
  },
  mayBeAborted: (pool, { isSo }) => {
    const controller = new AbortController();
    const promise = pool.run('increment', [1], { signal: controller.signal });
    if (isSo(0.5)) controller.abort();
    else setImmediate(() => controller.abort());
    return [promise, ({ value, error }) => assert.ok(value === 2 || error?.code === 'ERR_TASK_ABORTED')];
  },
  asksHost: (pool) => [pool.run('callHost', ['double', 4]), is(8)],
  forks: (pool) => [pool.run('sumUpTo', [4]), is(2 + 6 + 12)],
  streams: (pool, { below }) => {
    const n = below(30);
    return [take(pool.stream('upTo', [n], { highWaterMark: 1 + below(4) })), is(upTo(n))];
  },
  leavesStream: (pool) => [take(pool.stream('upTo', [1e6]), 5), is(upTo(5))],
  maps: (pool, { below, pick }) => {
    const items = upTo(below(30));
    const options = pick(undefined, { concurrency: 1 + below(5) });
    return [take(pool.map('increment', items, options)), is(items.map((item) => item + 1))];
  },
  failsInMap: (pool) => [take(pool.map('fail', Array(10).fill('x'))), failsWith('message', 'x')],
  leavesMap: (pool) => [take(pool.map('increment', upTo(100)), 3), is([1, 2, 3])],
  tellsAll: (pool) => [
    pool.broadcast('increment', [1]),
    ({ value }) => assert.ok(value?.every((each) => each === 2)),
  ],
};

/** Kinds that would end, or block, the thread of the test where tasks run there. */
const ACROSS = {
  exits: (pool) => [pool.run('exit', [3]), failsWith('code', 'ERR_WORKER_CRASHED')],
  loops: (pool) => [pool.run('loopForEver', [], { timeoutMs: 50 }), failsWith('code', 'ERR_TASK_TIMEOUT')],
};

const CHANGES = {
  resize: (pool, { pick }) => pool.resize(pick(1, 2, 3, { min: 0, max: 2 }, { min: 1, max: 3 })),
  pause: async (pool) => {
    pool.pause();
    await turn();
    pool.resume();
  },
  recycle: (pool) => pool.recycle(),
  limit: (pool, { pick }) =>
    pool.configure({ queue: { limit: pick(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 3, 50) } }),
  room: (pool) => pool.room(),
  stats: (pool) => JSON.stringify(pool.stats()),
};

/** Codes that any call may end with, for the sake of others: a full queue; a neighbour, or a task before it, that ended the worker. */
const MAY_END = ['ERR_QUEUE_FULL', 'ERR_WORKER_CRASHED'];

async function judge(kind, [promise, check]) {
  const ended = await outcome(promise);
  if (MAY_END.includes(ended.error?.code)) return;
  try {
    check(ended);
  } catch (cause) {
    throw new Error(`${kind} ended wrongly`, { cause });
  }
}

for (const seed of upTo(POOLS).map((i) => FIRST_SEED + i)) {
  const chances = chancesOf(seed);
  const options = optionsOf(chances);
  test(`seed ${seed}: ${JSON.stringify(options)}`, async (t) => {
    const pool = poolFor(t, options);
    const kinds = { ...KINDS, ...(options.placement === undefined && ACROSS) };
    for (let burst = 0; burst < BURSTS; burst++) {
      const open = [];
      for (let left = 1 + chances.below(MOST_IN_A_BURST); left > 0; left--) {
        const kind = chances.pick(...Object.keys(kinds));
        open.push(judge(kind, kinds[kind](pool, chances)));
        if (chances.isSo(0.1)) open.push(chances.pick(...Object.values(CHANGES))(pool, chances));
        if (chances.isSo(0.2)) await turn();
      }
      await Promise.all(open);
    }
    const { submitted, open, retried: _, ...ends } = pool.stats().tasks;
    assert.equal(open, 0);
    assert.equal(
      Object.values(ends).reduce((all, each) => all + each),
      submitted,
    );
    await pool.close();
    assert.deepEqual(pool.stats().workers, []);
  });
}
