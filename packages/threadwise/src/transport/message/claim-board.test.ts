/** The claim board, in every order in which the steps of main and worker can fall. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boardByteLength, ClaimBoard } from './claim-board.js';
import { explore, type Plan } from './interleavings.case.js';

function board(cells: number): { owner: ClaimBoard; reader: ClaimBoard } {
  const memory = new SharedArrayBuffer(boardByteLength(cells));
  return { owner: new ClaimBoard(memory), reader: new ClaimBoard(memory) };
}

describe('claim board: one step after the other', () => {
  test('has room for as many tasks as cells, gives each its own, and refuses one more', () => {
    const { owner } = board(3);
    assert.equal(owner.room, 3);
    assert.equal(new Set([owner.post(), owner.post(), owner.post()]).size, 3);
    assert.equal(owner.room, 0);
    assert.throws(() => owner.post(), /no free cell/);
  });

  test('a posted task is claimed once, and withdrawn no more', () => {
    const { owner, reader } = board(1);
    const cell = owner.post();
    assert.equal(owner.beganAt(cell), undefined);
    assert.equal(reader.claim(cell, 17), true);
    assert.equal(owner.beganAt(cell), 17);
    assert.equal(owner.withdraw(cell), false);
  });

  test('a withdrawn task is not claimed, and its cell is free when the worker has passed it, not before', () => {
    const { owner, reader } = board(1);
    const cell = owner.post();
    assert.equal(owner.withdraw(cell), true);
    assert.equal(owner.withdraw(cell), false, 'only once');
    assert.equal(owner.room, 0);
    assert.equal(reader.claim(cell, 1), false);
    assert.equal(owner.room, 1);
    assert.equal(owner.beganAt(cell), undefined);
  });

  test('an abort shows while the task runs, and not in the task that has the cell next', () => {
    const { owner, reader } = board(1);
    const cell = owner.post();
    owner.abort(cell);
    assert.equal(reader.isAborting(cell), false, 'it has not begun');
    reader.claim(cell, 5);
    owner.abort(cell);
    assert.equal(reader.isAborting(cell), true);
    assert.equal(owner.beganAt(cell), 5, 'it still runs');
    owner.release(cell);
    assert.equal(owner.post(), cell);
    assert.equal(reader.isAborting(cell), false);
    assert.equal(owner.beganAt(cell), undefined);
  });

  test('the same steps hold on an ordinary buffer, where nothing is shared', () => {
    const memory = new ArrayBuffer(boardByteLength(2));
    const [owner, reader] = [new ClaimBoard(memory), new ClaimBoard(memory)];
    const cell = owner.post();
    assert.equal(reader.claim(cell, 3), true);
    assert.equal(owner.beganAt(cell), 3);
  });
});

/** What main does, in this order; withdraw and abort only while it has not heard that the task has ended. */
const plans: readonly { readonly capacity: number; readonly plan: Plan }[] = [
  { capacity: 1, plan: ['post a', 'withdraw a', 'post b', 'abort b', 'post c'] },
  { capacity: 1, plan: ['post a', 'abort a', 'withdraw a', 'post b', 'withdraw b'] },
  { capacity: 1, plan: ['post a', 'withdraw a', 'post b', 'withdraw b', 'post c', 'withdraw c'] },
  { capacity: 2, plan: ['post a', 'post b', 'withdraw a', 'withdraw b', 'post c'] },
  { capacity: 2, plan: ['post a', 'post b', 'withdraw b', 'abort a', 'post c'] },
  { capacity: 2, plan: ['post a', 'withdraw a', 'post b', 'post c', 'abort b'] },
];

describe('claim board: every interleaving of main and worker, between all accesses to shared words', () => {
  for (const { capacity, plan } of plans) {
    test(`${capacity} cell${capacity > 1 ? 's' : ''}: ${plan.join(', ')}`, () => {
      const { runs, endings } = explore(capacity, plan);
      assert.ok(runs > 50, `only ${runs} orders were tried`);
      assert.ok(endings.size > 1, 'the order made a difference: some tasks ran in one and not in another');
    });
  }
});
