/** What two measurements say about the tasks in between. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkerSample } from '../../core/contracts.js';
import { type Sample, workloadBetween } from './workload.js';

const worker = (given: Partial<WorkerSample> = {}): WorkerSample => {
  return { id: 1, isBusy: true, completed: 0, runMs: 0, cpu: { usedMs: 0, waitedMs: 0 }, ...given };
};
const sample = (now: number, workers: readonly WorkerSample[], isFull = true): Sample => {
  const completed = workers.reduce((sum, each) => sum + each.completed, 0);
  return { now, measured: { completed, workers, memory: undefined }, isFull };
};
const share = (before: readonly WorkerSample[], after: readonly WorkerSample[]) =>
  workloadBetween(sample(0, before), sample(100, after)).share;

describe('the workload', () => {
  test('tasks that end: CPU time against their running time', () => {
    const after = worker({ completed: 4, runMs: 80, cpu: { usedMs: 20, waitedMs: 0 } });
    assert.equal(share([worker()], [after]), 0.25);
  });

  test('a task that goes on: CPU time against all the time', () => {
    assert.equal(share([worker()], [worker({ cpu: { usedMs: 30, waitedMs: 0 } })]), 0.3);
  });

  test('time without a free core is neither computing nor waiting', () => {
    assert.equal(share([worker()], [worker({ cpu: { usedMs: 25, waitedMs: 75 } })]), 1);
    assert.equal(share([worker()], [worker({ cpu: { usedMs: 25, waitedMs: 50 } })]), 0.5);
  });

  test('tiny tasks compute, though hardly any time is spent within them', () => {
    const after = worker({ completed: 50_000, runMs: 5, cpu: { usedMs: 60, waitedMs: 0 } });
    assert.equal(share([worker()], [after]), 1);
  });

  test('nothing is said of workers that came or went, or of which the platform does not tell', () => {
    assert.equal(share([worker({ id: 1 })], [worker({ id: 2 })]), undefined);
    assert.equal(share([worker({ cpu: undefined })], [worker({ cpu: undefined })]), undefined);
  });

  test('nothing is said where hardly anything ran', () => {
    const idle = worker({ isBusy: false });
    assert.equal(share([idle], [worker({ isBusy: false, completed: 1, runMs: 5 })]), undefined);
  });

  test('it is full only if it was so both times', () => {
    const [full, not] = [sample(0, []), sample(0, [], false)];
    assert.equal(workloadBetween(full, sample(1, [])).isFull, true);
    assert.equal(workloadBetween(not, sample(1, [])).isFull, false);
  });
});
