import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { encodeError } from 'threadwise/internal';
import { OpenCalls } from './open-calls.js';

const OPTIONS = { signal: undefined, onProgress: undefined, onAbort: () => undefined };

/** Open calls of a queue with these jobs. */
function callsOf(jobs: ReadonlyMap<string, unknown>, unheard: readonly unknown[] = []): OpenCalls {
  const queue = { getJob: (id: string) => Promise.resolve(jobs.get(id)), toKey: (id: string) => id };
  const redis = { xrange: () => Promise.resolve(unheard) };
  return new OpenCalls(queue as unknown as Queue, redis as unknown as Redis);
}

const callsOfNothing = () => callsOf(new Map());

test('the removal of an earlier job with the same id ends no call', async () => {
  const jobs = new Map([['a', {}]]);
  const calls = callsOf(jobs);
  const events = new EventEmitter();
  calls.follow(events as QueueEvents, '0');
  const call = calls.open('a', 'task', OPTIONS);
  for (const state of ['adding', 'added'] as const) {
    call.state = state;
    events.emit('removed', { jobId: 'a' });
    await new Promise(setImmediate);
    assert.equal(calls.size, 1);
  }
  jobs.clear();
  events.emit('removed', { jobId: 'a' });
  await assert.rejects(call.promise, { code: 'ERR_FLEET_JOB_LOST' });
});

test('a job that is not there is lost, but for one that is still on its way to Redis', async () => {
  const calls = callsOfNothing();
  const call = calls.open('a', 'task', OPTIONS);
  await calls.lookAtOldest();
  assert.equal(calls.size, 1);
  call.state = 'added';
  await calls.lookAtOldest();
  await assert.rejects(call.promise, { code: 'ERR_FLEET_JOB_LOST', jobId: 'a' });
  assert.equal(calls.size, 0);
});

test('a job that another one has replaced is not lost, also where the event of that was missed', async () => {
  const replacement = ['event', 'deduplicated', 'jobId', 'b', 'deduplicatedJobId', 'a'];
  const end = ['event', 'completed', 'jobId', 'b', 'returnvalue', '7'];
  for (const events of [[replacement], [replacement, end]]) {
    const calls = callsOf(
      new Map(),
      events.map((fields) => ['1-0', fields]),
    );
    const call = calls.open('a', 'task', OPTIONS);
    call.state = 'added';
    await calls.look(['a']);
    if (events.length === 1) calls.completed('b', 7);
    assert.equal(await call.promise, 7);
  }
});

test('a failure that cannot be read here settles the call all the same', async () => {
  const errors = ['{"$threadwise":"v9","base64":""}', '{"type":"error"}', '7', 'null'];
  const stored = errors.map((error) => `{"reason":"why","error":${error}}`);
  for (const text of [...errors, ...stored, 'no JSON']) {
    const redis = { hget: () => Promise.resolve(text) } as unknown as Redis;
    const calls = new OpenCalls({ toKey: (id: string) => id } as unknown as Queue, redis);
    const { promise: result } = calls.open('a', 'task', OPTIONS);
    await calls.failed('a', 'why');
    await assert.rejects(result, { code: 'ERR_FLEET_DATA', jobId: 'a' }, text);
  }
});

test('an onProgress that throws or rejects is reported once, and others hear all the same', async () => {
  const warnings: string[] = [];
  const listen = ({ message }: Error) => warnings.push(message);
  process.on('warning', listen);
  const calls = callsOfNothing();
  const heard: unknown[] = [];
  const failing = () => {
    throw new Error('thrown');
  };
  const rejecting = () => Promise.reject(new Error('rejected'));
  for (const onProgress of [failing, rejecting, (value: unknown) => void heard.push(value)])
    calls.open('a', 'task', { ...OPTIONS, onProgress });
  calls.progress('a', 1);
  calls.progress('a', 2);
  // Warnings are emitted after the microtasks of this turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  assert.deepEqual(heard, [1, 2]);
  assert.deepEqual(warnings.sort(), ['rejected', 'thrown']);
});

test('calls that wait for the same job get the same result, each once', async () => {
  const calls = callsOfNothing();
  const [one, two] = [calls.open('a', 'task', OPTIONS), calls.open('b', 'task', OPTIONS)];
  calls.move(two, 'a');
  assert.equal(calls.size, 2);
  calls.completed('a', [1]);
  calls.completed('a', [2]);
  assert.deepEqual(await Promise.all([one.promise, two.promise]), [[1], [1]]);
});

test('calls that wait for the same job get a value of their own each, or an error', async () => {
  const error = JSON.stringify({
    reason: 'why',
    error: encodeError(new RangeError('why'), (value) => structuredClone(value)),
  });
  const redis = { hget: () => Promise.resolve(error) } as unknown as Redis;
  const calls = new OpenCalls({ toKey: (id: string) => id } as unknown as Queue, redis);
  const open = () => [1, 2].map(() => calls.open('a', 'task', OPTIONS).promise);
  const results = open();
  calls.completed('a', [1]);
  const [one, two] = await Promise.all(results);
  assert.notEqual(one, two);
  assert.deepEqual([one, two], [[1], [1]]);
  const failures = open();
  await calls.failed('a', 'why');
  const [first, second] = (await Promise.allSettled(failures)) as PromiseRejectedResult[];
  assert.notEqual(first!.reason, second!.reason);
  for (const { reason } of [first!, second!]) assert.match(String(reason), /^RangeError: why$/);
});

test('an abort that came before the call ends it, and one that comes after its result does nothing', async () => {
  const calls = callsOfNothing();
  const early = calls.open('a', 'task', { ...OPTIONS, signal: AbortSignal.abort() });
  await assert.rejects(early.promise, { code: 'ERR_TASK_ABORTED' });
  const controller = new AbortController();
  let aborts = 0;
  const late = calls.open('b', 'task', { ...OPTIONS, signal: controller.signal, onAbort: () => aborts++ });
  calls.completed('b', 1);
  controller.abort();
  assert.equal(await late.promise, 1);
  assert.equal(aborts, 0);
});
