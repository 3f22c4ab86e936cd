import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateOf } from './steady-load.js';

/** A pool whose calls settle one turn of the event loop later, and which counts how many are open. */
function fakePool() {
  const seen = { open: 0, most: 0, calls: [] };
  const call = async (...given) => {
    seen.calls.push(given);
    seen.most = Math.max(seen.most, ++seen.open);
    await new Promise(setImmediate);
    seen.open--;
  };
  return { seen, call };
}

const load = { task: 'work', argument: 7 };

test('keeps as many calls open as asked for, and leaves none behind', async () => {
  const { seen, call } = fakePool();
  const rate = await rateOf({ call }, load, { outstanding: 20, followMs: 5, measureMs: 20 });
  assert.equal(seen.most, 20);
  assert.equal(seen.open, 0);
  assert.ok(seen.calls.length > 20, 'a call that settled is followed by another one');
  assert.deepEqual(seen.calls[0], ['work', 7]);
  assert.ok(rate > 0);
});

test('a call that fails fails the whole', async () => {
  const call = () => Promise.reject(new Error('out of order'));
  await assert.rejects(rateOf({ call }, load, { outstanding: 2, followMs: 1, measureMs: 1 }), /out of order/);
});
