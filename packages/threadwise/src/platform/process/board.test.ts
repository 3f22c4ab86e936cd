/** The claim board in a file: one step after the other, and with both sides at it at the same time. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { type BoardFile, boardsInOneFile, newFileBoard, ringsOf, workerBoard } from './board.js';

function board(t: TestContext, cells: number) {
  const { board: owner, memory } = newFileBoard(cells);
  t.after(() => owner.close!());
  return { owner, file: memory as BoardFile, reader: workerBoard(memory as BoardFile) };
}

test('board in a file: has room for as many tasks as cells, gives each its own ticket, and refuses one more', (t) => {
  const { owner } = board(t, 3);
  assert.equal(owner.room, 3);
  assert.equal(new Set([owner.post(), owner.post(), owner.post()]).size, 3);
  assert.equal(owner.room, 0);
  assert.throws(() => owner.post(), /no free cell/);
});

/** Has a function of `node:fs` replaced while `run` runs. */
function replaced<T>(t: TestContext, name: 'openSync' | 'writeSync', by: () => number, run: () => T): T {
  const { mock } = t.mock.method(fs, name, by);
  syncBuiltinESMExports();
  try {
    return run();
  } finally {
    mock.restore();
    syncBuiltinESMExports();
  }
}

test('board in a file: where the system refuses it, it throws, and the next one may be there again', (t) => {
  const newBoard = boardsInOneFile();
  const refuse = () => {
    throw new Error('no more');
  };
  for (const name of ['openSync', 'writeSync'] as const) {
    assert.throws(() => replaced(t, name, refuse, () => newBoard(1)), /no more/);
    const { board: next } = newBoard(1);
    const ticket = next.post();
    assert.equal(next.withdraw(ticket), true, 'its file is open');
    next.close!();
  }
});

test('board in a file: where no file in memory can be made or written, it is in another folder, and has no rings', (t) => {
  for (const name of ['openSync', 'writeSync'] as const) {
    const before = openFiles();
    let calls = 0;
    const original = fs[name] as (...args: unknown[]) => number;
    const refuseFirst = (...args: unknown[]) => {
      if (++calls === 1) throw new Error('EACCES, or ENOSPC');
      return original(...args);
    };
    const { board: owner, memory } = replaced(t, name, refuseFirst as () => number, () => newFileBoard(1));
    assert.deepEqual(ringsOf(memory as BoardFile), []);
    const ticket = owner.post();
    assert.equal(workerBoard(memory as BoardFile).claim(ticket, 5), true);
    assert.equal(owner.beganAt(ticket), 5);
    owner.close!();
    assert.equal(openFiles(), before);
  }
});

/** How many descriptors this process has; 0 where the system does not tell. */
function openFiles(): number {
  return fs.existsSync('/proc/self/fd') ? fs.readdirSync('/proc/self/fd').length : 0;
}

test('board in a file: a posted task is claimed once, and withdrawn no more', (t) => {
  const { owner, reader } = board(t, 1);
  const ticket = owner.post();
  assert.equal(owner.beganAt(ticket), undefined);
  assert.equal(reader.claim(ticket, 17), true);
  assert.equal(owner.beganAt(ticket), 17);
  assert.equal(owner.withdraw(ticket), false);
});

test('board in a file: a withdrawn task is not claimed; its cell is free when the worker has passed it', (t) => {
  const { owner, reader } = board(t, 1);
  const ticket = owner.post();
  assert.equal(owner.withdraw(ticket), true);
  assert.equal(owner.withdraw(ticket), false, 'only once');
  assert.equal(owner.room, 0);
  assert.equal(reader.claim(ticket, 1), false);
  assert.equal(owner.room, 1);
});

test('board in a file: an abort is seen as long as the task runs, and not by the next one in its cell', (t) => {
  const { owner, reader } = board(t, 1);
  const first = owner.post();
  owner.abort(first);
  assert.equal(reader.claim(first, 1), true, 'it has not begun: there is nothing to see');
  assert.equal(reader.isAborting(first), false);
  owner.abort(first);
  assert.equal(reader.isAborting(first), true);
  owner.release(first);
  const next = owner.post();
  assert.equal(reader.claim(next, 2), true);
  assert.equal(reader.isAborting(next), false);
});

test('board in a file: what was said of a posting does not hold for any later one in the same cell', (t) => {
  const { owner, reader } = board(t, 1);
  for (let i = 0; i < 1000; i++) {
    const ticket = owner.post();
    assert.equal(owner.beganAt(ticket), undefined, `posting ${i}`);
    const isWithdrawn = i % 3 === 0 && owner.withdraw(ticket);
    assert.equal(isWithdrawn, i % 3 === 0);
    assert.equal(reader.claim(ticket, i + 1), !isWithdrawn, `posting ${i}`);
    if (!isWithdrawn) owner.release(ticket);
  }
});

