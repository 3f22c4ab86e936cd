import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude, highlightsCompared } from './tools.js';
import { always, summaryOf } from '../report/made-up.js';

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
  const some = { id: 'made-up', conclude: () => [undefined, 'It is so'] };
  assert.deepEqual(
    conclude(some, { scenarios, machine: {} }),
    ['It is so'],
    'what was not measured is left out',
  );
  for (const wrong of [undefined, [null], ['']]) {
    const broken = { id: 'made-up', conclude: () => wrong };
    assert.throws(
      () => conclude(broken, { scenarios, machine: {} }),
      /conclusions of 'made-up' should be sentences/,
    );
  }
});
