import assert from 'node:assert/strict';
import { test } from 'node:test';
import template from '../template.js';
import { toolsFor } from '../../conclusions/tools.js';
import { always, MACHINE, RATE, summaryOf } from '../../report/made-up.js';
import { renderPlot } from '../../report/plot.js';
import { conclude } from './conclude.js';

const REQUESTS = { ...RATE, id: 'requestsPerSecond' };
const at = (id, x, rows, metric = REQUESTS) =>
  summaryOf({
    ...{ id, x, metric },
    rows: Object.fromEntries(Object.entries(rows).map(([row, value]) => [row, always(value)])),
  });

test('more requests, but fewer than published: in part; and from which size on is told', () => {
  const said = conclude(
    [
      at('small', 1, { 'as published, across': 50, inline: 100 }),
      at('large', 80, { 'as published, across': 55, inline: 50 }),
    ],
    toolsFor(MACHINE),
  );
  assert.match(said[0], /holds here in part: offloaded, more requests: holds/);
  assert.match(said[0], /43 % more: does not hold/);
  assert.match(said[0], /with one sentence, the main thread wins: holds/);
  assert.match(said[1], /as published, across is better than inline from about \d+(\.\d)? sentences/);
});

test('the delay of the event loop over time is a picture', () => {
  const delay = { id: 'immediateUs', label: 'setImmediate us', unit: 'us', better: 'lower' };
  const scenario = at('large', 80, { inline: 700, 'threadwise, across': 100 }, delay);
  for (const [i, row] of scenario.rows.entries())
    row.samples[0] = { ...row.samples[0], immediatesUs: i === 0 ? [700, 800, 750] : [90, 100, 95] };
  const text = renderPlot(template.plots[1], [scenario]);
  assert.match(text, /a inline {3}b threadwise, across/);
  assert.equal(renderPlot(template.plots[1], []), '');
});
