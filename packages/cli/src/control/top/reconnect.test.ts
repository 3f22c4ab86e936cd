import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './reconnect.js';

test('each pause is twice as long as the one before, up to ten seconds', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5000].map(pauseAfter), [1000, 2000, 4000, 8000, 10_000, 10_000]);
});
