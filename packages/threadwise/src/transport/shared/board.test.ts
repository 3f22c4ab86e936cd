import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Board, RunTimes, Waker } from './board.js';
import {
  ASLEEP,
  AWAKE,
  boardByteLength,
  CORES,
  DOZING,
  HEAD,
  MAIN_PARKED,
  PARKED,
  SEATS_TAKEN,
  SEATS_USED,
  TAIL,
} from './layout.js';

/** A board for so many workers, all of them awake; main is, too. */
function boardOf(workers: number): Board {
  const board = new Board(new SharedArrayBuffer(boardByteLength({ cells: 64, stream: 1024, mail: 4 })));
  Atomics.store(board.words, SEATS_USED, workers);
  Atomics.store(board.words, SEATS_TAKEN, workers);
  board.refresh();
  return board;
}

/** As one thread sees them after so many tasks that ran for so long. */
function timesOf(count: number, ms: number): RunTimes {
  const times = new RunTimes();
  for (let i = 0; i < count; i++) times.add(ms);
  return times;
}

test('all cores are in use once main and workers have them, one worker at least, and never before the cores were counted', () => {
  const board = boardOf(3);
  const { words } = board;
  assert.equal(board.areCoresInUse, false);
  Atomics.store(words, CORES, 3);
  assert.equal(board.areCoresInUse, true);
  board.set(PARKED, 0);
  assert.equal(board.areCoresInUse, true, 'main has the third one');
  Atomics.store(words, MAIN_PARKED, ASLEEP);
  assert.equal(board.areCoresInUse, false);
  Atomics.store(words, MAIN_PARKED, AWAKE);
  board.set(PARKED, 1);
  assert.equal(board.areCoresInUse, false);
  Atomics.store(words, CORES, 1);
  assert.equal(board.areCoresInUse, true);
  board.set(PARKED, 2);
  assert.equal(board.areCoresInUse, false, 'nobody would take a task');
});

test('a seat above another one: of the same word of a mask, and of the next', () => {
  const board = boardOf(40);
  board.set(DOZING, 31);
  assert.deepEqual([board.anyAbove(DOZING, 30), board.anyAbove(DOZING, 31)], [true, false]);
  board.set(DOZING, 32);
  assert.deepEqual([board.anyAbove(DOZING, 31), board.anyAbove(DOZING, 32)], [true, false]);
  board.clear(DOZING, 31);
  assert.deepEqual([board.anyAbove(DOZING, 0), board.anyAbove(DOZING, 39)], [true, false]);
});

test('one long task among tiny ones counts for nothing, two in a row count at once', () => {
  const times = timesOf(100, 0.001);
  times.add(5);
  assert.equal(times.areTiny, true);
  times.add(0.001);
  times.add(5);
  assert.equal(times.areTiny, true);
  times.add(5);
  assert.deepEqual([times.areTiny, times.averageMs], [false, 5]);
});

describe('of two workers with two cores, the one that dozes is woken', () => {
  /** Whether it is, by a call, and when main goes to sleep behind that; while the other one is awake and takes `taken` tasks of `out`. */
  function wakes({ ms, out, taken }: { ms: number; out: number; taken: number }): [boolean, boolean] {
    const board = boardOf(2);
    const { words } = board;
    Atomics.store(words, CORES, 2);
    board.set(PARKED, 1);
    board.set(DOZING, 1);
    const waker = new Waker(board, timesOf(100, ms), () => 0);
    Atomics.store(words, TAIL, out);
    Atomics.store(words, HEAD, taken);
    waker.call(2);
    const byCall = board.count(PARKED) === 0;
    Atomics.store(words, MAIN_PARKED, ASLEEP);
    waker.callAtLast();
    return [byCall, board.count(PARKED) === 0];
  }

  test('for short tasks not before main sleeps', () => {
    assert.deepEqual(wakes({ ms: 0.1, out: 8, taken: 1 }), [false, true]);
  });

  test('for a few tiny ones not even then', () => {
    assert.deepEqual(wakes({ ms: 0.004, out: 8, taken: 1 }), [false, false]);
  });

  test('for long ones, and where the other one does not get on, by the call', () => {
    assert.deepEqual(wakes({ ms: 1, out: 8, taken: 1 }), [true, true]);
    assert.deepEqual(wakes({ ms: 0.1, out: 8, taken: 0 }), [true, true]);
    assert.deepEqual(wakes({ ms: 0.004, out: 8, taken: 0 }), [true, true]);
  });
});
