import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude, toolsFor } from '../../conclusions/tools.js';
import { always, MACHINE, RATE, summaryOf } from '../../report/made-up.js';
import experiment from '../cores.js';
import { published } from './published.js';
import { curveOf } from './scenarios.js';

const METRIC = { ...RATE, id: 'requestsPerSecond' };

/** @param rateOf(threads, cores) the rate of the published program in every round */
function measured(cores, rateOf) {
  const scenarios = Array.from({ length: cores }, (_, i) => i + 1).flatMap((count) =>
    [1, 2, 3, 4].map((threads) =>
      summaryOf({
        ...{ id: `cores-${count}-threads-${threads}`, x: threads, curve: curveOf(count), metric: METRIC },
        rows: { 'as published': always(rateOf(threads, count)) },
      }),
    ),
  );
  const machine = { ...MACHINE, cores, availableParallelism: cores };
  const tables = experiment.tables(scenarios, toolsFor(machine));
  return { said: conclude(experiment, { scenarios, machine }), tables };
}

const asPublished = (threads, cores) => published.tables[0].rows[threads - 1][cores];

test('with the published figures on four cores, each claim holds but that of all 16', () => {
  const { said, tables: own } = measured(4, asPublished);
  assert.match(said[0], /holds here: .*a third core adds a jump: holds/);
  assert.doesNotMatch(said[0], /does not hold|cannot be/);
  assert.match(said[1], /the jump of the chapter can be shown/);
  assert.deepEqual(own[0].rows[1].map(Number), [2, 8.69, 9.6, 17.6, 17.3]);
});

test('on two cores the jump cannot be tested, and the rest can', () => {
  const { said, tables: own } = measured(2, (threads, cores) => 9 * Math.min(threads, cores));
  assert.match(said[0], /holds here in part: /);
  assert.match(said[0], /on two cores, a second thread adds nothing: does not hold/);
  assert.match(said[0], /on one core they get half as much done: holds/);
  assert.match(said[0], /a third core adds a jump: cannot be tested on this machine \(it takes 3 cores/);
  assert.match(said[1], /but not whether a third one brings the jump/);
  assert.deepEqual(own[0].head, ['threads', '1 core', '2 cores']);
});

test('where cores bring nothing, what was found of them does not hold', () => {
  const { said } = measured(4, () => 9);
  assert.match(said[0], /on one core they get half as much done: does not hold/);
  assert.match(said[0], /a third core adds a jump: does not hold/);
  assert.match(said[0], /on one core, threads add nothing: holds/);
});
