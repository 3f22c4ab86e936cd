/** The shared transport's protocol, with steps of main and workers in many orders, and with deaths in the middle. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exploreAll, exploreSome } from './world.case.js';

describe('shared: every way', () => {
  test('one offer', () => {
    const { runs, endings } = exploreAll({ plan: ['offer a'] }, 1);
    console.log(runs, endings);
    assert.ok(runs > 10);
  });
});
describe('shared: some ways', () => {
  test('some', () => {
    const { runs, endings } = exploreSome(1000, 1, 0.1, () => ({
      plan: ['offer a', 'mail b text 0', 'offer c'],
    }));
    console.log(runs, endings);
  });
});
