import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Board, RunTimes, Waker } from './board.js';
import { boardByteLength, CORES, DOZING, HEAD, PARKED, SEATS_TAKEN, SEATS_USED, TAIL } from './layout.js';

/** The board of a pool of `workers` workers, all of which are awake. */
function boardOf(workers: number): Board {
  const board = new Board(new SharedArrayBuffer(boardByteLength({ cells: 64, stream: 1024, mail: 4 })));
  Atomics.store(board.words, SEATS_USED, workers);
  Atomics.store(board.words, SEATS_TAKEN, workers);
  board.refresh();
  return board;
}

/** The run times that a thread has seen after `count` tasks, each of which ran for `ms` milliseconds. */
function timesOf(count: number, ms: number): RunTimes {
  const times = new RunTimes();
  for (let i = 0; i < count; i++) times.add(ms);
  return times;
}

test('all cores are in use once as many threads are awake, and never before the cores were counted', () => {
  const board = boardOf(3);
  assert.equal(board.areCoresInUse(1), false);
  Atomics.store(board.words, CORES, 2);
  assert.equal(board.areCoresInUse(0), true);
  board.set(PARKED, 0);
  assert.equal(board.areCoresInUse(0), true);
  board.set(PARKED, 1);
  assert.equal(board.areCoresInUse(0), false);
  assert.equal(board.areCoresInUse(1), true);
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

test('a long task now and then leaves tasks tiny; two in a row, or every other one, do not', () => {
  const times = timesOf(100, 0.001);
  for (let i = 0; i < 10; i++) {
    times.add(5);
    assert.equal(times.areTiny, true);
    for (let j = 0; j < 20; j++) times.add(0.001);
  }
  times.add(5);
  times.add(5);
  assert.deepEqual([times.areTiny, times.averageMs], [false, 5]);
  const mixed = timesOf(100, 0.001);
  for (let i = 0; i < 10; i++) for (const ms of [0.001, 5]) mixed.add(ms);
  assert.equal(mixed.areTiny, false);
});

describe('beside an awake worker, the one that dozes is woken', () => {
  /**
   * Whether the call of a task wakes it; and whether it is awake after main has gone to sleep behind that call. The awake worker has taken
   * `taken` of eight tasks. `spared`: of main's waker; without it, it is a worker that calls.
   */
  function wakes({
    cores,
    ms,
    taken,
    spared,
  }: {
    cores: number;
    ms: number;
    taken: number;
    spared?: number;
  }): [boolean, boolean] {
    const board = boardOf(2);
    const { words } = board;
    Atomics.store(words, CORES, cores);
    board.set(PARKED, 1);
    board.set(DOZING, 1);
    const waker = new Waker(board, timesOf(100, ms), () => 0, spared);
    Atomics.store(words, TAIL, 8);
    Atomics.store(words, HEAD, taken);
    waker.call();
    const byCall = board.count(PARKED) === 0;
    waker.callAtLast();
    return [byCall, board.count(PARKED) === 0];
  }

  test('for a few tiny tasks neither by the call nor when main sleeps', () => {
    assert.deepEqual(wakes({ cores: 2, ms: 0.004, taken: 1 }), [false, false]);
  });

  test('nor for short ones where the other one has the only core', () => {
    assert.deepEqual(wakes({ cores: 1, ms: 0.1, taken: 1 }), [false, false]);
  });

  test('for short ones only when main sleeps, where main that calls has the other core', () => {
    assert.deepEqual(wakes({ cores: 2, ms: 0.1, taken: 1, spared: 16 }), [false, true]);
    assert.deepEqual(wakes({ cores: 3, ms: 0.1, taken: 1, spared: 16 }), [true, true]);
    assert.deepEqual(wakes({ cores: 2, ms: 0.1, taken: 0, spared: 16 }), [true, true]);
    assert.deepEqual(wakes({ cores: 2, ms: 1, taken: 1, spared: 16 }), [true, true]);
  });

  test('for long ones, for short ones where there is a core, and where the other one does not get on, by the call', () => {
    assert.deepEqual(wakes({ cores: 1, ms: 1, taken: 1 }), [true, true]);
    assert.deepEqual(wakes({ cores: 2, ms: 0.1, taken: 1 }), [true, true]);
    assert.deepEqual(wakes({ cores: 1, ms: 0.1, taken: 0 }), [true, true]);
    assert.deepEqual(wakes({ cores: 2, ms: 0.004, taken: 0 }), [true, true]);
  });
});

describe('while all workers sleep, one of them is woken for tiny tasks', () => {
  /** After how many calls of a burst of 200; 201: behind the burst. */
  function wokenAfter(cores: number): number {
    const board = boardOf(2);
    const { words } = board;
    Atomics.store(words, CORES, cores);
    for (const seat of [0, 1]) board.set(PARKED, seat);
    board.set(DOZING, 0);
    const waker = new Waker(board, timesOf(100, 0.001), () => 0, 16);
    for (let call = 1; call <= 200; call++) {
      Atomics.store(words, TAIL, call);
      waker.call();
      if (board.count(PARKED) < 2) return call;
    }
    waker.callAfterBurst();
    return board.count(PARKED) < 2 ? 201 : Number.POSITIVE_INFINITY;
  }

  test('when 64 of them lie there, and main looks at every 17th call', () => {
    assert.equal(wokenAfter(2), 69);
  });

  test('behind the burst, where there is only one core: main needs that core for the rest of the burst', () => {
    assert.equal(wokenAfter(1), 201);
  });
});
