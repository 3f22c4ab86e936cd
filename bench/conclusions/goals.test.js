import assert from 'node:assert/strict';
import { test } from 'node:test';
import { experiments } from '../catalog.js';
import { formatGoal } from '../report/format.js';
import { evaluate } from './goals.js';
import { renderGoals } from '../report/terminal.js';
import { describe } from './statistics.js';

const metrics = [
  { id: 'rate', label: 'calls/s', unit: 'calls/s', better: 'higher' },
  { id: 'ms', label: 'ms', unit: 'ms', better: 'lower' },
];

function row(id, role, rate, ms, packageName = id) {
  const samples = rate.map((value, i) => ({ rate: value, ms: ms[i] }));
  return { id, role, package: packageName, samples, figures: { rate: describe(rate), ms: describe(ms) } };
}

const rows = [
  row('threadwise', 'ours', [100, 120, 110], [10, 12, 11]),
  row('threadwise, leased', 'ours', [300, 300, 300], [4, 4, 4], 'threadwise'),
  row('a', 'published', [10, 20, 10], [50, 44, 40]),
  row('b', 'published', [9, 9, 1000], [22, 20, 24]),
  row('b (fast)', 'published', [8, 8, 8], [30, 30, 30], 'b'),
  row('inline', 'inline', [220, 220, 220], [5, 5, 5]),
];

test('times as good as the best of a role, each round compared with the same round', () => {
  const goal = { text: 'fast', metric: 'rate', by: 'times', to: 'published', atLeast: 11 };
  const { against, value, min, max, isMet } = evaluate(goal, metrics, rows);
  assert.equal(against, 'a', 'the best median, and not the best round');
  assert.deepEqual({ value, min, max, isMet }, { value: 11, min: 6, max: 11, isMet: true });
});

test('times as good, where less is better', () => {
  const goal = { text: 'fast', metric: 'ms', by: 'times', to: 'published', atLeast: 2.5, of: 'threadwise' };
  const { against, value, isMet } = evaluate(goal, metrics, rows);
  assert.deepEqual({ against, value, isMet }, { against: 'b', value: 2, isMet: false });
});

test('a share and a difference are of plain values', () => {
  const share = evaluate({ text: '', metric: 'ms', by: 'share', to: 'b', atMost: 0.5 }, metrics, rows);
  assert.deepEqual([share.against, share.value, share.isMet], ['b', 0.5, true]);
  const more = evaluate({ text: '', metric: 'ms', by: 'difference', to: 'inline', atMost: 5 }, metrics, rows);
  assert.deepEqual([more.value, more.min, more.max, more.isMet], [6, 5, 7, false]);
});

test('without a reference, the figure itself', () => {
  const { value, against, isMet } = evaluate({ text: '', metric: 'ms', atMost: 11 }, metrics, rows);
  assert.deepEqual([value, against, isMet], [11, undefined, true]);
});

test('a goal can be about another row', () => {
  const goal = { text: '', of: 'threadwise, leased', metric: 'ms', by: 'times', to: 'inline', atLeast: 1.25 };
  assert.equal(evaluate(goal, metrics, rows).value, 1.25);
});

test('what was not measured is neither met nor missed', () => {
  const goal = { text: 'never', metric: 'ms', by: 'times', to: 'bare', atLeast: 1 };
  const missing = evaluate(goal, metrics, rows);
  assert.equal(missing.value, undefined);
  assert.equal(missing.isMet, undefined);
  const failed = [{ ...rows[0], figures: {} }, ...rows.slice(1)];
  assert.equal(evaluate({ ...goal, to: 'inline' }, metrics, failed).value, undefined);
  assert.equal(formatGoal(missing, metrics).verdict, 'not measured');
  const nothing = ['threadwise', 'inline'].map((id) => row(id, id, [0, 0], [1, 1]));
  assert.equal(
    evaluate({ text: '', metric: 'rate', by: 'times', to: 'inline' }, metrics, nothing).isMet,
    undefined,
  );
});

test('the table of goals says what was measured, and whether it is enough', () => {
  const goals = [
    { text: 'ten times', metric: 'rate', by: 'times', to: 'published', atLeast: 10 },
    { text: 'quick', metric: 'ms', atMost: 3 },
    { text: 'unheard of', metric: 'ms', to: 'nobody', by: 'share', atMost: 1 },
  ].map((goal) => evaluate(goal, metrics, rows));
  const text = renderGoals([{ id: 'speed', metrics, rows, goals }]);
  assert.match(text, /speed .* ten times .* 11 x .* 6\.0 x - 11 x .* yes/);
  assert.match(text, /quick .* 11 ms .* 10 - 12 .* no/);
  assert.match(text, /unheard of .* not measured/);
  const once = evaluate(goals[0], metrics, [
    row('threadwise', 'ours', [9], [1]),
    row('a', 'published', [1], [1]),
  ]);
  assert.equal(formatGoal(once, metrics).verdict, 'too few rounds');
  assert.equal(renderGoals([{ id: 'speed', metrics, rows, goals: [] }]), '');
  assert.equal(renderGoals([{ id: 'speed', metrics, rows: [], goals }]), '', 'ours took no part');
});

test('every goal and every highlight names a metric of its scenario, and a goal has a limit', async () => {
  for (const { scenarios } of await experiments()) {
    for (const { id, metrics: own, goals = [], highlights = [] } of scenarios) {
      const ids = own.map((metric) => metric.id);
      for (const { metric } of [...goals, ...highlights]) assert.ok(ids.includes(metric), `${id}: ${metric}`);
      for (const { text, atLeast, atMost } of goals)
        assert.ok(text && (atLeast ?? atMost) >= 0, `${id}: ${text}`);
    }
  }
});
