import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contenders, experiments } from './catalog.js';
import { LEAST } from './driver/efforts.js';
import { entriesOf } from './driver/entries.js';
import { versionOf } from './driver/machine.js';
import { NotAvailable } from './driver/not-available.js';
import { takeSample } from './driver/sampling.js';
import { everyThread, openReady } from './driver/with-pool.js';

const all = await contenders();
const threads = 2;
const { budget } = LEAST;

/** Skips the test if the installed version of a package lacks a feature. Any other error fails the test. */
async function unlessNotAvailable(t, run) {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error;
    t.skip(`not available: ${error.message}`);
  }
}

async function withContender(t, contender, run) {
  await unlessNotAvailable(t, async () => {
    const pool = await openReady(contender, threads);
    try {
      await run(pool);
    } finally {
      await pool.close();
    }
  });
}

test('every published pool is among them, and ours, and inline, and bare threads', () => {
  const packages = new Set(all.filter(({ role }) => role === 'published').map((one) => one.package));
  for (const name of ['piscina', 'tinypool', 'workerpool', 'poolifier', 'jest-worker']) {
    assert.ok(packages.has(name), name);
  }
  assert.equal(all[0].id, 'threadwise');
  for (const role of ['ours', 'inline', 'bare']) assert.ok(all.some((one) => one.role === role));
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

/** The contenders that run tasks: an empty thread only returns its number. */
const working = all.filter(({ id }) => id !== 'bare Worker (empty)');

for (const contender of working) {
  test(`${contender.id}: does the work`, (t) =>
    withContender(t, contender, async (pool) => {
      const numbers = Array.from({ length: 50 }, (_, i) => i);
      const results = await Promise.all(numbers.map((x) => pool.call('increment', x)));
      assert.deepEqual(
        results,
        numbers.map((x) => x + 1),
      );
      const value = { id: 3, name: 'three', ok: true, tags: ['a', 'b'] };
      const copy = await pool.call('echo', value);
      assert.deepEqual(copy, value);
      if (contender.role !== 'inline') assert.notEqual(copy, value, 'an object that crossed is another one');
    }));
}

for (const contender of all) {
  test(`${contender.id}: runs on the threads it should`, (t) =>
    withContender(t, contender, async (pool) => {
      const isInline = contender.role === 'inline';
      const where = await everyThread(pool, isInline ? 1 : threads);
      if (isInline) assert.deepEqual(where, new Set([0]));
      else {
        assert.equal(where.size, threads);
        assert.ok(!where.has(0), 'on the main thread');
      }
    }));
}

for (const contender of all.filter(({ can }) => can.includes('transfer'))) {
  test(`${contender.id}: what is transferred moves, and what is not stays`, (t) =>
    withContender(t, contender, async (pool) => {
      for (const transfers of [true, false]) {
        const bytes = new Uint8Array(100).fill(2);
        const sum = await pool.call('checksum', bytes, transfers ? [bytes.buffer] : undefined);
        assert.equal(sum, 106);
        assert.equal(bytes.length, transfers ? 0 : 100);
      }
    }));
}

for (const contender of all.filter(({ can, isQuick }) => can.includes('isolation') && isQuick)) {
  test(`${contender.id}: bytes cross to its processes`, async () => {
    const pool = await openReady(contender, 1, { isolation: 'process', hasBytes: true });
    assert.equal(await pool.call('checksum', new Uint8Array(100).fill(2)), 106);
    await pool.close();
  });
}

for (const contender of all.filter(({ can }) => can.includes('lease'))) {
  test(`${contender.id}: a lease crosses`, (t) =>
    withContender(t, contender, async (pool) => {
      const lease = pool.lease(100);
      lease.bytes.fill(2);
      assert.equal(await pool.call('checksum', lease), 106);
    }));
}

for (const contender of working.filter(({ role }) => role !== 'bare')) {
  test(`${contender.id}: a sample is right, and its process ends by itself`, (t) =>
    unlessNotAvailable(t, async () => {
      const order = { experiment: 'crossing', scenario: 'trivial', contender: contender.id, budget };
      const values = await takeSample(order);
      assert.ok(values.callsPerSecond > 0);
    }));
}

/**
 * The scenarios that a quick run leaves out; quick.test.js runs the others. Each is run by the first of our contenders that
 * takes part. Left out are those that differ from another only by a number: further points of a curve, or other threads.
 */
function othersOf({ scenarios }) {
  const sorted = scenarios.toSorted((a, b) => Number(a.isQuick === false) - Number(b.isQuick === false));
  const isFirst = ({ run }, i) => sorted.findIndex((other) => other.run === run) === i;
  return sorted.filter(isFirst).filter(({ isQuick, x }) => isQuick === false && x === undefined);
}

for (const experiment of await experiments()) {
  for (const scenario of othersOf(experiment)) {
    const ours = all.filter(({ role }) => role === 'ours');
    for (const { id, contender, way } of entriesOf(scenario, ours).slice(0, 1)) {
      test(`${experiment.id}, ${scenario.id}: a sample of '${id}' gives every figure`, async (t) => {
        const fixture = scenario.fixture?.make(budget);
        try {
          const ids = { experiment: experiment.id, scenario: scenario.id, contender: contender.id };
          await unlessNotAvailable(t, async () => {
            const values = await takeSample({
              ...ids,
              way,
              given: fixture?.given,
              budget,
              mostMs: scenario.mostMs,
            });
            const expected = scenario.metrics.filter((metric) => !metric.isOptional);
            for (const metric of expected) assert.ok(values[metric.id] >= 0, metric.id);
          });
        } finally {
          fixture?.remove();
        }
      });
    }
  }
}

test('a version is what is installed', () => {
  for (const { id, package: name } of all.filter((contender) => contender.package !== undefined)) {
    assert.match(versionOf(name), /^\d+\.\d+\.\d+/, id);
  }
});

test('a sample of something that does not exist says what there is', async () => {
  const order = { experiment: 'crossing', scenario: 'trivial', contender: 'nobody', budget };
  await assert.rejects(takeSample(order), ({ message }) => {
    assert.match(message, /There is no 'nobody'\. There are: .*piscina/);
    assert.ok(!message.includes(import.meta.dirname), 'says nothing of where it ran');
    return true;
  });
});
