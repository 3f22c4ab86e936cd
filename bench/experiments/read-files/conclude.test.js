import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolsFor } from '../../conclusions/tools.js';
import { always, MACHINE, RATE, summaryOf } from '../../report/made-up.js';
import { renderPlot } from '../../report/plot.js';
import { conclude } from './conclude.js';
import { pictureOf } from './pictures.js';

const LOOP = 'as published, loop of readFileSync';
const ALL = 'as published, Promise.all of readFile';
const scenario = (id, loop, all) =>
  summaryOf({ id, metric: { ...RATE, id: 'readsPerSecond' }, rows: { [LOOP]: loop, [ALL]: all } });

test('each of the three files is judged apart: two of three is in part', () => {
  const [said] = conclude(
    [
      scenario('small-many', always(100), always(23)),
      scenario('small-few', always(100), always(32)),
      scenario('large', [10, 20, 10, 20, 10], [20, 10, 20, 10, 20]),
    ],
    toolsFor(MACHINE),
  );
  assert.match(said, /holds here in part: synchronously, 3\.3 kB x 10,000: holds/);
  assert.match(said, /synchronously, 3\.3 kB x 100: holds/);
  assert.match(said, /asynchronously, 6\.5 MB x 100: cannot be told/);
});

test('the load of each core is a curve of its own', () => {
  const one = scenario('large', always(1), always(1));
  const looks = [
    [100, 0],
    [100, 10],
    [100, 0],
  ];
  for (const row of one.rows) row.samples[0] = { ...row.samples[0], coresOverTime: looks };
  const plot = pictureOf('Load', 'large', ['loop of readFileSync', 'Promise.all of readFile']);
  const text = renderPlot(plot, [one]);
  for (const name of [
    'loop of readFileSync, core 1',
    'loop of readFileSync, core 2',
    'Promise.all of readFile, core 2',
  ])
    assert.ok(text.includes(name), name);
  assert.ok(!text.includes('core 3'));
  assert.equal(renderPlot(plot, [scenario('large', always(1), always(1))]), '');
});
