import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriesOf } from '../conclusions/rows.js';
import { overTime } from './over-time.js';
import { renderPlot } from './plot.js';

const LOAD = { id: 'load', label: 'load', unit: '%', better: 'lower' };
const valuesOf = (points, row) => points.map((point) => seriesOf(point, row, 'load')[0]);

test('few values are points as they are, and x is how much of the time is over', () => {
  const points = overTime(LOAD, [{ row: 'a', values: [1, 3, 5, 7] }]);
  assert.deepEqual(
    points.map(({ x }) => x),
    [25, 50, 75, 100],
  );
  assert.deepEqual(valuesOf(points, 'a'), [1, 3, 5, 7]);
});

test('of many values, each point is the mean of its part, and all of them count', () => {
  const values = Array.from({ length: 30 }, (_, i) => i);
  const points = overTime(LOAD, [{ row: 'a', values }]);
  assert.equal(points.length, 12);
  assert.deepEqual(valuesOf(points, 'a').slice(0, 3), [0.5, 3, 5.5]);
  assert.equal(points.at(-1).x, 100);
});

test('what was not seen is left out; a row with fewer than two values, too; and where none is left there is no picture', () => {
  const points = overTime(LOAD, [
    { row: 'a', values: [null, 1, undefined, 3] },
    { row: 'b', values: [1] },
  ]);
  assert.deepEqual(valuesOf(points, 'a'), [1, 3]);
  assert.deepEqual(valuesOf(points, 'b'), [undefined, undefined]);
  assert.deepEqual(overTime(LOAD, [{ row: 'b', values: [1] }]), []);
  assert.deepEqual(overTime(LOAD, []), []);
});

test('a plot can say itself what its points are', () => {
  const definition = {
    ...{ title: 'Load', metric: 'load', x: { label: '% of the time' }, rows: ['a'] },
    points: ([scenario]) => overTime(LOAD, [{ row: 'a', values: scenario.values }]),
  };
  const text = renderPlot(definition, [{ values: [10, 20, 40] }]);
  assert.match(text, /%, by % of the time/);
  assert.match(text, /33\.3 +66\.7 +100/);
  assert.equal(renderPlot(definition, [{ values: [] }]), '');
});
