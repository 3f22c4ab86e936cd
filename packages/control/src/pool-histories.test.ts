/** Tests of the histories of pools, with a clock that the test sets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControllablePool, PoolStats } from './controllable-pool.js';
import { directoryOf } from './directory.js';
import { keepHistories } from './pool-histories.js';

const INTERVAL_MS = 2000;

/** A pool that has what a row needs, and counts how often it is asked for statistics. */
function askedPool() {
  const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
  const stats = {
    name: 'p',
    state: 'open',
    threads: { min: 1, max: 4, current: 3, starting: 1, idle: 1 },
    queue: { size: 5, limit: null, oldestMs: 0 },
    tasks: {
      submitted: 0,
      completed: 0,
      failed: 0,
      aborted: 0,
      timedOut: 0,
      crashed: 0,
      rejected: 0,
      retried: 0,
    },
    throughput: 2.5,
    recent: { ms: 10_000, runMs: none, waitMs: none },
    crashes: 0,
    recycled: 0,
    workers: [] as object[],
  };
  const pool = {
    asked: 0,
    name: 'p',
    stats: () => {
      pool.asked++;
      return stats as unknown as PoolStats;
    },
  };
  return { stats, pool, asPool: pool as unknown as ControllablePool };
}

function histories(pools: Iterable<ControllablePool>, spanMs = 10_000) {
  const clock = { ms: 0 };
  const limits = { historyIntervalMs: INTERVAL_MS };
  const directory = directoryOf('pool', pools, ({ name }) => name);
  const kept = keepHistories(directory, spanMs, limits, () => clock.ms);
  return {
    kept,
    clock,
    /** Moves the clock and takes a reading, as the timer does. */
    pass(times: number) {
      for (let i = 0; i < times; i++) {
        clock.ms += INTERVAL_MS;
        kept.look();
      }
    },
    of: (pool: ControllablePool) => JSON.parse(kept.text(pool)) as { nowMs: number; rows: unknown[][] },
  };
}

const times = ({ rows }: { rows: unknown[][] }) => rows.map(([at]) => at);

test('a row each interval, as many as the span has, the oldest first', () => {
  const { pool, asPool } = askedPool();
  const { pass, of } = histories([asPool]);
  pass(9);
  assert.equal(pool.asked, 9);
  assert.deepEqual(times(of(asPool)), [10_000, 12_000, 14_000, 16_000, 18_000]);
});

test('what a stream has read is a row, too, and spares a reading; but no more of them than one each interval', () => {
  const { stats, pool, asPool } = askedPool();
  const { kept, clock, pass, of } = histories([asPool]);
  const reading = stats as unknown as PoolStats;
  for (clock.ms = 1000; clock.ms <= 4000; clock.ms += 1000) kept.note(asPool, reading);
  clock.ms = 2500;
  pass(1);
  assert.equal(pool.asked, 0);
  assert.deepEqual(times(of(asPool)), [1000, 3000]);
});

test('a span of 0 keeps nothing, asks nobody, and has no timer', (t) => {
  const { pool, asPool } = askedPool();
  const { kept, pass, of } = histories([asPool], 0);
  const timers = t.mock.method(globalThis, 'setInterval');
  kept.begin();
  pass(2);
  assert.deepEqual([timers.mock.callCount(), pool.asked, of(asPool).rows.length], [0, 0, 0]);
});

test('the timer does not keep the process alive, and ends', (t) => {
  const { kept } = histories([]);
  const timers = t.mock.method(globalThis, 'setInterval');
  const ended = t.mock.method(globalThis, 'clearInterval');
  kept.begin();
  const timer = timers.mock.calls[0]!.result as NodeJS.Timeout;
  assert.equal(timer.hasRef(), false);
  kept.close();
  assert.equal(ended.mock.calls[0]!.arguments[0], timer);
});

test('a pool that throws leaves a gap, and the others have none; neither does a set that throws harm the program', () => {
  const [bad, good] = [askedPool(), askedPool()];
  const { pass, of } = histories([bad.asPool, good.asPool]);
  bad.pool.stats = () => {
    throw new Error('no');
  };
  pass(3);
  assert.deepEqual([of(bad.asPool).rows.length, of(good.asPool).rows.length], [0, 3]);
  const throwing = {
    [Symbol.iterator]: () => {
      throw new Error('no');
    },
  };
  histories(throwing).pass(1);
});

test('a pool that is closed is asked no more, and what was stays', () => {
  const { stats, pool, asPool } = askedPool();
  const { pass, of } = histories([asPool]);
  pass(2);
  stats.state = 'closed';
  pass(3);
  assert.equal(pool.asked, 3);
  assert.deepEqual(times(of(asPool)), [2000, 4000, 6000]);
});

test('of closed pools only the last ones have a history, and no longer than others reach back', () => {
  const pools = Array.from({ length: 25 }, askedPool);
  const { pass, of } = histories(pools.map(({ asPool }) => asPool));
  const withRows = () => pools.flatMap(({ asPool }, i) => (of(asPool).rows.length > 0 ? [i] : []));
  for (const { stats } of pools.slice(1)) stats.state = 'closed';
  pass(1);
  assert.deepEqual(withRows(), [0, ...[...pools.keys()].slice(5)]);
  pass(5);
  assert.equal(withRows().length, 21);
  pass(1);
  assert.deepEqual(withRows(), [0]);
  assert.equal(pools[1]!.pool.asked, 1);
});

test('what is kept of a pool is bounded, whatever its figures and however many workers it has', () => {
  const size = (workers: number) => {
    const { stats, asPool } = askedPool();
    const { pass, kept } = histories([asPool], 600_000);
    const large = 123_456_789_012;
    for (const counts of [stats.threads, stats.queue, stats.tasks]) {
      for (const name of Object.keys(counts)) Object.assign(counts, { [name]: large });
    }
    const [runMs, waitMs] = [0.012_345, 12_345.678].map((ms) => ({
      ...{ count: 1, mean: ms, p50: ms, p90: ms, p99: ms, max: ms },
    }));
    Object.assign(stats, { recent: { ms: 10_000, runMs, waitMs } });
    stats.workers = Array.from({ length: workers }, (_, i) => ({
      ...{ id: 1000 + i, state: 'ready', load: 100, completed: 1, utilization: 0.99, heapUsedBytes: 1e8 },
    }));
    pass(400);
    return Buffer.byteLength(kept.text(asPool));
  };
  for (const workers of [0, 4, 64, 65, 2000])
    assert.ok(size(workers) < 400_000, `${workers}: ${size(workers)}`);
});
