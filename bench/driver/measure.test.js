import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from './measure.js';
import { NotAvailable } from './not-available.js';

const entryOf = (id) => ({ id, contender: { id } });
const entries = ['a', 'b', 'c'].map(entryOf);
const plan = [
  { scenario: { id: 'speed' }, entries },
  { scenario: { id: 'latency' }, entries },
];
const settings = { experiment: 'synthetic', budget: { warmUpMs: 1, measureMs: 2 } };

test('every round begins with another entry, and each has its turn in each scenario', async () => {
  const orders = [];
  const { samples, failures } = await measure(plan, {
    ...settings,
    rounds: 4,
    takeSample: async (order) => {
      orders.push(order);
      return { rate: orders.length };
    },
  });
  assert.deepEqual(failures, []);
  const turns = orders.filter(({ scenario }) => scenario === 'speed').map(({ contender }) => contender);
  assert.equal(turns.join(''), 'abcbcacababc');
  for (const scenario of ['speed', 'latency']) {
    for (const { id } of entries) assert.equal(samples[scenario][id].length, 4);
  }
  assert.deepEqual(orders[0], {
    ...{ experiment: 'synthetic', scenario: 'speed', contender: 'a' },
    ...{ way: undefined, given: undefined, budget: settings.budget },
  });
});

test('what takes long has fewer rounds, and the others all of theirs', async () => {
  const [speed, latency] = plan;
  const long = { ...latency, scenario: { id: 'latency', mostRounds: 2 } };
  const { samples } = await measure([speed, long], {
    ...settings,
    rounds: 4,
    takeSample: async () => ({ rate: 1 }),
  });
  assert.deepEqual([samples.speed.a.length, samples.latency.a.length], [4, 2]);
});

test('an entry is a contender and a way, and has samples of its own', async () => {
  const ways = ['copied', 'moved'].map((way) => ({ id: `a, ${way}`, contender: { id: 'a' }, way }));
  const { samples } = await measure([{ scenario: { id: 'speed' }, entries: ways }], {
    ...{ ...settings, rounds: 1 },
    takeSample: async ({ contender, way }) => ({ said: `${contender} ${way}` }),
  });
  assert.deepEqual(samples.speed, { 'a, copied': [{ said: 'a copied' }], 'a, moved': [{ said: 'a moved' }] });
});

test('an entry that fails is not asked again in that scenario, and stops nobody', async () => {
  const { samples, failures } = await measure(plan, {
    ...{ ...settings, rounds: 3 },
    takeSample: async ({ scenario, contender }) => {
      if (scenario === 'speed' && contender === 'b') throw new Error('no');
      return { rate: 1 };
    },
  });
  const [failure, ...others] = failures;
  assert.deepEqual(failure, { scenario: 'speed', entry: 'b', round: 0, isAvailable: true, message: 'no' });
  assert.deepEqual(others, []);
  assert.equal(samples.speed.a.length, 3);
  assert.equal(samples.latency.b.length, 3);
});

test('a sample without a number for a metric has failed, unless the metric is optional and absent', async () => {
  const metrics = [{ id: 'rate' }, { id: 'cores', isOptional: true }];
  const values = {
    a: { rate: 1 },
    b: { rate: null, cores: 1 },
    c: { rate: 1, cores: null },
    d: { cores: 1 },
  };
  const { samples, failures } = await measure(
    [{ scenario: { id: 'speed', metrics }, entries: Object.keys(values).map(entryOf) }],
    { ...settings, rounds: 1, takeSample: async ({ contender }) => values[contender] },
  );
  assert.deepEqual(samples.speed, { a: [{ rate: 1 }], b: [], c: [], d: [] });
  assert.deepEqual(
    failures.map(({ entry, message }) => [entry, message]),
    [
      ['b', "expected a number for 'rate', got null"],
      ['c', "expected a number for 'cores', got null"],
      ['d', "expected a number for 'rate', got undefined"],
    ],
  );
});

test('a figure below zero is refused, except for a difference, which may be within the noise', async () => {
  const metrics = [{ id: 'rate' }, { id: 'more', isDifference: true }];
  const values = { a: { rate: 1, more: -1 }, b: { rate: -1, more: 1 } };
  const { samples, failures } = await measure(
    [{ scenario: { id: 'memory', metrics }, entries: Object.keys(values).map(entryOf) }],
    { ...settings, rounds: 1, takeSample: async ({ contender }) => values[contender] },
  );
  assert.deepEqual(samples.memory, { a: [values.a], b: [] });
  assert.deepEqual(
    failures.map(({ entry, message }) => [entry, message]),
    [['b', "expected a number from 0 for 'rate', got -1"]],
  );
});

test('what is not available is no failure', async () => {
  const { failures } = await measure(plan.slice(0, 1), {
    ...{ ...settings, rounds: 2 },
    takeSample: async ({ contender }) => {
      if (contender === 'c') throw new NotAvailable('not yet');
      return { rate: 1 };
    },
  });
  const expected = { scenario: 'speed', entry: 'c', round: 0, isAvailable: false, message: 'not yet' };
  assert.deepEqual(failures, [expected]);
});

test('samples are taken one after the other, or together where a scenario says so', async () => {
  let open = 0;
  const most = { speed: 0, idle: 0 };
  const scenarios = [{ id: 'speed' }, { id: 'idle', isTogether: true }];
  await measure(
    scenarios.map((scenario) => ({ scenario, entries })),
    {
      ...{ ...settings, rounds: 2 },
      takeSample: async ({ scenario }) => {
        most[scenario] = Math.max(most[scenario], ++open);
        await new Promise(setImmediate);
        open--;
        return {};
      },
    },
  );
  assert.deepEqual(most, { speed: 1, idle: 3 });
});

test('a fixture is made once for all that need it, given to them alone, and removed in the end', async () => {
  const seen = { made: [], removed: 0, given: {} };
  const fixture = {
    make(budget) {
      seen.made.push(budget);
      return { given: { folder: 'there' }, remove: () => seen.removed++ };
    },
  };
  const scenarios = [{ id: 'speed', fixture }, { id: 'latency' }, { id: 'again', fixture }];
  const stopped = measure(
    scenarios.map((scenario) => ({ scenario, entries })),
    {
      ...{ ...settings, rounds: 2 },
      takeSample: async ({ scenario, given }) => {
        seen.given[scenario] = given;
        return {};
      },
      onSample: ({ round, scenario }) => {
        if (round === 1 && scenario === 'again') throw new Error('interrupted');
      },
    },
  );
  await assert.rejects(stopped, /interrupted/);
  assert.deepEqual(seen.made, [settings.budget]);
  assert.equal(seen.removed, 1);
  const given = { folder: 'there' };
  assert.deepEqual(seen.given, { speed: given, latency: undefined, again: given });
});
