/** The conformance suite of the scaling seam: a pure function from what is seen to how many there should be. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import type { LoadView, Scaling } from '../../core/contracts.js';
import { Simulation } from './simulation.case.js';

export function load(given: Partial<LoadView> = {}): LoadView {
  return {
    min: 1,
    max: 8,
    cores: 8,
    current: 1,
    starting: 0,
    idle: 0,
    queued: 0,
    tasksPerWorker: 1,
    longestIdleMs: 0,
    idleTimeoutMs: 1000,
    now: 0,
    measured: undefined,
    ...given,
  };
}

/** Every view that can occur, with counts that agree with each other. */
const loads: fc.Arbitrary<LoadView> = fc
  .record({
    min: fc.nat(64),
    spare: fc.integer({ min: 1, max: 64 }),
    cores: fc.integer({ min: 1, max: 64 }),
    ready: fc.nat(128),
    starting: fc.nat(16),
    idleShare: fc.double({ min: 0, max: 1, noNaN: true }),
    queued: fc.oneof(fc.nat(20), fc.nat(), fc.constant(0)),
    tasksPerWorker: fc.integer({ min: 1, max: 1024 }),
    longestIdleMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
    idleTimeoutMs: fc.oneof(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.constant(Number.POSITIVE_INFINITY),
    ),
  })
  .map(({ spare, ready, starting, idleShare, longestIdleMs, ...rest }) => {
    const idle = Math.floor(ready * idleShare);
    const current = ready + starting;
    return {
      ...rest,
      max: rest.min + spare,
      current,
      starting,
      idle,
      longestIdleMs: idle > 0 ? longestIdleMs : 0,
      now: 0,
      measured: undefined,
    };
  });

export function scalingConformance(name: string, scaling: Scaling): void {
  describe(`${name} keeps the promises of a scaling policy`, () => {
    test('has a name', () => {
      assert.match(scaling.name, /^[\w-]+$/);
    });

    const decide = (view: LoadView) => scaling.decide(view, scaling.initial);

    test('answers with a whole number that is not negative, whatever it sees, and says why', () => {
      fc.assert(
        fc.property(loads, (view) => {
          const { target, why, againMs } = decide(view);
          assert.ok(Number.isSafeInteger(target) && target >= 0, String(target));
          assert.match(why, /\S/);
          assert.ok(againMs === undefined || (againMs > 0 && Number.isFinite(againMs)), String(againMs));
        }),
      );
    });

    test('does not want more because more wait, once it has said so', () => {
      fc.assert(
        fc.property(loads, fc.integer({ min: 1, max: 1000 }), (view, more) => {
          const before = decide(view);
          if (!before.isSated || before.target > view.current) return;
          const after = scaling.decide({ ...view, queued: view.queued + more }, before.state);
          assert.ok(Math.min(view.max, after.target) <= view.current);
        }),
      );
    });

    test('wants one where tasks wait and none is there, whatever it was about when the others died', () => {
      const tasks = { cpuMs: 0.3, waitMs: 5, jitter: 0.5, outstanding: 64 };
      for (let diesAt = 50; diesAt <= 3000; diesAt += 50) {
        const simulation = new Simulation({ cores: 2, min: 0, max: 8 }, tasks, scaling);
        simulation.run(diesAt);
        simulation.killAll();
        simulation.run(1);
        assert.ok(simulation.size > 0, `they died after ${diesAt} ms`);
      }
    });

    test('answers the same to the same, and changes nothing', () => {
      fc.assert(
        fc.property(loads, (view) => {
          const before = { ...view };
          assert.deepEqual(decide(Object.freeze(view)), decide({ ...view }));
          assert.deepEqual(view, before);
        }),
      );
    });

    test('never asks for fewer because more tasks wait', () => {
      fc.assert(
        fc.property(loads, fc.integer({ min: 1, max: 1000 }), (view, more) => {
          const { target } = decide({ ...view, queued: view.queued + more });
          assert.ok(target >= decide(view).target);
        }),
      );
    });
  });
}
