import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contenders, experiments } from './catalog.js';
import { versionOf } from './machine.js';
import { takeSample } from './sampling.js';

const all = await contenders();
const allExperiments = await experiments();
const threads = 2;

test('every published pool is among them, and ours, and inline', () => {
  const packages = new Set(all.filter(({ role }) => role === 'published').map((one) => one.package));
  for (const name of ['piscina', 'tinypool', 'workerpool', 'poolifier', 'jest-worker']) {
    assert.ok(packages.has(name), name);
  }
  assert.equal(all[0].role, 'ours');
  assert.ok(all.some(({ role }) => role === 'inline'));
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

for (const contender of all) {
  test(`${contender.id}: does the work, on the threads it should`, async () => {
    const pool = await contender.open({ threads });
    try {
      const numbers = Array.from({ length: 50 }, (_, i) => i);
      const results = await Promise.all(numbers.map((x) => pool.call('increment', x)));
      assert.deepEqual(
        results,
        numbers.map((x) => x + 1),
      );
      const value = { id: 3, name: 'three', ok: true, tags: ['a', 'b'] };
      const copy = await pool.call('echo', value);
      assert.deepEqual(copy, value);
      const where = await threadsUsed(pool);
      if (contender.role === 'inline') assert.deepEqual(where, new Set([0]));
      else {
        assert.equal(where.size, threads);
        assert.ok(!where.has(0), 'on the main thread');
        assert.notEqual(copy, value, 'an object that crossed is another one');
      }
    } finally {
      await pool.close();
    }
  });

  for (const experiment of allExperiments) {
    test(`${contender.id}: a sample of every scenario of '${experiment.id}' is right, and its process ends by itself`, async () => {
      for (const scenario of experiment.scenarios) {
        const order = { experiment: experiment.id, scenario: scenario.id, contender: contender.id };
        const values = await takeSample({ ...order, budget: { warmUpMs: 0, measureMs: 1 } });
        for (const { id } of scenario.metrics) assert.ok(values[id] >= 0, `${scenario.id}: ${id}`);
      }
    });
  }
}

/** The threads that tasks ran on; asks until it has seen as many as there should be, or very often. */
async function threadsUsed(pool) {
  const seen = new Set();
  for (let tries = 0; tries < 50 && seen.size < threads; tries++) {
    for (const id of await Promise.all(Array.from({ length: 100 }, () => pool.call('threadId'))))
      seen.add(id);
  }
  return seen;
}

test('a version is what is installed', () => {
  for (const { role, package: name } of all.filter(({ role }) => role !== 'inline')) {
    assert.match(versionOf(name), /^\d+\.\d+\.\d+/, `${role} ${name}`);
  }
});

test('a sample of something that does not exist says what there is', async () => {
  const order = {
    experiment: 'crossing',
    scenario: 'trivial',
    contender: 'nobody',
    budget: { warmUpMs: 0, measureMs: 1 },
  };
  await assert.rejects(takeSample(order), /There is no 'nobody'\. There are: .*piscina/);
});
