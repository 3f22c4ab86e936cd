/** The worker's end of its two lines: what it tells a coordinator, and what it does with old ones' tasks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Allowance } from '../../core/allowance.js';
import type { Port } from '../../core/contracts.js';
import { plainRun } from '../../core/fake-platform.case.js';
import { Task } from '../../core/task.js';
import { boardByteLength as letterBoardByteLength } from '../message/claim-board.js';
import { NotedPort } from '../noted-port.case.js';
import { forestall } from '../stage.js';
import { TO_MAIN } from '../words.js';
import { CoordinatedInlet } from './inlet.js';
import { boardByteLength, RUNNING_HERE, SEAT_BYTES, STAGE, TicketOwner } from './ticket-board.js';
import { FROM_SEAT, LINE, TO_SEAT, type WordToSeat } from './words.js';

const THREAD_ID = 77;

const allowanceOf = (tasks: number) => Allowance.of(tasks, (byteLength) => new SharedArrayBuffer(byteLength));

function ready() {
  const memory = new SharedArrayBuffer(boardByteLength(8));
  const owner = new TicketOwner(memory);
  const main = new NotedPort();
  const own = new SharedArrayBuffer(SEAT_BYTES);
  const letters = new SharedArrayBuffer(letterBoardByteLength(4));
  const seat = { seat: 3, letters, board: memory, own, measures: false };
  const inlet = new CoordinatedInlet(main, seat, {
    now: () => 1,
    timer: () => undefined,
    threadId: () => THREAD_ID,
    port: (far) => far as Port,
  });
  let retired = 0;
  const nothing = () => undefined;
  inlet.listen({
    tasks: nothing,
    abort: nothing,
    hostReply: nothing,
    retire: () => retired++,
    stop: nothing,
    unread: nothing,
  });
  const join = () => {
    const line = new NotedPort();
    main.say([LINE, line]);
    return line;
  };
  let lastId = 0;
  const give = (line: NotedPort, isMoved = false) => {
    const payload = { args: [], transfer: [], onSettled: undefined };
    const task = new Task(++lastId, 'work', payload, plainRun, 0, () => undefined);
    const ticket = owner.post(task);
    const word: WordToSeat = [TO_SEAT.task, ticket, task.id, 'work', isMoved, []];
    line.say(word);
    return { task, ticket };
  };
  return { inlet, owner, main, own: new Int32Array(own), join, give, retired: () => retired };
}

describe('inlet of a coordinated worker', () => {
  test('says hello when it is ready and has a line, whichever comes last', () => {
    const early = ready();
    const line = early.join();
    assert.deepEqual(line.news(), []);
    early.inlet.say([TO_MAIN.ready, [], { functions: [], others: [] }]);
    assert.deepEqual(line.news(), [[FROM_SEAT.hello, THREAD_ID]]);
    const late = ready();
    late.inlet.say([TO_MAIN.ready, [], { functions: [], others: [] }]);
    assert.deepEqual(late.join().news()[0], [FROM_SEAT.hello, THREAD_ID]);
  });

  test('says no hello where main did not wait for it to be ready', () => {
    const { inlet, own, join } = ready();
    const line = join();
    assert.ok(forestall(own, STAGE));
    inlet.say([TO_MAIN.ready, [], { functions: [], others: [] }]);
    assert.deepEqual(line.news(), []);
    const { inlet: other, own: words } = ready();
    other.say([TO_MAIN.ready, [], { functions: [], others: [] }]);
    assert.equal(forestall(words, STAGE), false);
  });

  test('answers each ticket: with its end, or that it was begun or taken back before', () => {
    const { inlet, owner, join, give, own } = ready();
    const line = join();
    const [one, two] = [give(line), give(line)];
    owner.withdraw(two.task);
    const begun = inlet.take(5)!;
    assert.equal(begun.id, one.task.id);
    assert.equal(own[RUNNING_HERE], 1);
    inlet.done(begun.cell, begun.id, 'x', undefined, 2);
    assert.equal(own[RUNNING_HERE], 0);
    assert.equal(inlet.take(6), undefined);
    assert.deepEqual(line.news(), [
      [FROM_SEAT.ended, one.ticket, 'work', 2, 0],
      [FROM_SEAT.passed, two.ticket],
    ]);
  });

  test('counts for a new coordinator as busy with what an old one gave it', () => {
    const { inlet, join, give, own } = ready();
    inlet.say([TO_MAIN.ready, [], { functions: [], others: [] }]);
    const old = join();
    give(old);
    const begun = inlet.take(5)!;
    const next = join();
    assert.ok(old.isClosed);
    assert.deepEqual(next.news(), [
      [FROM_SEAT.hello, THREAD_ID],
      [FROM_SEAT.letters, 1],
    ]);
    inlet.done(begun.cell, begun.id, 'x', undefined, 2);
    assert.deepEqual(next.news(), [[FROM_SEAT.letters, 0]]);
    assert.equal(own[RUNNING_HERE], 0);
  });

  test('that is about to leave runs what was moved to it, and passes over the rest', () => {
    const { inlet, owner, join, give, retired } = ready();
    const line = join();
    const [kept, moved] = [give(line), give(line, true)];
    line.say([TO_SEAT.retire]);
    assert.equal(retired(), 1);
    assert.equal(inlet.retire(), false, 'something is left that nobody else can run');
    assert.equal(inlet.take(5)!.id, moved.task.id);
    assert.equal(inlet.take(5), undefined);
    assert.equal(inlet.retire(), true);
    assert.equal(owner.holder(kept.task), -1);
  });

  test('that has run enough says so, once, and takes no more', () => {
    const { inlet, join, give } = ready();
    inlet.limit(allowanceOf(2));
    const line = join();
    for (let i = 0; i < 3; i++) give(line);
    assert.ok(inlet.take(5) && inlet.take(5));
    assert.deepEqual(line.news(), [[FROM_SEAT.enough]]);
    assert.equal(inlet.take(5), undefined);
  });

  test('leaves what it was given as long as a letter is on its way that has the last of its allowance', () => {
    const { inlet, join, give } = ready();
    const allowance = allowanceOf(1);
    inlet.limit(allowance);
    const line = join();
    assert.equal(allowance.take(), 1);
    const given = give(line);
    assert.equal(inlet.take(5), undefined);
    allowance.give(); // the letter was withdrawn
    assert.equal(inlet.take(5)!.id, given.task.id);
  });

  test('gives back what it took for a task that somebody else has begun', () => {
    const { inlet, owner, join, give } = ready();
    const allowance = allowanceOf(1);
    inlet.limit(allowance);
    const line = join();
    const [gone, kept] = [give(line), give(line)];
    owner.withdraw(gone.task);
    assert.equal(inlet.take(5)!.id, kept.task.id);
    assert.equal(allowance.left, 0);
  });
});