test('board in a file: a task whose message is never read leaves its cell free', (t) => {
  const { owner, reader } = board(t, 1);
  const ticket = owner.post();
  assert.equal(owner.withdraw(ticket), true);
  owner.pass(ticket);
  assert.equal(owner.room, 1);
  assert.equal(reader.claim(owner.post(), 1), true);
});

test('board in a file: once it is closed, nothing began and nothing can be withdrawn', (t) => {
  const { owner, reader } = board(t, 1);
  const ticket = owner.post();
  reader.claim(ticket, 1);
  owner.close!();
  owner.close!();
  assert.equal(owner.beganAt(ticket), undefined);
});

test('boards in one file: each is by itself, and begins anew where another one was', (t) => {
  const newBoard = boardsInOneFile();
  const open = () => {
    const { board: owner, memory } = newBoard(2);
    t.after(() => owner.close!());
    return { owner, file: memory as BoardFile, reader: workerBoard(memory as BoardFile) };
  };
  const boards = [open(), open(), open()];
  const tickets = boards.map(({ owner }) => owner.post());
  assert.equal(new Set(boards.map(({ file }) => file.fd)).size, 1);
  boards[1]!.reader.claim(tickets[1]!, 7);
  const beganAt = () => boards.map(({ owner }, i) => owner.beganAt(tickets[i]!));
  assert.deepEqual(beganAt(), [undefined, 7, undefined]);
  assert.equal(boards[2]!.owner.withdraw(tickets[2]!), true);
  assert.equal(boards[0]!.reader.claim(tickets[0]!, 8), true);
  assert.deepEqual(beganAt(), [8, 7, undefined]);
  boards[1]!.owner.close!();
  const next = open();
  assert.equal(next.file.at, boards[1]!.file.at);
  assert.equal(next.owner.post(), tickets[1]);
  assert.equal(next.owner.beganAt(tickets[1]!), undefined, 'what the former one claimed is forgotten');
  assert.deepEqual(beganAt(), [8, undefined, undefined]);
});

test('board in a file: nothing is posted once its worker is known to be gone; what was claimed can be read', (t) => {
  const { owner, file, reader } = board(t, 2);
  const ticket = owner.post();
  reader.claim(ticket, 5);
  file.isGone = true;
  assert.equal(owner.room, 0);
  assert.throws(() => owner.post(), /no free cell/);
  assert.equal(owner.beganAt(ticket), 5);
});

/** Claims the tickets in the order of their posting, and writes for each whether it may run. */
const CLAIMER = `
  const { workerData: { url, file, words } } = require('node:worker_threads');
  import(url).then(({ workerBoard }) => {
    const reader = workerBoard(file);
    for (let i = 0; i < words.length / 2; i++) {
      Atomics.wait(words, 2 * i, 0);
      Atomics.store(words, 2 * i + 1, reader.claim(words[2 * i] - 1, i + 1) ? 1 : 2);
      Atomics.notify(words, 2 * i + 1);
    }
  });`;

test('board in a file: with both sides at it, each task is either claimed or withdrawn', (t) => {
  const POSTINGS = 3000;
  const { owner, file } = board(t, 4);
  // Two words for each posting: its ticket plus one, and what the other thread did with it.
  const words = new Int32Array(new SharedArrayBuffer(POSTINGS * 8), 0, POSTINGS * 2);
  const url = new URL('./board.js', import.meta.url).href;
  const worker = new Worker(CLAIMER, { eval: true, execArgv: [], workerData: { url, file, words } });
  t.after(() => worker.terminate());
  let withdrawn = 0;
  for (let i = 0; i < POSTINGS; i++) {
    const ticket = owner.post();
    Atomics.store(words, 2 * i, ticket + 1);
    Atomics.notify(words, 2 * i);
    for (let spins = (i * 7919) % 200; spins > 0; spins--) Atomics.load(words, 0);
    const isWithdrawn = owner.withdraw(ticket);
    Atomics.wait(words, 2 * i + 1, 0);
    assert.equal(Atomics.load(words, 2 * i + 1), isWithdrawn ? 2 : 1, `posting ${i}`);
    if (isWithdrawn) withdrawn++;
    else owner.release(ticket);
  }
  t.diagnostic(`${withdrawn} of ${POSTINGS} were withdrawn`);
});
