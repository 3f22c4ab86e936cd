/** Every task on a thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placementConformance } from './placement.case.js';
import { threads } from './threads.js';

placementConformance('threads', threads);

test('threads: no task runs on the calling thread', () => {
  assert.equal(threads.usesThreads, true);
  assert.equal(threads.place({ id: 1, name: 'x', priority: 0, key: undefined }), 'thread');
});
