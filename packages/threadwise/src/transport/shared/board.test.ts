import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from './board.js';
import { boardByteLength, CORES, PARKED, SEATS_TAKEN } from './layout.js';

test('all cores are in use once as many workers are awake, and never before the cores were counted', () => {
  const board = new Board(new SharedArrayBuffer(boardByteLength({ cells: 4, stream: 1024, mail: 4 })));
  Atomics.store(board.words, SEATS_TAKEN, 3);
  assert.equal(board.areCoresInUse, false);
  Atomics.store(board.words, CORES, 2);
  assert.equal(board.areCoresInUse, true);
  board.set(PARKED, 0);
  assert.equal(board.areCoresInUse, true);
  board.set(PARKED, 1);
  assert.equal(board.areCoresInUse, false);
});
