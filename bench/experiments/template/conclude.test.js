import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude } from '../../conclusions/tools.js';
import { always, MACHINE, RATE, summaryOf } from '../../report/made-up.js';
import experiment from '../template.js';
import { page } from './page.js';

const REQUESTS = { ...RATE, id: 'requestsPerSecond' };
const at = (id, x, rows, metric = REQUESTS) =>
  summaryOf({
    ...{ id, x, metric },
    rows: Object.fromEntries(Object.entries(rows).map(([row, value]) => [row, always(value)])),
  });

test('more requests, but fewer than published: in part; and the size that it takes is told', () => {
  const said = conclude(experiment, {
    scenarios: [
      at('small', 1, { 'as published, across': 50, inline: 100 }),
      at('large', 80, { 'as published, across': 55, inline: 50 }),
    ],
    machine: MACHINE,
  });
  assert.match(said[0], /holds here in part: offloaded, more requests: holds/);
  assert.match(said[0], /43 % more: does not hold/);
  assert.match(said[0], /with one sentence, the main thread wins: holds/);
  assert.match(said[1], /as published, across is better than inline with about \d+(\.\d)? sentences/);
});

test('the delay of the event loop over time is drawn, to that of an idle one', () => {
  const delay = { id: 'immediateUs', label: 'setImmediate us', unit: 'us', better: 'lower' };
  const scenario = at('large', 80, { inline: 700, 'threadwise, across': 100 }, delay);
  const [row] = scenario.rows;
  for (const sample of row.samples) sample.idleImmediateUs = 100;
  row.samples[0].immediatesUs = [700, 800, 750];
  const [, { series }] = page.picture([scenario]).panels;
  assert.deepEqual(
    series.find(({ kind }) => kind === 'inline').points.map(({ value }) => value),
    [7, 8, 7.5],
  );
  assert.deepEqual(series.find(({ kind }) => kind === 'ours').points, []);
});
