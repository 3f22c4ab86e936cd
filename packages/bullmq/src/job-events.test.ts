import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { BackendFactory, RedisQueueBackend } from 'bullmq';
import { JobEvents } from './job-events.js';

test('a Redis that refuses, as one that becomes a replica does, is listened to again after half a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const readings = [
    () => Promise.reject(new Error('UNBLOCKED instance state changed (master -> replica?)')),
    () => Promise.resolve([['events', [['1-0', ['event', 'completed', 'jobId', 'a']]]]]),
    () => new Promise(() => undefined),
  ];
  const backend = {
    clientName: () => '',
    setName: () => Promise.resolve(),
    readEvents: () => readings.shift()!(),
    on: () => undefined,
  };
  const factory = (() => backend) as unknown as BackendFactory<RedisQueueBackend>;
  const events = new JobEvents('work', { connection: {} }, factory);
  let heard: unknown;
  events.on('completed', ({ jobId }) => (heard = jobId));
  const refused = new Promise<Error>((resolve) => events.once('error', resolve));
  assert.match((await refused).message, /^UNBLOCKED/);
  await turn();
  t.mock.timers.tick(500);
  await turn();
  assert.equal(heard, 'a');
});
