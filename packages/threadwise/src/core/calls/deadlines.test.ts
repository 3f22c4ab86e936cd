/** Lists of deadlines against the plainest model: a map of what is due when. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Deadlines } from './deadlines.js';
import { FakePlatform } from '../fake-platform.case.js';

const SLOTS = 8;

describe('Deadlines', () => {
  test('tell each slot once when its duration has passed, and none that was removed, in any order of events', () => {
    const step = fc.oneof(
      fc.record({
        what: fc.constant('add' as const),
        slot: fc.nat(SLOTS - 1),
        ms: fc.constantFrom(5, 20, 20, 70),
      }),
      fc.record({ what: fc.constant('remove' as const), slot: fc.nat(SLOTS - 1) }),
      fc.record({ what: fc.constant('pass' as const), ms: fc.nat(40) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const platform = new FakePlatform();
        const dueAt = new Map<number, number>();
        const deadlines = new Deadlines(SLOTS, platform, (slot) => {
          assert.equal(platform.now(), dueAt.get(slot), `slot ${slot} is due now, and has not been removed`);
          dueAt.delete(slot);
          deadlines.remove(slot);
          return true;
        });
        for (const each of steps) {
          if (each.what === 'pass') platform.advance(each.ms);
          else if (each.what === 'remove') {
            assert.equal(deadlines.remove(each.slot) === undefined, !dueAt.delete(each.slot));
          } else if (!dueAt.has(each.slot)) {
            dueAt.set(each.slot, platform.now() + each.ms);
            deadlines.add(each.slot, each.ms, platform.now());
          }
          for (const due of dueAt.values()) assert.ok(due > platform.now(), 'none was forgotten');
          assert.equal(deadlines.size, dueAt.size);
        }
        platform.advance(200);
        assert.equal(dueAt.size, 0);
        assert.equal(platform.timerCount, 0, 'no timer is left');
      }),
    );
  });

  test('ask again about a task that waits, each time its duration has passed', () => {
    const platform = new FakePlatform();
    const begin = platform.now();
    const asked: number[] = [];
    const deadlines = new Deadlines(SLOTS, platform, (slot) => {
      asked.push(platform.now() - begin);
      if (asked.length < 3) return false;
      deadlines.remove(slot);
      return true;
    });
    deadlines.add(1, 50, begin);
    platform.advance(1000);
    assert.deepEqual(asked, [50, 100, 150]);
  });

  test('one timer serves all calls of one duration', () => {
    const platform = new FakePlatform();
    const deadlines = new Deadlines(SLOTS, platform, () => false);
    for (let slot = 0; slot < SLOTS; slot++) deadlines.add(slot, 50, platform.now());
    assert.equal(platform.timerCount, 1);
    deadlines.close();
    assert.equal(platform.timerCount, 0);
  });
});
