import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from 'bullmq';
import { type Machine, RunningJob } from './running-job.js';

test('a Redis that refuses the record of a failure does not stand for it', async () => {
  const job = { id: '1', name: 'task', data: 'no list', opts: {} } as unknown as Job;
  const machine = {
    redis: { eval: () => Promise.reject(new Error('OOM command not allowed')) },
    maxBytes: 1000,
    keyOf: (id: string) => id,
  } as unknown as Machine;
  // Data that is no list is not tried again: BullMQ tells that by the name.
  const expected = { name: 'UnrecoverableError', message: /is no list of arguments/ };
  await assert.rejects(new RunningJob(job, 'token', machine).run(), expected);
});
