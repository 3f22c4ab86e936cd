import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from 'bullmq';
import { ThreadwiseError } from 'threadwise';
import { type Machine, runningJob } from './running-job.js';

/** Runs a job on a machine whose Redis refuses every record of a failure. */
function run(fields: object, worker: object = {}, pool: object = {}): Promise<unknown> {
  const job = { id: '1', name: 'task', data: 'no list', opts: {}, ...fields } as unknown as Job;
  const machine = {
    pool,
    redis: { eval: () => Promise.reject(new Error('OOM command not allowed')) },
    worker: { toKey: (id: string) => id },
    options: { maxBytes: 1000, worker },
  } as unknown as Machine;
  return runningJob(job, 'token', machine).run();
}

// The name tells BullMQ not to try again.
const final = (message: RegExp) => ({ name: 'UnrecoverableError', message });
const noList = final(/is no list of arguments/);

test('a Redis that refuses the record of a failure does not stand for it', async () => {
  await assert.rejects(run({}), noList);
});

test('a backoff of a type that nobody knows here fails its job before the task has run', async () => {
  const opts = { attempts: 2, backoff: { type: 'unheard' } };
  await assert.rejects(run({ opts }), final(/'backoff.type': expected fixed or exponential/));
  await assert.rejects(run({ opts: { ...opts, attempts: 1 } }), noList);
  await assert.rejects(run({ opts }, { settings: { backoffStrategy: () => 0 } }), noList);
});

test('a pool that has got a limit for its queue gives back what it refuses; the pool of a task fails it', async () => {
  const full = new ThreadwiseError('ERR_QUEUE_FULL', 'no task may wait');
  const poolOf = (limit: number | null) => ({
    run: () => Promise.reject(full),
    stats: () => ({ state: 'open', queue: { limit } }),
  });
  let given = 0;
  const job = { data: [], moveToWait: async () => given++ };
  await assert.rejects(run(job, {}, poolOf(0)), { name: 'WaitingError' });
  assert.equal(given, 1);
  await assert.rejects(run(job, {}, poolOf(null)), { message: full.message });
  assert.equal(given, 1);
});
