/** The conformance suite of the placement seam. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Placement } from '../../core/contracts.js';

export function placementConformance(name: string, placement: Placement): void {
  describe(`${name} keeps the promises of a placement`, () => {
    const tasks = fc.record({ id: fc.nat(), name: fc.string(), priority: fc.integer(), key: fc.anything() });

    test('has a name', () => {
      assert.match(placement.name, /^[\w-]+$/);
    });

    test('places every task on a thread or inline, and none on a thread that will not be started', () => {
      fc.assert(
        fc.property(tasks, (task) => {
          const place = placement.place(task);
          assert.ok(place === 'inline' || (place === 'thread' && placement.usesThreads), place);
        }),
      );
    });
  });
}
