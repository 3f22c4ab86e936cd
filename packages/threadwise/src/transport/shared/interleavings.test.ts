/** The shared transport's protocol, with steps of main and workers in many orders, and with deaths in the middle. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exploreAll } from './world.case.js';

describe('shared: every way', () => {
  test('one offer', () => {
    const { runs, endings } = exploreAll({ plan: ['offer a'] }, 1);
    assert.ok(runs > 10 && endings.size > 0);
  });
});
