import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude } from '../../conclusions/tools.js';
import { always, MACHINE, RATE, summaryOf } from '../../report/made-up.js';
import experiment from '../cluster.js';

/** Concludes from requests per second alone; latencies were not measured. */
const found = (rates) => {
  const rows = Object.fromEntries(Object.entries(rates).map(([row, rate]) => [row, always(rate)]));
  const four = summaryOf({ id: 'size-4', x: 4, metric: { ...RATE, id: 'requestsPerSecond' }, rows });
  return conclude(experiment, { scenarios: [four], machine: MACHINE })[0];
};

test('a cluster that is better than one process, and not than a pool: in part', () => {
  const said = found({ 'as published, cluster': 26, 'threadwise, pool': 26, inline: 14 });
  assert.match(said, /holds here in part: a cluster of 4 gets more requests done than one process: holds/);
  assert.match(said, /clustering rather than threads: .* 4 threads: does not hold/);
  assert.match(said, /answers sooner at worst than one process: cannot be told/);
});

test('a cluster that is better than a pool has the advice on its side', () => {
  const said = found({ 'as published, cluster': 26, 'threadwise, pool': 20, inline: 14 });
  assert.match(said, /clustering rather than threads: .* 4 threads: holds/);
});
