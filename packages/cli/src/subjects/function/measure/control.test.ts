import assert from 'node:assert/strict';
import { test } from 'node:test';
import { control, type Inline } from './behaviour-step.js';
import { FunctionSession } from './session.js';

test('a control run that is interrupted leaves what an earlier one has found', async () => {
  const controller = new AbortController();
  const plan = {
    module: 'file:///m.js',
    moduleGiven: 'm.js',
    export: undefined,
    inputs: [1],
    inputCount: 1,
    inputsHow: 'all',
    budgetMs: 60_000,
    signal: controller.signal,
  };
  const session = new FunctionSession(plan, { progress() {} });
  const lane = { step: async () => (session.isAborted ? undefined : { rate: 7 }) };
  const inline = { lane, warm: { callMs: 1 } } as unknown as Inline;
  await control(session, 'after', inline);
  assert.deepEqual(session.draft.control.after, [7, 7, 7, 7, 7]);
  controller.abort();
  await control(session, 'after', inline);
  assert.deepEqual(session.draft.control.after, [7, 7, 7, 7, 7]);
});
