/** The conformance suite of the placement seam. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import type { PlacedFunction, Placement } from '../../core/contracts.js';

/** What can happen to a function, in any order. */
const events = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('across'), ms: fc.double({ min: 0, max: 100, noNaN: true }) }),
    fc.record({ what: fc.constant('here'), ms: fc.double({ min: 0, max: 10, noNaN: true }) }),
    fc.record({ what: fc.constant('crossed'), ms: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ what: fc.constant('passed'), ms: fc.double({ min: 0, max: 100_000, noNaN: true }) }),
  ),
  { maxLength: 300 },
);

export function placementConformance(name: string, make: () => Placement): void {
  describe(`${name} keeps the promises of a placement`, () => {
    test('has a name', () => {
      assert.match(make().name, /^[\w-]+$/);
    });

    test('learns only where calls have a choice', () => {
      const { learner, usesThreads } = make();
      assert.ok(learner === undefined || usesThreads);
    });

    test('a function that is not allowed, or forbidden, never runs inline', () => {
      fc.assert(
        fc.property(events, fc.boolean(), (all, isForbidden) => {
          const learnt = make().learner?.of('f');
          if (learnt === undefined) return;
          if (isForbidden) {
            learnt.allow();
            learnt.forbid('a test');
            learnt.allow();
          }
          live(learnt, all, () => assert.fail('it ran inline'));
        }),
      );
    });

    test('whatever happens, the statistics are plain', () => {
      fc.assert(
        fc.property(events, (all) => {
          const { learner } = make();
          if (learner === undefined) return;
          const learnt = learner.of('f');
          learnt.allow();
          live(learnt, all, () => undefined);
          const { runMs = 0, ...stats } = learnt.view();
          assert.deepEqual(structuredClone(stats), stats);
          assert.ok(stats.why.length > 0);
          assert.ok(Number.isFinite(runMs) && runMs >= 0);
        }),
      );
    });
  });
}

/** Lets things happen to a function; before each, it is asked where its next call is to run. */
function live(
  learnt: PlacedFunction,
  all: readonly { what: string; ms: number }[],
  onInline: () => void,
): void {
  let now = 0;
  for (const { what, ms } of all) {
    if (what === 'passed') now += ms;
    if (what === 'crossed') learnt.crossed(ms);
    if (what === 'across' || what === 'here') {
      const isHere = learnt.takesInline(now);
      if (isHere) onInline();
      if (isHere) learnt.ranInline(what === 'here' ? ms : undefined, now);
      else learnt.ranAcross(ms, now);
    }
  }
}
