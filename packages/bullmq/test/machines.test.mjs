/** Machines that compute, stop, die and come back: processes of their own, and a real Redis. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'bullmq';
import {
  begun,
  caller,
  eventsOf,
  failure,
  folder,
  kill,
  machine,
  machineHere,
  QUICK,
  tasksUrl,
  told,
} from './helpers.mjs';
import { onEnd, skip, startForSuite } from './redis.mjs';

describe('machines', { skip }, () => {
  let redis;
  startForSuite((started) => (redis = started));
  let number = 0;
  const newQueue = () => `machines-${number++}`;

  test('a task that computes for longer than the lock is not called stalled; in BullMQ’s own thread it is', async (t) => {
    const queue = newQueue();
    const plain = newQueue();
    const { path, open } = folder(t);
    const stalled = [];
    (await eventsOf(t, redis, queue)).on('stalled', ({ jobId }) => stalled.push(jobId));
    const plainStalled = told(await eventsOf(t, redis, plain), 'stalled');
    const options = { queue, ...QUICK, pool: { threads: 1 } };
    await machine(t, redis, options);
    const fleet = caller(t, redis, { queue });
    const { promise } = await begun(fleet, 'spinUntil', [path('go')]);
    // Looks for jobs without a lock, in both queues.
    const other = await machineHere(t, redis, options);
    const watcher = new Worker(plain, null, {
      connection: redis.connection,
      ...{ stalledInterval: QUICK.stalledCheckMs, maxStalledCount: 0 },
    });
    onEnd(t, () => watcher.close());
    await watcher.startStalledCheckTimer();
    // The same task, in the way that BullMQ runs a function: on the thread that should renew its lock.
    await machine(t, redis, { script: 'plain', queue: plain, lockMs: options.lockMs, path: path('go') });
    await plainStalled;
    open('go');
    assert.equal(await promise, 'done');
    assert.deepEqual(stalled, []);
    assert.equal(other.stats().recovered, 0);
  });

  test('times may have a fraction of a millisecond', async (t) => {
    const queue = newQueue();
    const wrong = new Promise((_, reject) => {
      const options = { queue, lockMs: 10_000 / 3, stalledCheckMs: 100.5, onError: reject };
      machineHere(t, redis, options).catch(reject);
    });
    const fleet = caller(t, redis, { queue });
    assert.equal(await Promise.race([fleet.run('add', [1, 2]), wrong]), 3);
  });

  test('a machine that is killed while 100 jobs run: others do all of them, once more where they had begun', async (t) => {
    const queue = newQueue();
    const { path, wrote, open } = folder(t);
    const options = { queue, ...QUICK, pool: { threads: 2, tasksPerWorker: 50 } };
    const victim = await machine(t, redis, options);
    const fleet = caller(t, redis, { queue });
    const calls = await Promise.all(
      Array.from({ length: 100 }, () => begun(fleet, 'noteAndWait', [path('notes'), path('go')])),
    );
    assert.equal(wrote('notes').length, 100);
    const waiting = Array.from({ length: 50 }, (_, i) => fleet.run('add', [i, 0]));
    await kill(victim);
    open('go');
    await machineHere(t, redis, options);
    const ids = await Promise.all(calls.map(({ promise }) => promise));
    assert.equal(new Set(ids).size, 100);
    assert.deepEqual(await Promise.all(waiting), [...Array(50).keys()]);
    const begins = countsOf(wrote('notes'));
    for (const id of ids) assert.ok(begins.get(id) >= 2, id);
  });

  test('SIGTERM: what runs ends, what has not ended in time is given back, and the process ends as the signal says', async (t) => {
    const queue = newQueue();
    const { path, wrote, open } = folder(t);
    const options = { queue, pool: { threads: 2 }, closeTimeoutMs: 300 };
    const first = await machine(t, redis, options);
    const fleet = caller(t, redis, { queue });
    const slow = await begun(fleet, 'noteAndWait', [path('slow'), path('never yet')]);
    const quick = await begun(fleet, 'noteAndWait', [path('quick'), path('go')]);
    open('go');
    const ended = kill(first, 'SIGTERM');
    await quick.promise;
    await ended;
    assert.equal(first.signalCode, 'SIGTERM');
    // No lock has to end first: the default one takes half a minute.
    const second = await machineHere(t, redis, options);
    open('never yet');
    assert.equal(await slow.promise, wrote('slow')[0]);
    assert.deepEqual([wrote('quick').length, wrote('slow').length], [1, 2]);
    assert.equal(second.stats().repeated, 1);
  });

  test('SIGTERM ends a machine that is the first process of its container, whatever else is open in it', async (t) => {
    const inside = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
    if (spawnSync('unshare', [...inside, 'true']).status !== 0) return t.skip('no process namespace');
    const options = { queue: newQueue(), connection: redis.connection };
    const code = `
      import { serve } from '@threadwise/bullmq';
      const service = serve(${JSON.stringify(tasksUrl.href)}, ${JSON.stringify(options)});
      await service.ready;
      setInterval(() => undefined, 1000);
      process.kill(process.pid, 'SIGTERM');`;
    const program = [process.execPath, '--input-type=module', '--eval', code];
    const stdio = ['ignore', 'ignore', 'inherit'];
    const child = spawn('unshare', [...inside, ...program], { stdio, cwd: import.meta.dirname });
    onEnd(t, () => kill(child));
    assert.deepEqual(await once(child, 'exit'), [143, null]);
  });

  test('close gives back what comes meanwhile, and leaves nothing behind', async (t) => {
    const queue = newQueue();
    const { path, open } = folder(t);
    const service = await machineHere(t, redis, { queue, pool: { threads: 1 } });
    const fleet = caller(t, redis, { queue });
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')]);
    const closed = service.close();
    assert.equal(service.stats().state, 'closing');
    const later = fleet.run('add', [1, 2]);
    open('go');
    await promise;
    await closed;
    assert.equal(service.close(), service.close());
    assert.equal(service.pool.stats().threads.current, 0);
    await machineHere(t, redis, { queue });
    assert.equal(await later, 3);
  });

  test(
    'an abort is none of the events of a queue with a longer name, and is heard whatever those say',
    { timeout: 30_000 },
    async (t) => {
      const queue = newQueue();
      const { path } = folder(t);
      const fleet = caller(t, redis, { queue });
      const service = await machineHere(t, redis, { queue });
      const admin = redis.client(t);
      const events = `bull:${queue}-control:events`;
      await admin.xadd(events, '*', 'event', 'completed', 'jobId', 'other', 'returnvalue', 'NaN');
      const controller = new AbortController();
      const ended = told(service.worker, 'failed');
      await begun(fleet, 'untilAborted', [path('aborted')], { signal: controller.signal });
      controller.abort();
      await ended;
      assert.equal(await admin.xlen(events), 1);
    },
  );

  test('an abort reaches a task on another machine, and a job that lost its machine is not run again', async (t) => {
    const queue = newQueue();
    const { path, wrote } = folder(t);
    const first = await machine(t, redis, { queue, ...QUICK });
    const fleet = caller(t, redis, { queue });
    const heard = new AbortController();
    const events = await eventsOf(t, redis, queue);
    const { promise } = await begun(fleet, 'untilAborted', [path('aborted')], { signal: heard.signal });
    let failed = told(events, 'failed');
    heard.abort(new Error('not wanted'));
    assert.equal((await failure(promise)).code, 'ERR_TASK_ABORTED');
    await failed;

    const unheard = new AbortController();
    const lost = await begun(fleet, 'noteAndWait', [path('starts'), path('never')], {
      signal: unheard.signal,
    });
    failed = told(events, 'failed');
    first.kill('SIGSTOP');
    unheard.abort(new Error('too late'));
    await failure(lost.promise);
    await fleet.close();
    await kill(first);
    await machineHere(t, redis, { queue, ...QUICK });
    assert.match((await failed)[0].failedReason, /aborted by its caller/);
    assert.equal(wrote('starts').length, 1);
  });

  test('a machine takes as many jobs as its pool can run, also when that changes', async (t) => {
    const queue = newQueue();
    const { path, open } = folder(t);
    const service = await machineHere(t, redis, { queue, pool: { threads: 1 } });
    assert.equal(service.stats().concurrency, 1);
    const fleet = caller(t, redis, { queue });
    const calls = Array.from({ length: 5 }, () => fleet.run('noteAndWait', [path('notes'), path('go')]));
    await told(service.worker, 'active');
    await told(service.pool, 'task:progress');
    assert.equal(service.stats().active, 1);
    // The task that runs will not end before: so BullMQ has to be woken.
    const more = told(service.pool, 'task:progress', () => service.stats().active === 3);
    service.pool.resize(3);
    await more;
    assert.equal(service.stats().concurrency, 3);
    assert.equal((await fleet.stats()).jobs.waiting, 2);
    // Its jobs may all have ended while its workers are still ending.
    let exits = 0;
    const fewer = told(service.pool, 'worker:exit', () => ++exits === 2);
    service.pool.resize(1);
    open('go');
    await Promise.all(calls);
    await fewer;
    assert.ok(service.stats().concurrency <= 2);
  });

  test('a caller that dies leaves its jobs, and another may wait for their results', async (t) => {
    const queue = newQueue();
    const child = await machine(t, redis, { script: 'caller', queue, jobId: 'left' });
    await kill(child);
    const fleet = caller(t, redis, { queue });
    const result = fleet.run('add', [0, 0], { jobId: 'left' });
    await machineHere(t, redis, { queue });
    assert.equal(await result, 42);
  });

  test('a module that cannot be loaded: the machine says so and takes nothing', async (t) => {
    const queue = newQueue();
    const fleet = caller(t, redis, { queue });
    const call = fleet.run('add', [1, 2]);
    const missing = new URL('no-such-module.mjs', import.meta.url);
    const error = await failure(machineHere(t, redis, { queue }, missing));
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    await machineHere(t, redis, { queue });
    assert.equal(await call, 3);
  });

  for (const act of ['pause', 'drain'])
    test(`a machine whose pool somebody ${act}s takes no jobs until it is resumed, and lives on`, async (t) => {
      const queue = newQueue();
      const fleet = caller(t, redis, { queue });
      const service = await machineHere(t, redis, { queue, pool: { threads: 1 } });
      const { path, open } = folder(t);
      const { promise } = await begun(fleet, 'spinUntil', [path('go')]);
      const held = told(service.worker, 'paused');
      service.pool[act]();
      open('go');
      assert.equal(await promise, 'done');
      await held;
      const call = fleet.run('who', []);
      const other = await machineHere(t, redis, { queue });
      assert.ok((await call).attempt <= 2, 'at most the job that was being fetched was given back');
      await other.close();
      const resumed = told(service.worker, 'resumed');
      service.pool.resume();
      await resumed;
      assert.equal(await fleet.run('add', [1, 2]), 3);
      assert.equal(service.stats().state, 'running');
    });

  for (const act of ['pause', 'drain'])
    test(
      `a job that a worker has waited for while somebody ${act}s its pool is run by another, at once`,
      {
        timeout: 30_000,
      },
      async (t) => {
        const queue = newQueue();
        const fleet = caller(t, redis, { queue });
        const admin = redis.client(t);
        const services = [];
        // Redis gives a job to the one that has waited longest. By themselves they would look again after a minute.
        while (services.length < 2) {
          services.push(await machineHere(t, redis, { queue, worker: { drainDelay: 60 } }));
          while ((await admin.client('LIST')).split('cmd=bzpopmin').length <= services.length);
        }
        services[0].pool[act]();
        assert.equal(await fleet.run('add', [1, 2]), 3);
        assert.equal(services[1].stats().completed, 1);
      },
    );

  test('a machine whose pool somebody closes ends, and leaves what it has taken to others', async (t) => {
    const queue = newQueue();
    const fleet = caller(t, redis, { queue });
    const service = await machineHere(t, redis, { queue });
    await service.pool.close();
    const closed = told(service.worker, 'closed');
    const call = fleet.run('who', []);
    await closed;
    await machineHere(t, redis, { queue });
    assert.ok((await call).attempt <= 4, 'it was not taken and given back again and again');
  });
});

function countsOf(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
