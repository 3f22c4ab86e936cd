import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from './measure.js';
import { formatNumber, renderScenario } from './report.js';
import { describe, median, quantile, ratio } from './statistics.js';
import { summarize } from './summary.js';

const experiment = {
  id: 'synthetic',
  scenarios: [
    {
      id: 'speed',
      title: 'Speed',
      metrics: [
        { id: 'rate', label: 'calls/s', better: 'higher' },
        { id: 'cpu', label: 'CPU us/call', better: 'lower' },
      ],
    },
    { id: 'latency', title: 'Latency', metrics: [{ id: 'p50', label: 'p50 us', better: 'lower' }] },
  ],
};
const contenders = [
  { id: 'ours', role: 'ours', version: '1.0.0' },
  { id: 'a', role: 'published', version: '2.0.0' },
  { id: 'b', role: 'published', version: '3.0.0' },
  { id: 'inline', role: 'inline' },
];
const samples = {
  speed: {
    ours: [300, 100, 200, 900, 250].map((rate) => ({ rate, cpu: 2 })),
    a: [50, 40, 60, 45, 55].map((rate) => ({ rate, cpu: 8 })),
    // Its best round beats a, its median does not.
    b: [1000, 20, 20, 20, 20].map((rate) => ({ rate, cpu: 1 })),
    inline: [5000, 5000, 5000, 5000, 5000].map((rate) => ({ rate, cpu: 0.1 })),
  },
  latency: {
    ours: [5, 5, 5, 5, 5].map((p50) => ({ p50 })),
    a: [40, 40, 40, 40, 40].map((p50) => ({ p50 })),
    b: [20, 20, 20, 20, 20].map((p50) => ({ p50 })),
    inline: [0.1, 0.1, 0.1, 0.1, 0.1].map((p50) => ({ p50 })),
  },
};

test('the median is the one in the middle, or the mean of the two there', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([10, 9, 100]), 10);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
  const given = [3, 1, 2];
  median(given);
  assert.deepEqual(given, [3, 1, 2], 'leaves its input alone');
});

test('quantiles are ranks of the sorted values', () => {
  const values = Float64Array.from({ length: 100 }, (_, i) => i + 1);
  assert.equal(quantile(values, 0.5), 50);
  assert.equal(quantile(values, 0.99), 99);
  assert.equal(quantile(values, 1), 100);
  assert.equal(quantile([7], 0.01), 7);
});

test('noise is the range as a share of the median', () => {
  assert.deepEqual(describe([10, 8, 13]), { median: 10, min: 8, max: 13, noise: 0.5 });
});

test('a ratio is how many times as good, whichever direction is better', () => {
  assert.equal(ratio(200, 50, 'higher'), 4);
  assert.equal(ratio(5, 20, 'lower'), 4);
  assert.equal(ratio(40, 20, 'lower'), 0.5);
});

test('ratios are to the published pool with the best median, in each scenario', () => {
  const [speed, latency] = summarize(experiment, contenders, { samples, failures: [] });
  assert.equal(speed.bestPublished, 'a');
  const rate = Object.fromEntries(speed.rows.map(({ id, figures }) => [id, figures.rate]));
  assert.deepEqual(rate.ours, { median: 250, min: 100, max: 900, noise: 3.2, toBestPublished: 5 });
  assert.equal(rate.a.toBestPublished, 1);
  assert.equal(rate.b.toBestPublished, 0.4);
  assert.equal(rate.inline.toBestPublished, 100);
  assert.equal(speed.rows[0].figures.cpu.toBestPublished, 4);
  assert.equal(latency.bestPublished, 'b');
  assert.equal(latency.rows[0].figures.p50.toBestPublished, 4);
});

test('a contender that failed has no figures and is nobody’s measure', () => {
  const failures = [
    {
      scenario: 'speed',
      contender: 'a',
      round: 1,
      message: 'file.js:1\n  throw new Error(why)\n\nTypeError: it broke\n    at x',
    },
  ];
  const [speed, latency] = summarize(experiment, contenders, { samples, failures });
  assert.equal(speed.bestPublished, 'b');
  assert.deepEqual(speed.rows[1].figures, {});
  assert.match(renderScenario(speed), /failed: TypeError: it broke/);
  assert.equal(latency.rows[1].figures.p50.median, 40);
});

test('without a published pool there are figures and no ratios', () => {
  const [speed] = summarize(experiment, [contenders[0]], { samples, failures: [] });
  assert.equal(speed.bestPublished, undefined);
  assert.equal(speed.rows[0].figures.rate.toBestPublished, undefined);
  assert.match(renderScenario(speed), /ours/);
});

test('the table shows each contender once, with its figures', () => {
  const [speed] = summarize(experiment, contenders, { samples, failures: [] });
  const lines = renderScenario(speed).split('\n');
  const line = (id) => lines.find((text) => text.includes(` ${id} `));
  assert.match(line('ours'), /1\.0\.0 .* 250 .* 100 - 900 .* 320 % .* 2 .* 5\.0 x/);
  assert.match(line('a'), / best /);
  assert.match(line('inline'), /5,000 .* 100 x/);
});

test('numbers have three digits that mean something', () => {
  assert.equal(formatNumber(11_234_567), '11,200,000');
  assert.equal(formatNumber(15.678), '15.7');
  assert.equal(formatNumber(0.12345), '0.123');
  assert.equal(formatNumber(0), '0');
});

test('every round begins with another contender, and each has its turn in each scenario', async () => {
  const orders = [];
  const { samples: taken, failures } = await measure(experiment, {
    contenders: ['a', 'b', 'c'],
    rounds: 4,
    budget: { warmUpMs: 1, measureMs: 2 },
    takeSample: async (order) => {
      orders.push(order);
      return { rate: orders.length };
    },
  });
  assert.deepEqual(failures, []);
  const turns = orders.filter(({ scenario }) => scenario === 'speed').map(({ contender }) => contender);
  assert.equal(turns.join(''), 'abcbcacababc');
  for (const scenario of ['speed', 'latency']) {
    for (const contender of ['a', 'b', 'c']) assert.equal(taken[scenario][contender].length, 4);
  }
  assert.deepEqual(orders[0], {
    experiment: 'synthetic',
    scenario: 'speed',
    contender: 'a',
    budget: { warmUpMs: 1, measureMs: 2 },
  });
});

test('a contender that fails is not asked again in that scenario, and stops nobody', async () => {
  const { samples: taken, failures } = await measure(experiment, {
    contenders: ['a', 'b'],
    rounds: 3,
    budget: {},
    takeSample: async ({ scenario, contender }) => {
      if (scenario === 'speed' && contender === 'b') throw new Error('no');
      return { rate: 1 };
    },
  });
  assert.deepEqual(failures, [{ scenario: 'speed', contender: 'b', round: 0, message: 'no' }]);
  assert.equal(taken.speed.a.length, 3);
  assert.equal(taken.latency.b.length, 3);
});
