import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude } from '../../conclusions/tools.js';
import { always, MACHINE, summaryOf } from '../../report/made-up.js';
import experiment from '../hash-coordinator.js';
import { tables } from './page.js';

const CLEAN = { id: 'cleanMs', label: 'clean ms', unit: 'ms', better: 'lower' };
const WITH = 'as published, coordinator';
const WITHOUT = 'as published, no coordinator';

/** Scenarios with these clean times, by threads. */
const measured = (withOne, without) =>
  withOne.map((time, i) =>
    summaryOf({
      ...{ id: `threads-${2 ** i}`, x: 2 ** i, metric: CLEAN },
      rows: { [WITH]: always(time), [WITHOUT]: always(without[i]) },
    }),
  );

const foundWith = (scenarios) => conclude(experiment, { scenarios, machine: MACHINE })[0];

test('the factor is that of the best of either, whatever their numbers of threads', () => {
  const said = foundWith(measured([300, 110, 80], [1200, 330, 310]));
  assert.match(
    said,
    /almost 4 times, best against best: holds \(.*coordinator, 4 threads is faster than .*: 3\.9 x/,
  );
});

test('a coordinator that helps, but less than it was found to, holds in part', () => {
  const said = foundWith(measured([300, 200, 210], [600, 300, 310]));
  assert.match(said, /holds here in part: a coordinator shortens the clean time: holds/);
  assert.match(said, /almost 4 times, best against best: does not hold/);
});

test('the utilisation of each worker is a matrix, and of counts that have fewer workers, cells are empty', () => {
  const scenarios = measured([1, 2, 3], [1, 2, 3]);
  for (const [i, eachPercent] of [[41.6], [98.2, 79], [100, 99.6, 96, 12]].entries()) {
    const [row] = scenarios[i].rows;
    row.samples[0] = { ...row.samples[0], coordinatorPercent: 10.4, eachPercent };
  }
  const [{ title, head, rows }, ...others] = tables(scenarios);
  assert.equal(title, `Utilisation in %, ${WITH}, in the first round`);
  assert.deepEqual(head, ['threads', 'coordinator', 'w1', 'w2', 'w3', 'w4']);
  assert.deepEqual(rows, [
    [1, 10, 42, undefined, undefined, undefined],
    [2, 10, 98, 79, undefined, undefined],
    [4, 10, 100, 100, 96, 12],
  ]);
  assert.deepEqual(others, []);
});

test('a row that failed in a later round is in no table, although its first round has figures', () => {
  const [point] = measured([1], [1]);
  Object.assign(point.rows[0], { failure: 'a call never settled', figures: {} });
  point.rows[0].samples = [{ coordinatorPercent: 10, eachPercent: [41.6] }];
  assert.deepEqual(tables([point]), []);
});

test('how our coordinator changed the number of workers is told step by step', () => {
  const sizing = summaryOf({ id: 'sizing', metric: CLEAN, rows: { threadwise: always(1) } });
  sizing.rows[0].samples[0] = { ...sizing.rows[0].samples[0], sizes: [[1234, 2, 'tasks wait']] };
  assert.deepEqual(tables([sizing]), [
    {
      title: 'How our coordinator changed the number of workers, in the first round',
      head: ['after ms', 'workers', 'why'],
      rows: [['1,230', 2, 'tasks wait']],
    },
  ]);
});
