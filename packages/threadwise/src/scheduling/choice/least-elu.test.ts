/** The strategy by event loop utilisation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkerView } from '../../core/contracts.js';
import { anyTask, choiceConformance, worker } from './choice.case.js';
import { leastElu } from './strategies.js';

choiceConformance('least-elu', () => leastElu);

test('least-elu: the least active loop wins over the fewest tasks', () => {
  const workers = [
    worker(1, { load: 1, utilization: 0.9 }),
    worker(2, { load: 8, utilization: 0.2 }),
    worker(3, { load: 2, utilization: 0.5 }),
  ];
  assert.equal(leastElu.choose(anyTask, workers).id, 2);
});

test('least-elu: a worker without tasks wins, however active its loop was', () => {
  const workers = [worker(1, { load: 1, utilization: 0.1 }), worker(2, { load: 0, utilization: 1 })];
  assert.equal(leastElu.choose(anyTask, workers).id, 2);
});

test('least-elu: among equally active loops the fewest tasks win', () => {
  const workers = [worker(1, { load: 3, utilization: 0.5 }), worker(2, { load: 2, utilization: 0.5 })];
  assert.equal(leastElu.choose(anyTask, workers).id, 2);
});

test('least-elu: asks each worker once, because asking begins a new measurement', () => {
  let asked = 0;
  const measured = (id: number): WorkerView => ({
    ...worker(id, { load: 1 }),
    get utilization() {
      asked++;
      return 0.5;
    },
  });
  // Spreading would read the getter: the views are made once, then counted.
  const workers = [measured(1), measured(2), measured(3)];
  asked = 0;
  leastElu.choose(anyTask, workers);
  assert.equal(asked, workers.length);
});
