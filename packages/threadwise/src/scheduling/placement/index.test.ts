/** The placements by their names: which of them start threads, and which learn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLACEMENTS } from './index.js';
import { placementConformance } from './placement.case.js';

for (const [name, make] of Object.entries(PLACEMENTS)) {
  placementConformance(name, make);

  test(`${name}: threads are started unless every call is inline`, () => {
    assert.equal(make().name, name);
    assert.equal(make().usesThreads, name !== 'inline');
  });
}
