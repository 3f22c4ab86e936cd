/** The conformance suite of the choice seam: whatever the loads, one of the candidates is chosen. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import type { Choice, TaskView, WorkerView } from '../../core/contracts.js';

export function worker(id: number, given: Partial<WorkerView> = {}): WorkerView {
  return { id, load: 0, completed: 0, utilization: 0, ...given };
}

export const anyTask: TaskView = { id: 1, name: 'task', priority: 0, key: undefined };

/** A callback that must not be called. */
export function unexpected(error: unknown): never {
  throw new Error(`Nothing was to be reported, and this was: ${String(error)}`);
}

const tasks: fc.Arbitrary<TaskView> = fc.record({
  id: fc.nat(),
  name: fc.string(),
  priority: fc.double({ noNaN: true }),
  key: fc.anything(),
});

/** Loads, and utilisations as a runtime may report them: one that measured over no time at all says NaN. */
const candidates: fc.Arbitrary<WorkerView[]> = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 2000 }),
    load: fc.nat(100),
    completed: fc.nat(),
    utilization: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(Number.NaN)),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 40 },
);

export function choiceConformance(name: string, make: () => Choice): void {
  describe(`${name} keeps the promises of a strategy`, () => {
    test('has a name', () => {
      assert.match(make().name, /^[\w-]+$/);
    });

    test('chooses the only candidate', () => {
      const [only, choice] = [worker(7, { load: 100, utilization: 1 }), make()];
      assert.equal(choice.choose(anyTask, [only]), only);
      assert.equal(choice.choose(anyTask, [only]), only);
    });

    test('chooses one of the candidates, for any number of them and any loads, call after call', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(tasks, candidates), { minLength: 1, maxLength: 10 }), (calls) => {
          const choice = make();
          for (const [task, workers] of calls) {
            assert.ok(workers.includes(choice.choose(task, workers)));
          }
        }),
        { numRuns: 100 },
      );
    });

    test('leaves the list of candidates as it was', () => {
      const choice = make();
      fc.assert(
        fc.property(candidates, (workers) => {
          const before = [...workers];
          choice.choose(anyTask, Object.freeze(workers));
          assert.deepEqual(workers, before);
        }),
        { numRuns: 50 },
      );
    });
  });
}
