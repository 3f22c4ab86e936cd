/** The recorder that counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeasuredRecorder } from './measured.js';
import { outcomes, recorderConformance } from './recorder.case.js';

recorderConformance('MeasuredRecorder', () => new MeasuredRecorder());

test('MeasuredRecorder: counts what happened, each outcome by itself', () => {
  const recorder = new MeasuredRecorder();
  for (let i = 0; i < 30; i++) recorder.submitted();
  outcomes.forEach((outcome, i) => {
    for (let n = 0; n <= i; n++) recorder.settled(outcome, undefined, undefined, 0, undefined);
  });
  for (let i = 0; i < 2; i++) recorder.retried();
  for (let i = 0; i < 3; i++) recorder.crashed();
  for (let i = 0; i < 4; i++) recorder.recycled();
  const { submitted, outcomes: byOutcome, retried, workerCrashes, recycled } = recorder.snapshot(0);
  assert.deepEqual(
    { submitted, retried, workerCrashes, recycled },
    {
      submitted: 30,
      retried: 2,
      workerCrashes: 3,
      recycled: 4,
    },
  );
  assert.deepEqual(byOutcome, Object.fromEntries(outcomes.map((outcome, i) => [outcome, i + 1])));
});

test('MeasuredRecorder: keeps waiting and running apart, and leaves out what was not measured', () => {
  const recorder = new MeasuredRecorder();
  recorder.settled('completed', 4, 16, 0, undefined);
  recorder.settled('aborted', undefined, undefined, 0, undefined);
  recorder.settled('crashed', 4, undefined, 0, undefined);
  const { waitMs, runMs } = recorder.snapshot(0);
  assert.equal(waitMs.count, 2);
  assert.equal(waitMs.mean, 4);
  assert.equal(waitMs.max, 4);
  assert.equal(runMs.count, 1);
  assert.equal(runMs.mean, 16);
  assert.equal(runMs.max, 16);
});

test('MeasuredRecorder: each worker has its own figures, the pool those of all', () => {
  const recorder = new MeasuredRecorder();
  const [one, other] = [recorder.worker(), recorder.worker()];
  recorder.settled('completed', 1, 8, 0, one);
  recorder.settled('failed', 1, 16, 0, other);
  recorder.settled('aborted', 1, undefined, 0, undefined);
  assert.equal(one.snapshot().runMs.max, 8);
  assert.equal(other.snapshot().runMs.max, 16);
  recorder.forget(other);
  const { runMs, waitMs } = recorder.snapshot(0);
  assert.deepEqual([runMs.count, runMs.mean, runMs.max, waitMs.count], [2, 12, 16, 3]);
});
