/** Every call to a thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placementConformance } from './placement.case.js';
import { threads } from './threads.js';

placementConformance('threads', () => threads);

test('threads: threads are started', () => {
  assert.equal(threads.usesThreads, true);
});
