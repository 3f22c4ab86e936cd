/** What is read of a process: here how late its timers are. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { LoopDelay } from './gauges.js';

const HELD_MS = 20;

test('a call that holds up the event loop from the beginning to the end is seen', async () => {
  const delay = new LoopDelay();
  // The second time the histogram has been used before.
  for (const time of ['first', 'second']) {
    await delay.begin();
    for (const end = performance.now() + HELD_MS; performance.now() < end;);
    const ms = await delay.end();
    // The histogram keeps three digits.
    assert.ok(ms >= 0.99 * HELD_MS, `${ms} the ${time} time`);
  }
});
