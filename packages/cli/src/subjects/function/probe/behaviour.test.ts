/** What is known of each input after it was tried, here of one whose second call fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Child } from '../../../experiment/child.js';
import type { StepsOf } from '../../../experiment/serve.js';

const BUSY_MS = 20;
const MODULE = `
let calls = 0;
export const once = (input) => {
  if (calls++ > 0) throw new Error('only once');
  for (const end = performance.now() + ${BUSY_MS}; performance.now() < end; );
  return input;
};`;

test('the time of a call that failed is not the time of its input', async () => {
  const probe = new Child<StepsOf<typeof import('./behaviour.js').open>>(
    new URL('./behaviour.js', import.meta.url),
  );
  const module = `data:text/javascript,${encodeURIComponent(MODULE)}`;
  const subject = { module, export: undefined, passing: 'value' } as const;
  const outcome = await probe.ask('open', { subject, inputs: [1], shareMs: 60_000 }, 60_000);
  await probe.kill();
  assert.ok(outcome.kind === 'done', outcome.kind);
  const { inputMs, behaviour } = outcome.value;
  assert.equal(behaviour.failures.failed, 1);
  assert.ok(inputMs.length === 1 && inputMs[0]! >= BUSY_MS, `${inputMs}`);
});
