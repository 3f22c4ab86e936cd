/** What becomes of a measurement whose load generator dies before there is any load, with made-up processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Session } from '../../../experiment/session.js';
import type { ServerPlan } from './measure.js';
import { openLanes } from './open-lanes.js';

test('a load generator that ends before the first answer is told, and not taken for an app that was not measured', async () => {
  const requests = [{ method: 'GET', path: '/', headers: {}, body: undefined }];
  const plan: Partial<ServerPlan> = { budgetMs: 60_000, signal: new AbortController().signal, requests };
  const session = new Session(plan as ServerPlan & { threads: number; processes: number }, { progress() {} });
  const opened = { origin: 'http://127.0.0.1:1', form: 'listener' };
  const app = { ask: async () => ({ kind: 'done', value: opened }), ended: undefined };
  session.start = () => app as never;
  const load = { ask: async () => ({ kind: 'ended', exitCode: null, signal: 'SIGKILL' }) };
  await assert.rejects(openLanes(session, load as never), {
    name: 'UsageError',
    message: /^the load generator ended/,
  });
});
