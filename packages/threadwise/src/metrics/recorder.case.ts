/** The conformance suite of the recorder seam: the same shape, whether it measures or not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outcome, Recorder } from '../core/contracts.js';

export const outcomes: readonly Outcome[] = [
  'completed',
  'failed',
  'aborted',
  'timedOut',
  'crashed',
  'rejected',
];

/** Something of everything that can be told. */
export function tellAll(recorder: Recorder): void {
  recorder.submitted();
  const worker = recorder.worker();
  for (const outcome of outcomes) recorder.settled(outcome, 1, 2, 0, worker);
  recorder.settled('aborted', undefined, undefined, 0, undefined);
  recorder.retried();
  recorder.crashed();
  recorder.recycled();
  recorder.forget(worker);
}

export function recorderConformance(name: string, make: () => Recorder): void {
  describe(`${name} keeps the promises of a recorder`, () => {
    for (const [when, tell] of [
      ['before anything happened', () => undefined],
      ['after everything happened', tellAll],
    ] as const) {
      test(`has every field as a finite number ${when}`, () => {
        const recorder = make();
        tell(recorder);
        const snapshot = recorder.snapshot(0);
        assert.deepEqual(Object.keys(snapshot).sort(), [
          'outcomes',
          'recycled',
          'retried',
          'runMs',
          'submitted',
          'throughput',
          'waitMs',
          'workerCrashes',
        ]);
        assert.deepEqual(Object.keys(snapshot.outcomes).sort(), outcomes.toSorted());
        for (const distribution of [snapshot.waitMs, snapshot.runMs]) {
          assert.deepEqual(Object.keys(distribution).sort(), ['count', 'max', 'mean', 'p50', 'p90', 'p99']);
        }
        const { waitMs, runMs, outcomes: byOutcome, ...counts } = snapshot;
        for (const group of [counts, byOutcome, waitMs, runMs]) {
          for (const [field, value] of Object.entries(group)) assert.ok(Number.isFinite(value), field);
        }
      });

      test(`is plain JSON ${when}`, () => {
        const recorder = make();
        tell(recorder);
        const snapshot = recorder.snapshot(0);
        assert.deepEqual(JSON.parse(JSON.stringify(snapshot)), snapshot);
      });
    }

    test('the figures of a worker are part of those of the pool, also when it is gone', () => {
      const recorder = make();
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
      const recorder = make();
      tellAll(recorder);
      const snapshot = recorder.snapshot(0);
      const copy = structuredClone(snapshot);
      tellAll(recorder);
      assert.deepEqual(snapshot, copy);
    });

    test('recorders know nothing of each other', () => {
      const [told, other] = [make(), make()];
      const before = structuredClone(other.snapshot(0));
      tellAll(told);
      assert.deepEqual(other.snapshot(0), before);
    });
  });
}
