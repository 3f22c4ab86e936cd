/** Every task on the calling thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inline } from './inline.js';
import { placementConformance } from './placement.case.js';

placementConformance('inline', inline);

test('inline: no thread is started, and every task runs on the calling one', () => {
  assert.equal(inline.usesThreads, false);
  assert.equal(inline.place({ id: 1, name: 'x', priority: 0, key: 'k' }), 'inline');
});
