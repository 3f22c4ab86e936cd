/** The parts of the dashboard that need no browser: what is remembered of a pool, and units. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ACTIONS } from '../dashboard/actions.js';
import { decades, roundUp } from '../dashboard/chart.js';
import { bytes, duration, percent, rate, span } from '../dashboard/format.js';
import { History, minutesOf, SPAN_MS } from '../dashboard/history.js';
import { COLUMNS, rowOf } from '../dashboard/sample.js';
import { notableOf } from '../dashboard/notable.js';
import { FakePool } from './dashboard/fake-pool.mjs';

test('knows how long a worker has ended nothing', () => {
  const pool = new FakePool('images', { threads: 2 });
  const history = new History();
  const [first, second] = pool.workers;
  first.load = 1;
  history.add(pool.stats(), 1000);
  assert.equal(history.stuckFor(second.id, 1000), undefined);
  second.load = 1;
  history.add(pool.stats(), 2000);
  history.add(pool.stats(), 5000);
  assert.deepEqual(history.stuckFor(first.id, 5000), { ms: 4000, isAtLeast: true });
  assert.deepEqual(history.stuckFor(second.id, 5000), { ms: 3000, isAtLeast: false });
  first.completed = 1;
  history.add(pool.stats(), 6000);
  assert.deepEqual(history.stuckFor(first.id, 7000), { ms: 1000, isAtLeast: false });
});

test('forgets what is older than the charts show, and counts what grew since then', () => {
  const pool = new FakePool('images');
  const history = new History();
  for (let at = 0; at <= 900_000; at += 1000) {
    pool.tasks.failed = at / 1000;
    history.add(pool.stats(), at);
  }
  const oldest = history.samples[0].at;
  assert.ok(900_000 - oldest >= SPAN_MS && 900_000 - oldest < SPAN_MS + 10_000, `${oldest}`);
  const { ms, counts } = history.grown();
  assert.equal(ms, 900_000 - oldest);
  assert.equal(counts.failed, ms / 1000);
});

test('draws the quantiles of calls that ended lately, and nothing where none ended', () => {
  const pool = new FakePool('images');
  const history = new History();
  const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
  const lately = (runMs) => ({ ...pool.stats(), recent: { ms: 10_000, runMs, waitMs: none } });
  const drawn = (stats, at) => {
    const { runMean, runP50, runP90, runP99, waitP50 } = history.add(stats, at);
    return [runMean, runP50, runP90, runP99, waitP50];
  };
  const some = { count: 5, mean: 4, p50: 3, p90: 7, p99: 8.126_81, max: 9 };
  assert.deepEqual(drawn(lately(some), 1000), [4, 3, 7, 8.127, undefined]);
  assert.deepEqual(drawn(lately(none), 2000), Array(5).fill(undefined));
  const { recent: _, ...older } = pool.stats();
  assert.deepEqual(drawn(older, 3000), Array(5).fill(undefined), 'a library that does not tell');
});

test('has charts of as many minutes as there is something of, from two to ten', () => {
  const since = (at) => minutesOf([{ at }], 1_000_000);
  assert.deepEqual([1_000_000, 990_000, 820_001, 819_999, 400_000, 1].map(since), [2, 2, 3, 4, 10, 10]);
  assert.equal(minutesOf([], 5), 2);
});

describe('what the program has kept', () => {
  const rows = (pool, times) => times.map((at) => rowOf(pool.stats(), at));
  const times = ({ samples }) => samples.map(({ at }) => at);

  test('comes before what this page has seen, on its clock', () => {
    const pool = new FakePool('images');
    const history = new History();
    history.add(pool.stats(), 50_000);
    // The program's clock is 40 s behind: its 9,000 is 49,000 here, and 11,000 is what the page has seen itself.
    history.take({ columns: COLUMNS, nowMs: 12_000, rows: rows(pool, [7000, 9000, 11_000]) }, 52_000);
    assert.deepEqual(times(history), [47_000, 49_000, 50_000]);
  });

  test('fills a gap, and takes the place of what was before it', () => {
    const pool = new FakePool('images');
    const history = new History();
    for (const at of [1000, 2000, 60_000, 61_000]) {
      assert.equal(history.lacks(at), [1000, 60_000].includes(at), `${at}`);
      history.add(pool.stats(), at);
    }
    history.take({ columns: COLUMNS, nowMs: 61_000, rows: rows(pool, [1500, 30_000, 60_500]) }, 61_000);
    assert.deepEqual(times(history), [1500, 30_000, 60_000, 61_000]);
  });

  test('is nothing where it keeps none: then the page keeps its own', () => {
    const pool = new FakePool('images');
    const history = new History();
    for (const at of [1000, 60_000]) history.add(pool.stats(), at);
    history.take({ columns: COLUMNS, nowMs: 0, rows: [] }, 60_000);
    assert.deepEqual(times(history), [1000, 60_000]);
  });

  test('is not read where it has other columns, as a program of another version has', () => {
    const pool = new FakePool('images');
    const history = new History();
    history.add(pool.stats(), 1000);
    const columns = ['at', 'new', ...COLUMNS.slice(1)];
    const newer = rows(pool, [500]).map(([at, ...rest]) => [at, 1e9, ...rest]);
    history.take({ columns, nowMs: 1000, rows: newer }, 1000);
    assert.deepEqual(times(history), [1000]);
    assert.equal(history.isOfAnother(pool.stats()), false);
  });

  test('says how many calls of a function failed since, and nothing of one that it may have left out', () => {
    const pool = new FakePool('images');
    const failing = (count, failures) =>
      Array.from({ length: count }, (_, i) => ({ ...pool.functions[0], name: `f${i}`, failures }));
    for (const [count, expected] of [
      [3, [5, 7]],
      [16, [5, Number.NaN]],
    ]) {
      const history = new History();
      pool.functions = failing(count, 2);
      history.take({ columns: COLUMNS, nowMs: 0, rows: rows(pool, [-10_000]) }, 0);
      pool.functions = [...failing(count, 7), { ...pool.functions[0], name: 'new', failures: 7 }];
      history.add({ ...pool.stats(), functions: pool.functions.slice(-1).concat(pool.functions) }, 0);
      assert.deepEqual([history.failuresOf('f0'), history.failuresOf('new')], expected);
    }
  });
});

test('names what stands out, and nothing else', () => {
  const pool = new FakePool('images', { threads: 1 });
  const history = new History();
  const notable = (now = 0) => {
    history.add(pool.stats(), now);
    return notableOf(pool.stats(), history, now);
  };
  assert.deepEqual(notable(), []);
  Object.assign(pool, { limit: 5, queue: 5, oldestMs: 11_000, mainUtilization: 0.97, crashes: 2 });
  pool.workers[0].load = 1;
  Object.assign(pool.tasks, { failed: 2, timedOut: 4, crashed: 3 });
  notable(1000);
  const text = notable(30_000).join('\n').replaceAll('\u00a0', ' ');
  for (const expected of [
    'The queue is full (5 of 5): calls are refused.',
    'The oldest task has waited for 11 s.',
    'Worker 1 has a task and has ended none for 29 s.',
    'The main event loop is 97% busy',
    '2 workers crashed in the last 30 s.',
    '9 calls failed in the last 30 s, 4 of them by a timeout.',
  ]) {
    assert.ok(text.includes(expected), `'${expected}' in:\n${text}`);
  }
});

test('says what happens to the calls that wait when a paused pool drains, and when one that drains is paused', () => {
  const pool = new FakePool('images');
  const effectOf = (action, state) => {
    pool.state = state;
    return ACTIONS.find(({ id }) => id === action)
      .effect(pool.stats(), {})
      .join(' ');
  };
  assert.match(effectOf('drain', 'paused'), /the calls that wait begin at once/);
  assert.match(effectOf('pause', 'draining'), /new calls stay refused/);
  assert.doesNotMatch(effectOf('pause', 'draining'), /accepted and wait/);
});

test('says of a strategy that it will choose only where one does', () => {
  const said = (dispatch) =>
    ACTIONS.find(({ id }) => id === 'choose').effect({ choose: 'random', dispatch }, { choose: 'least-elu' });
  assert.match(said('direct').join(' '), /^From now on a worker is chosen by least-elu instead of random/);
  assert.match(said('shared-queue').join(' '), /^With dispatch shared-queue no strategy chooses/);
});

test('says of one task that it waits, and that a smaller limit refuses none that does', () => {
  const said = (queue) =>
    ACTIONS.find(({ id }) => id === 'queue')
      .effect({ ...new FakePool('images').stats(), queue }, { how: 'limit', limit: 0 })
      .at(-1);
  assert.equal(said({ size: 1, limit: null }), 'Now 1 task waits: what waits already is not refused.');
  assert.equal(said({ size: 0, limit: null }), 'Now 0 tasks wait.');
});

test('gives numbers a unit and three digits that mean something', () => {
  const shown = (text) => text.replaceAll('\u00a0', ' ').replace(',', '.');
  const expected = [
    [duration(0.1234), '0.12 ms'],
    [duration(0.00231), '0.0023 ms'],
    [duration(0.0996), '0.10 ms'],
    [duration(0), '0 ms'],
    [duration(12.34), '12.3 ms'],
    [duration(999.4), '999 ms'],
    [duration(999.9), '1.00 s'],
    [duration(59_999), '60.0 s'],
    [duration(61_000), '1 min 1 s'],
    [duration(7_380_000), '2 h 3 min'],
    [duration(Number.NaN), '–'],
    [duration(undefined), '–'],
    [span(300), '0 s'],
    [span(1499), '1 s'],
    [bytes(999), '999 B'],
    [bytes(1536), '1.50 KiB'],
    [bytes(5 * 1024 ** 3), '5 GiB'],
    [rate(0.5), '0.50 tasks/s'],
    [percent(undefined), '–'],
  ];
  for (const [text, wanted] of expected) assert.equal(shown(text), wanted);
});

test('rounds the top of a chart up, and spans whole decades', () => {
  for (const [value, top] of [
    [0, 1],
    [1, 1],
    [1.2, 2],
    [4, 5],
    [7, 10],
    [1001, 2000],
  ]) {
    assert.equal(roundUp(value), top);
  }
  assert.deepEqual(decades(0.3, 45), { bottom: 0.1, top: 100 });
  assert.deepEqual(decades(2, 3), { bottom: 1, top: 100 });
});
