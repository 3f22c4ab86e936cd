import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goalsMet, highlightsCompared } from './default-conclusions.js';
import { always, summaryOf } from '../report/made-up.js';
import { conclude } from './tools.js';

test('goals: how many are met, and which are not, or were not measured; those of rows that took no part do not count', () => {
  const rows = [{ id: 'threadwise', samples: always({ ms: 1 }), figures: { ms: {} } }];
  const goals = [
    { text: 'fast', of: 'threadwise', by: 'times', value: 3, isMet: true },
    { text: 'faster', of: 'threadwise', by: 'times', value: 1.25, isMet: false },
    { text: 'twice', of: 'threadwise', by: 'times', value: 1.96, atLeast: 2, isMet: false },
    { text: 'thrice', of: 'threadwise', by: 'times', value: 2.9996, atLeast: 3, isMet: false },
    { text: 'small', of: 'threadwise', value: 1.0004, atMost: 1, isMet: false },
    { text: 'not measured', of: 'threadwise' },
    { text: 'absent', of: 'threadwise, leased', value: 1, isMet: false },
  ];
  assert.deepEqual(goalsMet([{ rows, goals }]), [
    '1 of 5 goals are met',
    'Not met, by threadwise: faster: it is 1.3 x',
    'Not met, by threadwise: twice: it is 1.96 x',
    'Not met, by threadwise: thrice: it is 2.9996 x',
    'Not met, by threadwise: small: it is 1.0004',
    'Not measured, by threadwise: not measured',
  ]);
  assert.deepEqual(goalsMet([{ rows, goals: [] }]), []);
  const once = rows.map((row) => ({ ...row, samples: [{ ms: 1 }] }));
  assert.deepEqual(goalsMet([{ rows: once, goals }]), [
    'Cannot tell whether goals are met: the rounds are too few',
  ]);
});

const highlighted = (rows, highlight = {}) => ({
  ...summaryOf({ title: 'Hashing', rows }),
  highlights: [{ metric: 'ms', ...highlight }],
});

test('a highlight is held against the best published pool, or against what has none', () => {
  const rows = { threadwise: always(10), a: always(30), b: always(20), inline: always(40) };
  assert.deepEqual(highlightsCompared([highlighted(rows)]), [
    'Hashing: threadwise is faster than b: 2 x, by total ms',
  ]);
  const { threadwise, inline } = rows;
  assert.deepEqual(highlightsCompared([highlighted({ threadwise, inline }, { text: 'It' })]), [
    'It: threadwise is faster than inline: 4 x, by total ms',
  ]);
  assert.deepEqual(highlightsCompared([highlighted({ threadwise })]), [], 'nobody to hold it against');
});

test('an experiment that draws no conclusions gets these; one that draws none that are sentences is refused', () => {
  const scenarios = [highlighted({ threadwise: always(10), a: always(20) })];
  const drawn = conclude({ id: 'made-up' }, { scenarios, machine: {} });
  assert.deepEqual(drawn, ['Hashing: threadwise is faster than a: 2 x, by total ms']);
  for (const wrong of [undefined, [undefined], ['']]) {
    const broken = { id: 'made-up', conclude: () => wrong };
    assert.throws(
      () => conclude(broken, { scenarios, machine: {} }),
      /conclusions of 'made-up' should be sentences/,
    );
  }
});
