/** Every call on the calling thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inline } from './inline.js';
import { placementConformance } from './placement.case.js';

placementConformance('inline', () => inline);

test('inline: no thread is started', () => {
  assert.equal(inline.usesThreads, false);
});
