import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude } from '../../conclusions/tools.js';
import { always, MACHINE, MEMORY, summaryOf } from '../../report/made-up.js';
import experiment from '../memory.js';
import { LOADING } from './scenarios.js';

/** @param ofThread, ofKibibyte how many MiB each takes, in every round */
function found(ofThread, ofKibibyte) {
  const idle = [0, 1, 2, 4].map((x) =>
    summaryOf({
      ...{ id: `idle-${x}`, x, metric: { ...MEMORY, id: 'residentMiB' } },
      rows: { 'as published': always(40 + ofThread * x) },
    }),
  );
  const loading = [0, 1024].map((x) =>
    summaryOf({
      ...{ id: `module-${x}`, x, curve: LOADING, metric: { ...MEMORY, id: 'perThreadMiB' } },
      rows: { 'as published': always(ofThread + ofKibibyte * x) },
    }),
  );
  return conclude(experiment, { scenarios: [...idle, ...loading], machine: MACHINE })[0];
}

test('about six megabytes is what the chapter measured, and a quarter more or less', () => {
  assert.match(
    found(5.6, 0.003),
    /holds here: about 6 MB a thread: holds .*more with what a thread loads: holds/,
  );
  for (const [ofThread, verdict] of [
    [5, 'holds'],
    [7, 'holds'],
    [4, 'does not hold'],
    [7.6, 'does not hold'],
  ])
    assert.match(found(ofThread, 0.003), new RegExp(`about 6 MB a thread: ${verdict} `), `${ofThread}`);
});

test('what a module adds is told for each MiB of it', () => {
  assert.match(
    found(7.6, 3 / 1024),
    /in part: .*more with what a thread loads: holds \(3 MiB for each MiB of source\)/,
  );
  assert.match(
    found(7.6, -1 / 1024),
    /does not hold \(-1 MiB for each MiB of source\)/,
    'as it was measured',
  );
  assert.match(found(7.6, 0), /more with what a thread loads: (does not hold|cannot be told)/);
});
