/** A call that fails now and then is one of the function's calls, and no fault of the measurement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asyncCalls, type Calls, syncCalls } from './calls.js';

const failing = (input: unknown): never => {
  throw new Error(`refused ${input}`);
};

for (const [kind, calls] of Object.entries({
  sync: syncCalls(failing, [1, 2], false),
  async: asyncCalls(async (input) => failing(input), [1, 2], false),
}) as [string, Calls][]) {
  test(`${kind} calls that fail are timed`, async () => {
    assert.ok((await calls.warm(1)) >= 0);
    assert.ok((await calls.run(1)).rate > 0);
    assert.ok((await calls.only(1)) >= 0);
  });
}

for (const [kind, callsOf] of Object.entries({ sync: syncCalls, async: asyncCalls })) {
  test(`${kind} calls that change their argument each get one that is as it was`, async () => {
    const lengths = new Set<number>();
    const draining = (list: unknown[]) => {
      lengths.add(list.splice(0).length);
    };
    const run = kind === 'async' ? async (list: unknown[]) => draining(list) : draining;
    const calls = callsOf(run as (...args: unknown[]) => unknown, [[1, 2, 3]], true);
    await calls.warm(1);
    assert.ok((await calls.run(1)).rate > 0);
    await calls.only(0);
    assert.deepEqual([...lengths], [3]);
  });
}
