/** The recorder that counts and measures. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MeasuredRecorder, type Outcome } from './measured.js';

const outcomes: readonly Outcome[] = ['completed', 'failed', 'aborted', 'timedOut', 'crashed', 'rejected'];

/** Records something of everything. */
function tellAll(recorder: MeasuredRecorder): void {
  recorder.counts.submitted++;
  const worker = recorder.worker();
  for (const outcome of outcomes) recorder.settled(outcome, 1, 2, 0, worker);
  recorder.settled('aborted', undefined, undefined, 0, undefined);
  recorder.counts.retried++;
  recorder.counts.crashes++;
  recorder.counts.recycled++;
  recorder.forget(worker);
}

describe('a recorder', () => {
  for (const [when, tell] of [
    ['before anything happened', () => undefined],
    ['after everything happened', tellAll],
  ] as const) {
    test(`has every field as a finite number ${when}`, () => {
      const recorder = new MeasuredRecorder();
      tell(recorder);
      const snapshot = recorder.snapshot(0);
      assert.deepEqual(Object.keys(snapshot).sort(), [
        'buckets',
        'crashes',
        'functions',
        'interrupted',
        'outcomes',
        'recent',
        'recycled',
        'retried',
        'runMs',
        'submitted',
        'throughput',
        'waitMs',
      ]);
      assert.deepEqual(Object.keys(snapshot.outcomes).sort(), outcomes.toSorted());
      const { ms, ...recent } = snapshot.recent;
      for (const distribution of [snapshot.waitMs, snapshot.runMs, recent.waitMs, recent.runMs]) {
        assert.deepEqual(Object.keys(distribution).sort(), ['count', 'max', 'mean', 'p50', 'p90', 'p99']);
      }
      const { waitMs, runMs, outcomes: byOutcome, functions: _, recent: __, buckets, ...counts } = snapshot;
      assert.equal(buckets.runMs.at(-1)!.count, runMs.count);
      assert.equal(buckets.waitMs.at(-1)!.count, waitMs.count);
      for (const group of [counts, byOutcome, waitMs, runMs, { ms }, recent.waitMs, recent.runMs]) {
        for (const [field, value] of Object.entries(group)) assert.ok(Number.isFinite(value), field);
      }
    });

    test(`is plain JSON ${when}`, () => {
      const recorder = new MeasuredRecorder();
      tell(recorder);
      const snapshot = recorder.snapshot(0);
      assert.deepEqual(JSON.parse(JSON.stringify(snapshot)), snapshot);
    });
  }

  test('the figures of a worker are part of those of the pool, also when it is gone', () => {
    const recorder = new MeasuredRecorder();
    const worker = recorder.worker();
    recorder.settled('completed', 1, 2, 0, worker);
    const { runMs, waitMs } = recorder.snapshot(0);
    assert.equal(worker.snapshot().runMs.count, runMs.count);
    recorder.forget(worker);
    recorder.forget(worker);
    assert.deepEqual(recorder.snapshot(0).runMs, runMs);
    assert.deepEqual(recorder.snapshot(0).waitMs, waitMs);
  });

  test('a snapshot does not change afterwards', () => {
    const recorder = new MeasuredRecorder();
    tellAll(recorder);
    const snapshot = recorder.snapshot(0);
    const copy = structuredClone(snapshot);
    tellAll(recorder);
    assert.deepEqual(snapshot, copy);
  });

  test('recorders know nothing of each other', () => {
    const [told, other] = [new MeasuredRecorder(), new MeasuredRecorder()];
    const before = structuredClone(other.snapshot(0));
    tellAll(told);
    assert.deepEqual(other.snapshot(0), before);
  });
});

test('MeasuredRecorder: counts what happened, each outcome by itself', () => {
  const recorder = new MeasuredRecorder();
  recorder.counts.submitted += 30;
  outcomes.forEach((outcome, i) => {
    for (let n = 0; n <= i; n++) recorder.settled(outcome, undefined, undefined, 0, undefined);
  });
  recorder.counts.retried += 2;
  recorder.counts.crashes += 3;
  recorder.counts.recycled += 4;
  const { submitted, outcomes: byOutcome, retried, crashes, recycled } = recorder.snapshot(0);
  assert.deepEqual(
    { submitted, retried, crashes, recycled },
    {
      submitted: 30,
      retried: 2,
      crashes: 3,
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
