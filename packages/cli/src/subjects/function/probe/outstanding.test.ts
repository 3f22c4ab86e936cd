/** Every call counts: in full if it ends in time, else for the part of its time before the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepOutstanding } from './calls.js';

test('a call that takes longer than there is time for counts for a part, never for nothing', async () => {
  const load = { outstanding: 3, ms: 50, turnsLoop: false };
  const { calls, parts } = await keepOutstanding({ ...load, call: () => sleep(200) });
  assert.equal(calls, 3);
  assert.ok(parts > 0 && parts < 1, `${parts}`);
});

test('calls that end in time count for one each, but for the last of each lane', async () => {
  const load = { outstanding: 2, ms: 5, turnsLoop: false };
  const { calls, parts } = await keepOutstanding({ ...load, call: async () => {} });
  assert.ok(parts > calls - load.outstanding - 1e-6 && parts <= calls, `${parts} of ${calls}`);
});

test('those that fail count, and the first says why', async () => {
  const call = async () => {
    throw new RangeError('no');
  };
  const { calls, failed, firstFailure } = await keepOutstanding({
    outstanding: 1,
    ms: 1,
    turnsLoop: false,
    call,
  });
  assert.equal(failed, calls);
  assert.equal(firstFailure, 'RangeError: no');
});
