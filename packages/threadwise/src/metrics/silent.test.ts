/** The recorder that does nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorderConformance, tellAll } from './recorder.case.js';
import { silentRecorder } from './silent.js';

recorderConformance('silentRecorder', () => silentRecorder);

test('silentRecorder: counts nothing, whatever happens', () => {
  tellAll(silentRecorder);
  const { outcomes, waitMs, runMs, ...counts } = silentRecorder.snapshot(0);
  for (const group of [outcomes, waitMs, runMs, counts]) {
    for (const value of Object.values(group)) assert.equal(value, 0);
  }
});
