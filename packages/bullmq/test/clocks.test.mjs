/** Machines and callers whose clocks are wrong: no job is lost, none is called stalled, and none runs twice for it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Worker } from 'bullmq';
import { begun, caller, eventsOf, failure, folder, machine, machineHere, QUICK, told } from './helpers.mjs';
import { onEnd, skip, startForSuite } from './redis.mjs';

const HOUR = 3_600_000;
const SKEWS = [
  ['ahead', HOUR],
  ['behind', -HOUR],
];

describe('clocks', { skip }, () => {
  let redis;
  startForSuite((started) => (redis = started));
  let number = 0;
  const newQueue = () => `clocks-${number++}`;

  /** Resolves when a lock that was taken after the call has ended, for nobody renewed it: BullMQ's way to compute, on the thread that should. */
  async function lockEnded(t, path) {
    const queue = newQueue();
    const stalled = told(await eventsOf(t, redis, queue), 'stalled');
    const { connection } = redis;
    const watcher = new Worker(queue, null, {
      connection,
      stalledInterval: QUICK.stalledCheckMs,
      maxStalledCount: 0,
    });
    onEnd(t, () => watcher.close());
    await watcher.startStalledCheckTimer();
    await machine(t, redis, { script: 'plain', queue, lockMs: QUICK.lockMs, path });
    await stalled;
  }

  /** A job that runs for longer than its lock, on the one machine; another one, whose clock is right, looks for locks that have ended. */
  async function isKept(t, skewMs, meanwhile = () => undefined) {
    const queue = newQueue();
    const { path, open, wrote } = folder(t);
    const options = { queue, ...QUICK, pool: { threads: 1 } };
    const child = await machine(t, redis, { ...options, skewMs });
    const fleet = caller(t, redis, { queue });
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')]);
    const other = await machineHere(t, redis, options);
    await meanwhile(child);
    await lockEnded(t, path('go'));
    open('go');
    await promise;
    assert.equal(other.stats().recovered, 0);
    assert.equal(wrote('notes').length, 1);
  }

  for (const [where, skewMs] of SKEWS) {
    test(`a machine an hour ${where} renews its locks`, (t) => isKept(t, skewMs));

    test(`a machine an hour ${where} keeps timeouts and retries`, async (t) => {
      const queue = newQueue();
      const { path } = folder(t);
      await machine(t, redis, { queue, ...QUICK, skewMs });
      const fleet = caller(t, redis, { queue });
      const late = await failure(fleet.run('spinUntil', [path('never')], { timeoutMs: 50 }));
      assert.equal(late.code, 'ERR_TASK_TIMEOUT');
      assert.equal(await fleet.run('add', [1, 2], { timeoutMs: 60_000 }), 3);
      assert.equal(await fleet.run('onAttempt', [3], { retries: 2, backoff: 1 }), 3);
      const { machines, perMachine } = await fleet.stats();
      assert.deepEqual([machines, perMachine[0].state], [1, 'running']);
    });

    test(`a machine an hour ${where} finds the jobs of one that died, and only those`, async (t) => {
      const queue = newQueue();
      const { path, open, wrote } = folder(t);
      const options = { queue, ...QUICK, pool: { threads: 1 } };
      const fleet = caller(t, redis, { queue });
      const victim = await machine(t, redis, options);
      const lost = await begun(fleet, 'noteAndWait', [path('lost'), path('go')]);
      const steady = await machineHere(t, redis, options);
      const kept = await begun(fleet, 'noteAndWait', [path('kept'), path('go')]);
      await machine(t, redis, { ...options, skewMs });
      // It has begun on the machine whose clock is wrong: no other is free.
      const last = await begun(fleet, 'noteAndWait', [path('last'), path('go')]);
      victim.kill('SIGKILL');
      open('go');
      await Promise.all([lost.promise, kept.promise, last.promise]);
      assert.deepEqual([wrote('lost').length, wrote('kept').length], [2, 1]);
      assert.equal(steady.stats().failed, 0);
    });
  }

  test('a clock that is put back by an hour in the middle of a job: its lock is renewed all the same', (t) =>
    isKept(t, 0, async (child) => {
      const heard = told(child.stdout, 'data', (chunk) => String(chunk).includes('put back'));
      child.kill('SIGUSR2');
      await heard;
    }));

  test('a delay goes by the clocks: a machine ahead begins early, and once', async (t) => {
    const queue = newQueue();
    const { path, wrote } = folder(t);
    await machine(t, redis, { queue, ...QUICK, skewMs: HOUR });
    const fleet = caller(t, redis, { queue });
    await fleet.run('note', [path('notes'), 'early'], { delayMs: HOUR / 2 });
    assert.deepEqual(wrote('notes'), ['early']);
  });

  test('a machine behind leaves what is delayed to one whose clock is right: nothing is lost, nothing done twice', async (t) => {
    const queue = newQueue();
    const { path, wrote } = folder(t);
    await machine(t, redis, { queue, ...QUICK, skewMs: -HOUR });
    const fleet = caller(t, redis, { queue });
    const delayed = fleet.run('note', [path('notes'), 'delayed'], { delayMs: 100 });
    // It goes on with what is not delayed.
    assert.equal(await fleet.run('add', [1, 2]), 3);
    assert.deepEqual(wrote('notes'), []);
    await machineHere(t, redis, { queue, ...QUICK });
    await delayed;
    assert.deepEqual(wrote('notes'), ['delayed']);
  });

  test('a caller ahead or behind: what is not delayed runs at once', async (t) => {
    const queue = newQueue();
    await machineHere(t, redis, { queue });
    for (const [, skewMs] of SKEWS) {
      const jobId = `of ${skewMs}`;
      const fleet = caller(t, redis, { queue });
      await machine(t, redis, { script: 'caller', queue, jobId, skewMs });
      assert.equal(await fleet.run('add', [0, 0], { jobId }), 42);
    }
  });
});
