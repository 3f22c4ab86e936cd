import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNumber, formatRatio } from './format.js';
import { renderScenario } from './terminal.js';
import { describe, median, quantile, ratio } from '../conclusions/statistics.js';
import { summarize } from '../conclusions/summary.js';

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
const entries = [
  { id: 'ours', contender: { id: 'ours', role: 'ours', version: '1.0.0' } },
  { id: 'a', contender: { id: 'a', role: 'published', version: '2.0.0' } },
  { id: 'b', contender: { id: 'b', role: 'published', version: '3.0.0' } },
  { id: 'inline', contender: { id: 'inline', role: 'inline' } },
];
const planFor = (...chosen) => experiment.scenarios.map((scenario) => ({ scenario, entries: chosen }));
const plan = planFor(...entries);
const describeContender = ({ role, version }) => ({ role, version });
const summarizeAll = (failures = []) => summarize(plan, { samples, failures }, describeContender);
const samples = {
  speed: {
    ours: [300, 100, 200, 900, 250].map((rate) => ({ rate, cpu: 2 })),
    a: [50, 40, 60, 45, 55].map((rate) => ({ rate, cpu: 8 })),
    // The best round of b beats a, its median does not.
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

test('ratios are to the published pool with the best median, in each scenario and by each metric', () => {
  const [speed, latency] = summarizeAll();
  assert.deepEqual(speed.bestPublished, { rate: 'a', cpu: 'b' });
  const rate = Object.fromEntries(speed.rows.map(({ id, figures }) => [id, figures.rate]));
  assert.deepEqual(rate.ours, { median: 250, min: 100, max: 900, noise: 3.2, toBestPublished: 5 });
  assert.equal(rate.a.toBestPublished, 1);
  assert.equal(rate.b.toBestPublished, 0.4);
  assert.equal(rate.inline.toBestPublished, 100);
  assert.equal(speed.rows[0].figures.cpu.toBestPublished, 0.5);
  assert.deepEqual(latency.bestPublished, { p50: 'b' });
  assert.equal(latency.rows[0].figures.p50.toBestPublished, 4);
});

test('a contender that failed has no figures and is nobody’s measure', () => {
  const failures = [
    {
      scenario: 'speed',
      entry: 'a',
      round: 1,
      isAvailable: true,
      message: 'file.js:1\n  throw new Error(why)\n\nTypeError: it broke\n    at x',
    },
  ];
  const [speed, latency] = summarizeAll(failures);
  assert.equal(speed.bestPublished.rate, 'b');
  assert.deepEqual(speed.rows[1].figures, {});
  assert.match(renderScenario(speed, 5), /^a: failed: TypeError: it broke$/m);
  assert.equal(latency.rows[1].figures.p50.median, 40);
});

test('without a published pool there are figures and no ratios', () => {
  const [speed] = summarize(planFor(entries[0]), { samples, failures: [] });
  assert.equal(speed.bestPublished.rate, undefined);
  assert.equal(speed.rows[0].figures.rate.toBestPublished, undefined);
  assert.match(renderScenario(speed, 5), /ours/);
});

test('the table shows each contender once, with its figures', () => {
  const [speed] = summarizeAll();
  const lines = renderScenario(speed, 5).split('\n');
  assert.deepEqual(lines, [
    'Speed',
    '        calls/s      from - to  x best published  CPU us/call',
    'ours        250      100 - 900             5.0 x            2',
    'a            50        40 - 60              best            8',
    'b            20     20 - 1,000            0.40 x            1',
    'inline    5,000  5,000 - 5,000             100 x          0.1',
    '',
  ]);
});

test('numbers and ratios have few digits, which mean something', () => {
  assert.equal(formatNumber(11_234_567), '11,200,000');
  assert.equal(formatNumber(15.678), '15.7');
  assert.equal(formatNumber(0.12345), '0.123');
  assert.equal(formatNumber(0), '0');
  assert.equal(formatRatio(0.0123), '0.012 x');
  assert.equal(formatRatio(29.6), '30 x');
  assert.equal(formatRatio(1736), '1,740 x');
  assert.equal(formatRatio(undefined), '');
});

test('a contender that is not available says why, and has no figures', () => {
  const message = "Option 'transport': expected 'auto', got \"shared\"";
  const [speed] = summarizeAll([{ scenario: 'speed', entry: 'ours', round: 0, isAvailable: false, message }]);
  assert.equal(speed.rows[0].notAvailable, message);
  assert.equal(speed.rows[0].failure, undefined);
  assert.match(
    renderScenario(speed, 5),
    /^ours: not available: Option 'transport': expected 'auto', got "shared"$/m,
  );
});

test('a metric that a contender does not give is left empty', () => {
  const few = { ...samples, speed: { ...samples.speed, ours: [{ rate: 5 }] } };
  const [speed] = summarize(plan, { samples: few, failures: [] });
  assert.deepEqual(Object.keys(speed.rows[0].figures), ['rate']);
  assert.match(renderScenario(speed, 5), /ours/);
});

test('fewer rounds than there are usually are told, and a single round has no range', () => {
  const speed = Object.fromEntries(
    Object.entries(samples.speed).map(([id, rounds]) => [id, rounds.slice(0, 1)]),
  );
  const given = { samples: { ...samples, speed }, failures: [] };
  const [scenario] = summarize(plan, given, describeContender);
  const [title, , ours] = renderScenario(scenario, 5).split('\n');
  assert.equal(title, 'Speed (1 round)');
  assert.match(ours, /^ours {2,}300 {2,}0\.30 x {2,}2$/);
});
