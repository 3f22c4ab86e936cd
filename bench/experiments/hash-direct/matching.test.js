import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesOf } from './matching.js';

test('words with a digit behind them are counted, wherever they are', () => {
  for (const [text, count] of [
    ['', 0],
    ['abcd1', 1],
    ['abc1 abcd abcdeF7abcd8-x', 2],
    ['\xe4bcd1', 0],
  ])
    assert.equal(matchesOf(Buffer.from(text, 'latin1')), count, text);
});
