/** The states of a worker: which follows which, and what a change of state takes along. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeSlot, makeTask } from '../fake-platform.case.js';
import { Allowance } from './allowance.js';
import { type SlotState, WorkerSlot } from './worker-slot.js';

const states: readonly SlotState[] = ['starting', 'ready', 'retiring', 'stopping', 'dead'];
/** A way to each state, from `starting`. */
const ways: Readonly<Record<SlotState, readonly SlotState[]>> = {
  starting: [],
  ready: ['ready'],
  retiring: ['ready', 'retiring'],
  stopping: ['ready', 'retiring', 'stopping'],
  dead: ['dead'],
};
const legal = new Set([
  'starting→ready',
  'starting→stopping',
  'starting→dead',
  'ready→retiring',
  'ready→dead',
  'retiring→stopping',
  'retiring→dead',
  'stopping→dead',
]);

function slotIn(state: SlotState): WorkerSlot {
  const slot = new WorkerSlot(7, { size: 0 } as WorkerSlot['lane'], 0);
  for (const step of ways[state]) slot.transition(step);
  return slot;
}

describe('WorkerSlot', () => {
  for (const from of states) {
    test(`goes from '${from}' only where it may, and throws and stays otherwise`, () => {
      for (const to of states) {
        const slot = slotIn(from);
        if (legal.has(`${from}→${to}`)) {
          slot.transition(to);
          assert.equal(slot.state, to);
        } else {
          assert.throws(
            () => slot.transition(to),
            new RegExp(`worker 7 cannot go from '${from}' to '${to}'`),
          );
          assert.equal(slot.state, from);
        }
      }
    });
  }

  test('serves tasks while it starts and while it is ready, and not after', () => {
    assert.deepEqual(
      states.filter((state) => slotIn(state).serves),
      ['starting', 'ready'],
    );
  });

  test('forgets the deadline of a state when it leaves it', () => {
    const slot = slotIn('starting');
    let cancelled = 0;
    slot.deadline = { cancel: () => cancelled++ };
    slot.transition('ready');
    slot.transition('retiring');
    assert.equal(cancelled, 1);
  });

  test('keeps the deadline when a change of state is refused', () => {
    const slot = slotIn('starting');
    slot.deadline = { cancel: () => assert.fail('cancelled') };
    assert.throws(() => slot.transition('retiring'));
  });

  test('carries what it is handed until it is released, and is idle from the last release on', () => {
    const { slot, link } = makeSlot(1, 5);
    const [first, second] = [makeTask().task, makeTask().task];
    slot.hand(first);
    slot.hand(second);
    assert.deepEqual(link.sent, [first, second]);
    assert.equal(first.state, 'handed');
    assert.equal(slot.load, 2);
    slot.release(first, 20);
    assert.equal(slot.load, 1);
    assert.equal(slot.idleSince, 5, 'not yet idle');
    slot.release(second, 30);
    assert.equal(slot.load, 0);
    assert.equal(slot.idleSince, 30);
  });

  test('gets back what was taken of its allowance with a task that is taken back, as long as it serves', () => {
    for (const state of ['starting', 'ready', 'retiring'] as const) {
      const slot = slotIn(state);
      const { link } = makeSlot(1);
      slot.link = link;
      slot.allowance = Allowance.of(2, (bytes) => new ArrayBuffer(bytes));
      const { task } = makeTask();
      slot.allowance.take();
      slot.hand(task);
      assert.equal(slot.withdraw(task, 0), true);
      assert.equal(slot.allowance.left, slot.serves ? 2 : 1, state);
    }
  });
});
