/** The board of tickets: who may begin what, whatever old or doubled tickets are about. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plainRun } from '../../core/fake-platform.case.js';
import { Task } from '../../core/task.js';
import { boardByteLength, TicketOwner, TicketReader } from './ticket-board.js';

function board(cells = 2) {
  const memory = new SharedArrayBuffer(boardByteLength(cells));
  let lastId = 0;
  const task = () => {
    const payload = { args: [], transfer: [], onSettled: undefined };
    return new Task(++lastId, 'work', payload, plainRun, 0, () => undefined);
  };
  return { owner: new TicketOwner(memory), reader: new TicketReader(memory), task };
}

describe('board of tickets', () => {
  test('a task that is begun says by whom and since when, until it is released', () => {
    const { owner, reader, task } = board();
    const one = task();
    const ticket = owner.post(one);
    assert.equal(owner.holder(one), -1);
    assert.deepEqual(owner.posted(), [one]);
    const cell = reader.begin(ticket, 7, 123.5);
    assert.equal(cell, one.cell);
    assert.equal(owner.holder(one), 7);
    assert.equal(owner.began(one), 123.5);
    assert.deepEqual(owner.heldBy(7), [one]);
    assert.deepEqual(owner.heldBy(8), []);
    assert.deepEqual(owner.posted(), []);
    owner.release(one);
    assert.equal(owner.size, 0);
    assert.equal(owner.has(one), false);
    assert.equal(one.cell, -1);
  });

  test('of all that hold a ticket one begins, and the others change nothing', () => {
    const { owner, reader, task } = board();
    const one = task();
    const ticket = owner.post(one);
    assert.ok(reader.begin(ticket, 1, 10) >= 0);
    assert.equal(reader.begin(ticket, 2, 20), -1);
    assert.equal(owner.holder(one), 1);
    assert.equal(owner.began(one), 10);
  });

  test('a task is either withdrawn or begun', () => {
    const { owner, reader, task } = board();
    const [one, two] = [task(), task()];
    const first = owner.post(one);
    assert.equal(owner.withdraw(one), first);
    assert.equal(reader.begin(first, 1, 10), -1);
    const second = owner.post(two);
    assert.ok(reader.begin(second, 1, 10) >= 0);
    assert.equal(owner.withdraw(two), undefined);
  });

  test('an old ticket begins nothing of what has its cell now', () => {
    const { owner, reader, task } = board(1);
    const one = task();
    const old = owner.post(one);
    owner.withdraw(one);
    const two = task();
    const current = owner.post(two);
    assert.notEqual(current, old);
    assert.equal(reader.isPosted(old), false);
    assert.equal(reader.begin(old, 1, 10), -1);
    assert.equal(owner.taskOf(old), undefined);
    assert.equal(owner.taskOf(current), two);
    assert.ok(reader.begin(current, 1, 10) >= 0);
    owner.release(two);
    const three = task();
    owner.post(three);
    assert.equal(reader.begin(current, 1, 10), -1, 'neither after it has run');
  });

  test('a stamp that comes round fits into the word', () => {
    const { owner, reader, task } = board(1);
    // Ten thousand postings stand for the 2^28 that there may be: each is another ticket.
    const seen = new Set<number>();
    for (let i = 0; i < 10_000; i++) {
      const one = task();
      const ticket = owner.post(one);
      assert.ok(!seen.has(ticket));
      seen.add(ticket);
      assert.ok(reader.isPosted(ticket));
      owner.withdraw(one);
    }
  });

  test('an abort is seen by who runs the task, and does not hide who that is', () => {
    const { owner, reader, task } = board();
    const [one, two] = [task(), task()];
    const cell = reader.begin(owner.post(one), 2 ** 28 - 1, 10);
    owner.abort(one);
    assert.ok(reader.isAborting(cell));
    assert.equal(owner.holder(one), 2 ** 28 - 1);
    const ticket = owner.post(two);
    owner.abort(two);
    assert.ok(reader.isPosted(ticket), 'what has not begun is not touched');
  });

  test('no cell is given out twice, and none is lost', () => {
    const { owner, reader, task } = board(3);
    for (let round = 0; round < 50; round++) {
      const tasks = [task(), task(), task()];
      const tickets = tasks.map((each) => owner.post(each));
      assert.equal(owner.hasFree, false);
      assert.equal(new Set(tasks.map(({ cell }) => cell)).size, 3);
      reader.begin(tickets[round % 3]!, 1, 1);
      for (const each of tasks) if (owner.withdraw(each) === undefined) owner.release(each);
      assert.equal(owner.size, 0);
    }
    assert.throws(() => {
      for (let i = 0; i < 4; i++) owner.post(task());
    }, /no free cell/);
  });
});
