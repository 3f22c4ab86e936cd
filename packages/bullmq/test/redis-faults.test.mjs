/** A Redis that is not there, lets nobody in, restarts, forgets, is full, or cannot be reached for a while. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as textFrom } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { connect, FleetError, serve } from '@threadwise/bullmq';
import { QueueEvents } from 'bullmq';
import { freePort } from 'threadwise-test/free-port';
import { begun, caller, failure, folder, machine, machineHere, QUICK, tasksUrl, told } from './helpers.mjs';
import { proxyTo } from './proxy.mjs';
import { onEnd, RedisServer, skip } from './redis.mjs';

describe('faults of Redis', { skip }, () => {
  test('no Redis: calls are refused in time, and say where it was looked for', async (t) => {
    const port = await freePort();
    const fleet = connect({ queue: 'work', connection: { host: '127.0.0.1', port }, connectTimeoutMs: 100 });
    onEnd(t, () => fleet.close());
    const refused = [fleet.run('add', [1, 2]), fleet.ready, fleet.stats()].map(failure);
    for (const error of await Promise.all(refused)) {
      assert.ok(error instanceof FleetError);
      assert.equal(error.code, 'ERR_FLEET_CONNECTION');
      assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port} was not reached within 100 ms`));
      assert.ok(!('jobId' in error), 'it concerns no job');
    }
    const one = async () => void (await fleet.run('add', [1, 2]));
    const another = async () => void (await fleet.run('add', [1, 2]));
    const stacks = (await Promise.all([one(), another()].map(failure))).map(({ stack }) => stack);
    assert.match(stacks[0], /called from ---\n.* one /);
    assert.match(stacks[1], /called from ---\n.* another /);
  });

  test('whoever asks for statistics again and again while Redis is away leaves one question', async (t) => {
    const redis = await RedisServer.start(t);
    const way = await proxyTo(t, redis.port);
    way.cut();
    const fleet = caller(t, way, { connectTimeoutMs: 50 });
    for (let i = 0; i < 3; i++) assert.equal((await failure(fleet.stats())).code, 'ERR_FLEET_CONNECTION');
    const seen = [];
    const monitor = await redis.client(t).monitor();
    onEnd(t, () => monitor.disconnect());
    monitor.on('monitor', (_, [command]) => seen.push(command.toLowerCase()));
    const last = told(monitor, 'monitor', (_, [command]) => command.toLowerCase() === 'hexists');
    way.mend();
    // On the same connection: what was asked before it has been asked by then.
    await Promise.all([fleet.queue.isPaused(), last]);
    assert.equal(seen.filter((command) => command === 'smembers').length, 1);
    await fleet.close();
    assert.equal((await failure(fleet.stats())).code, 'ERR_FLEET_CLOSED');
  });

  test('a machine that comes before its Redis waits for it', async (t) => {
    const redis = await RedisServer.start(t);
    await redis.stop();
    const errors = [];
    const service = serve(tasksUrl, {
      queue: 'work',
      connection: redis.connection,
      signals: [],
      onError: (error) => errors.push(error),
    });
    onEnd(t, () => service.close({ timeoutMs: 0 }));
    const fleet = caller(t, redis, { connectTimeoutMs: 30_000 });
    const call = fleet.run('add', [1, 2]);
    await redis.restart();
    assert.equal(await call, 3);
    await service.ready;
  });

  test('Sentinels that are not there: calls and machines name the Redis they ask for, and a machine does not say so at each attempt', async (t) => {
    const connection = { sentinels: [{ host: '127.0.0.1', port: await freePort() }], name: 'ours' };
    const fleet = caller(t, { connection }, { connectTimeoutMs: 100 });
    assert.match((await failure(fleet.ready)).message, /Redis 'ours' of the Sentinels was not reached/);
    const errors = [];
    const onError = (error) => errors.push(error.message);
    const service = serve(tasksUrl, { queue: 'work', connection, signals: [], onError });
    onEnd(t, () => service.close({ timeoutMs: 0 }));
    for (let i = 0; i < 5; i++) await told(service.worker, 'error');
    assert.equal(errors.length, 1);
    assert.match(errors[0], /^All sentinels are unreachable/);
  });

  test('a machine whose client gives up on a Redis that is not there says so and closes, and blocks nobody', async () => {
    const place = { host: '127.0.0.1', port: await freePort() };
    const code = `
      import { serve } from '@threadwise/bullmq';
      const connection = { ...${JSON.stringify(place)}, retryStrategy: () => null };
      const service = serve(${JSON.stringify(tasksUrl.href)}, { queue: 'work', connection, signals: [], onError: () => undefined });
      const error = await service.ready.catch((error) => error);
      await service.close();
      process.stdout.write(error.code);`;
    const args = ['--input-type=module', '--eval', code];
    const program = spawn(process.execPath, args, {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const limit = setTimeout(() => program.kill('SIGKILL'), 30_000);
    const [said] = await Promise.all([textFrom(program.stdout), once(program, 'exit')]);
    clearTimeout(limit);
    assert.equal(said, 'ERR_FLEET_CONNECTION');
  });

  test('a client that gives up in the middle: calls that were open say so, and a machine closes', async (t) => {
    const redis = await RedisServer.start(t, '--appendonly', 'yes');
    const { path, open } = folder(t);
    const connection = { ...redis.connection, retryStrategy: () => null };
    const fleet = caller(t, redis, { connection });
    await machineHere(t, redis, { pool: { threads: 1 } });
    const errors = [];
    const service = await machineHere(t, redis, { connection, onError: (error) => errors.push(error) });
    await service.worker.pause();
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')], { jobId: 'given-up' });
    await redis.restart();
    const error = await failure(promise);
    assert.deepEqual([error.code, error.jobId], ['ERR_FLEET_CONNECTION', 'given-up']);
    assert.match(error.message, /retryStrategy says; the job stays in the queue/);
    await service.close();
    assert.match(errors.map(({ message }) => message).join(), /the service closes/);
    open('go');
    assert.equal(
      await caller(t, redis).run('noteAndWait', [path('notes'), path('go')], { jobId: 'given-up' }),
      'given-up',
    );
  });

  test('an event whose value is no JSON is one error, and the caller goes on to hear', async (t) => {
    const redis = await RedisServer.start(t);
    const fleet = caller(t, redis);
    await machineHere(t, redis);
    await fleet.ready;
    const add = (...fields) => redis.client(t).xadd(fleet.queue.toKey('events'), '*', ...fields);
    const failed = failure(fleet.run('add', [1, 2], { jobId: 'no-json', delayMs: 3_600_000 }));
    await told(fleet.queue, 'waiting');
    await add('event', 'progress', 'jobId', 'other', 'data', 'NaN');
    await add('event', 'completed', 'jobId', 'other');
    await add('event', 'completed', 'jobId', 'no-json', 'returnvalue', 'NaN');
    const error = await failed;
    assert.equal(error.code, 'ERR_FLEET_DATA');
    assert.match(error.message, /no JSON/);
    // Its result is in the event alone.
    assert.equal(await fleet.run('add', [3, 4], { job: { removeOnComplete: true } }), 7);
  });

  test('the result of a job that is no JSON is an error, also where the event was missed', async (t) => {
    const redis = await RedisServer.start(t);
    const first = caller(t, redis);
    await machineHere(t, redis);
    assert.equal(await first.run('add', [1, 2], { jobId: 'ended' }), 3);
    await redis.client(t).hset(first.queue.toKey('ended'), 'returnvalue', 'NaN');
    const error = await failure(caller(t, redis).run('add', [1, 2], { jobId: 'ended' }));
    assert.equal(error.code, 'ERR_FLEET_DATA');
  });

  test(
    'a Redis that answers nothing for long is asked once what has become of the open calls',
    { timeout: 60_000 },
    async (t) => {
      const redis = await RedisServer.start(t);
      const admin = redis.client(t);
      const fleet = caller(t, redis);
      await fleet.ready;
      const calls = Array.from({ length: 20 }, () => fleet.run('add', [1, 2], { delayMs: 3_600_000 }));
      for (const call of calls) call.catch(() => undefined);
      while ((await fleet.queue.getDelayedCount()) < calls.length) await sleep(10);
      const reads = async () =>
        Number(/cmdstat_hgetall:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
      const before = await reads();
      redis.freeze();
      await sleep(16_000);
      redis.thaw();
      await fleet.queue.getDelayedCount(); // on the same connection, behind the looks
      assert.equal((await reads()) - before, calls.length);
    },
  );

  test('a call that comes before its Redis waits for it, also with a client that keeps no commands', async (t) => {
    const redis = await RedisServer.start(t);
    await redis.stop();
    const connection = { ...redis.connection, enableOfflineQueue: false };
    const fleet = caller(t, redis, { connection, connectTimeoutMs: 30_000 });
    const call = fleet.run('add', [1, 2]);
    await redis.restart();
    await machineHere(t, redis);
    assert.equal(await call, 3);
  });

  test('a commandTimeout of the client does not end the commands that wait for jobs and results', async (t) => {
    const redis = await RedisServer.start(t);
    const connection = { ...redis.connection, commandTimeout: 50 };
    const errors = [];
    await machineHere(t, redis, { connection, onError: (error) => errors.push(error) });
    const fleet = caller(t, redis, { connection });
    await fleet.ready;
    await sleep(300);
    // Its result is in the event alone.
    assert.equal(await fleet.run('add', [1, 2], { job: { removeOnComplete: true } }), 3);
    assert.deepEqual(errors, []);
  });

  test('a client that gives numbers as strings, or maps as objects, is asked for what BullMQ can read', async (t) => {
    const redis = await RedisServer.start(t);
    const connection = { ...redis.connection, stringNumbers: true, replyMapping: 'resp3' };
    const errors = [];
    await machineHere(t, redis, { connection, onError: (error) => errors.push(error) });
    const { path, open } = folder(t);
    const fleet = caller(t, redis, { connection });
    const { promise } = await begun(fleet, 'spinUntil', [path('go')]);
    assert.equal((await fleet.stats()).jobs.active, 1);
    open('go');
    assert.equal(await promise, 'done');
    assert.deepEqual(errors, []);
  });

  test('a machine that is closed before it has reached Redis says so, and soon', async (t) => {
    const connection = { host: '127.0.0.1', port: await freePort() };
    const told = [];
    const onError = ({ code }) => told.push(code);
    const service = serve(tasksUrl, { queue: 'work', connection, signals: [], onError });
    onEnd(t, () => service.close({ timeoutMs: 0 }));
    const ready = failure(service.ready);
    await service.pool.ready;
    await service.close();
    assert.equal((await ready).code, 'ERR_FLEET_CLOSED');
    assert.ok(
      !told.includes('ERR_FLEET_CLOSED'),
      'it was closed on purpose: that is no error of the service',
    );
  });

  test('a machine that is closed when it has reached Redis and takes no jobs yet says so', async (t) => {
    const redis = await RedisServer.start(t);
    const service = serve(tasksUrl, { queue: 'work', connection: redis.connection, signals: [] });
    onEnd(t, () => service.close({ timeoutMs: 0 }));
    const ready = failure(service.ready);
    await service.pool.ready;
    await service.close();
    assert.equal((await ready).code, 'ERR_FLEET_CLOSED');
  });

  test('a Redis that restarts and has kept its data: calls that were open get their results', async (t) => {
    const redis = await RedisServer.start(t, '--appendonly', 'yes');
    const { path, open } = folder(t);
    const fleet = caller(t, redis);
    await machineHere(t, redis, { pool: { threads: 1 } });
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')], { jobId: 'running' });
    const waiting = [1, 2, 3].map((i) => fleet.run('add', [i, i]));
    const delayed = fleet.run('add', [4, 4], { delayMs: 10 });
    await redis.restart();
    open('go');
    assert.equal(await promise, 'running');
    assert.deepEqual(await Promise.all([...waiting, delayed]), [2, 4, 6, 8]);
  });

  test('a Redis that restarts and has forgotten: calls that were open say that their job is lost, new ones run', async (t) => {
    const redis = await RedisServer.start(t);
    const { path } = folder(t);
    const fleet = caller(t, redis);
    await machineHere(t, redis, { ...QUICK, pool: { threads: 1 } });
    const { promise } = await begun(fleet, 'untilAborted', [path('notes')]);
    const added = told(fleet.queue, 'waiting');
    const waiting = fleet.run('add', [1, 1], { delayMs: 3_600_000 });
    await added;
    const lost = [promise, waiting].map(failure);
    await redis.restart();
    for (const error of await Promise.all(lost)) assert.equal(error.code, 'ERR_FLEET_JOB_LOST');
    // The task is told that its job is nobody's any more: so the one worker is free.
    assert.equal(await fleet.run('add', [1, 2]), 3);
  });

  test('a machine and a caller close though Redis is away: soon, and nothing is left', async (t) => {
    const redis = await RedisServer.start(t);
    const { path } = folder(t);
    const fleet = caller(t, redis);
    const service = await machineHere(t, redis, { pool: { threads: 1 } });
    const { promise } = await begun(fleet, 'untilAborted', [path('notes')]);
    await redis.stop();
    const error = failure(promise);
    await Promise.all([service.close({ timeoutMs: 0 }), fleet.close({ timeoutMs: 0 })]);
    assert.equal((await error).code, 'ERR_FLEET_CLOSED');
    assert.equal(service.pool.stats().threads.current, 0);
  });

  test('a program whose caller and machine are closed though Redis is away ends soon', async (t) => {
    const redis = await RedisServer.start(t);
    const program = await machine(t, redis, { script: 'left' });
    const ended = once(program, 'exit');
    const began = performance.now();
    await redis.stop();
    await ended;
    const ms = performance.now() - began;
    assert.ok(ms < 5000, `it ended after ${ms} ms`);
  });

  test('a program whose caller and machine are closed while Redis refuses all connections ends soon', async (t) => {
    const redis = await RedisServer.start(t);
    const admin = redis.client(t);
    const program = await machine(t, redis, { script: 'left' });
    const ended = once(program, 'exit');
    await admin.config('SET', 'maxclients', '1');
    const began = performance.now();
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await ended;
    const ms = performance.now() - began;
    assert.ok(ms < 5000, `it ended after ${ms} ms`);
  });

  test('a Redis that is full refuses a call with its own words, and takes the next when there is room', async (t) => {
    const redis = await RedisServer.start(t);
    const fleet = caller(t, redis);
    await machineHere(t, redis);
    assert.equal(await fleet.run('add', [1, 2]), 3);
    const admin = redis.client(t);
    await admin.config('SET', 'maxmemory', '1');
    const error = await failure(fleet.run('add', [3, 4]));
    assert.equal(error.code, 'ERR_FLEET_REDIS');
    assert.match(error.message, /OOM/);
    await admin.config('SET', 'maxmemory', '0');
    assert.equal(await fleet.run('add', [5, 6]), 11);
  });

  test('a Redis that is full takes the error of a task that runs, with its class', async (t) => {
    const redis = await RedisServer.start(t);
    const { path, open } = folder(t);
    await machineHere(t, redis);
    const { promise } = await begun(caller(t, redis), 'failWhen', [path('go')]);
    await redis.client(t).config('SET', 'maxmemory', '1');
    open('go');
    const error = await failure(promise);
    assert.ok(error instanceof RangeError, `it is ${error}`);
    assert.equal(error.message, 'late');
  });

  test('a Redis that is full has its machines in the list all the same', { timeout: 60_000 }, async (t) => {
    const redis = await RedisServer.start(t);
    const service = await machineHere(t, redis);
    const fleet = caller(t, redis);
    const admin = redis.client(t);
    await admin.config('SET', 'maxmemory', '1');
    const list = fleet.queue.toKey('threadwise:machines');
    await admin.del(list, `${list}:${service.stats().id}`);
    while ((await fleet.stats()).machines === 0) await immediate();
    assert.equal((await fleet.stats()).perMachine[0].id, service.stats().id);
  });

  test('a Redis that refuses to give jobs, as a replica does, is not asked without a pause', async (t) => {
    const primary = await RedisServer.start(t);
    const replica = await RedisServer.start(t, '--replicaof', '127.0.0.1', String(primary.port));
    const service = await machineHere(t, replica);
    let refusals = 0;
    const refused = told(
      service.worker,
      'error',
      ({ message }) => /READONLY/.test(message) && ++refusals === 3,
    );
    const admin = replica.client(t);
    await refused;
    const asked = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))[1]);
    const before = await asked();
    await sleep(1000);
    assert.ok((await asked()) - before <= 5);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    assert.equal(await caller(t, replica).run('add', [1, 2]), 3);
  });

  for (const [what, name, outcome, replica, ...settings] of [
    ['result', 'spinUntil', 'done', 'a replica'],
    ['error', 'failWhen', 'RangeError: late', 'a replica'],
    ['result', 'spinUntil', 'done', 'a replica without a primary', '--replica-serve-stale-data', 'no'],
  ])
    test(`a job whose ${what} Redis refuses for a while, as ${replica} does, is not run again: its caller gets the ${what}`, async (t) => {
      const redis = await RedisServer.start(t, ...settings);
      const { path, open } = folder(t);
      const service = await machineHere(t, redis, QUICK);
      const admin = redis.client(t);
      const { promise } = await begun(caller(t, redis), name, [path('go')], { jobId: 'the-job' });
      const isAboutIt = ({ message, command }) =>
        /^(READONLY|MASTERDOWN)/.test(message) && command.args.some((arg) => String(arg).includes('the-job'));
      // Before the service, which hides the arguments.
      const refused = new Promise((resolve) => {
        service.worker.prependListener('error', (error) => isAboutIt(error) && resolve());
      });
      await admin.call('REPLICAOF', '127.0.0.1', '1');
      open('go');
      await refused;
      await admin.call('REPLICAOF', 'NO', 'ONE');
      assert.equal(await promise.catch(({ name, message }) => `${name}: ${message}`), outcome);
      assert.equal(service.stats().repeated, 0);
    });

  test('a job that ends while the password is another one is not run again: its caller gets the result', async (t) => {
    const redis = await RedisServer.start(t);
    const { path, open } = folder(t);
    const admin = redis.client(t);
    await admin.config('SET', 'requirepass', 'right');
    await admin.auth('right');
    const connection = { ...redis.connection, password: 'right' };
    const service = await machineHere(t, redis, { connection, lockMs: 10_000, stalledCheckMs: 100 });
    const { promise } = await begun(caller(t, redis, { connection }), 'spinUntil', [path('go')]);
    await admin.config('SET', 'requirepass', 'other');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const settled = told(service.pool, 'task:settle');
    open('go');
    await settled;
    await told(service.worker, 'error', ({ message }) => /^(WRONGPASS|NOAUTH)/.test(message));
    await admin.config('SET', 'requirepass', 'right');
    assert.equal(await promise, 'done');
    assert.equal(service.stats().repeated, 0);
  });

  test(
    'an abort that Redis refuses for a while reaches the machine all the same',
    { timeout: 60_000 },
    async (t) => {
      const redis = await RedisServer.start(t);
      const { path } = folder(t);
      const service = await machineHere(t, redis);
      const admin = redis.client(t);
      const controller = new AbortController();
      const { signal } = controller;
      const { promise } = await begun(caller(t, redis), 'untilAborted', [path('notes')], { signal });
      const ended = told(service.pool, 'task:settle');
      await admin.call('REPLICAOF', '127.0.0.1', '1');
      await admin.config('RESETSTAT');
      controller.abort();
      assert.equal((await failure(promise)).code, 'ERR_TASK_ABORTED');
      const isRefused = async () =>
        /cmdstat_xadd:.*rejected_calls=[1-9]/.test(await admin.info('commandstats'));
      while (!(await isRefused())) await immediate();
      await admin.call('REPLICAOF', 'NO', 'ONE');
      const [{ outcome }] = await ended;
      assert.equal(outcome, 'aborted');
    },
  );

  test('a Redis that takes nothing has statistics all the same, also where a machine has died', async (t) => {
    const redis = await RedisServer.start(t);
    const fleet = caller(t, redis);
    const admin = redis.client(t);
    await admin.sadd(fleet.queue.toKey('threadwise:machines'), 'dead');
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    assert.deepEqual((await fleet.stats()).perMachine, []);
  });

  test('errors that come in turns are told once each, until Redis is reached again', async (t) => {
    const redis = await RedisServer.start(t);
    const errors = [];
    const service = await machineHere(t, redis, { onError: ({ message }) => errors.push(message) });
    const tell = (message) => service.worker.emit('error', new Error(message));
    for (const message of ['one', 'other', 'one', 'other']) tell(message);
    assert.deepEqual(errors, ['one', 'other']);
    await redis.client(t).call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    while (errors.filter((message) => message === 'one').length < 2) {
      await immediate();
      tell('one');
    }
  });

  test('a machine that is cut off for longer than its lock: another does its job, and it comes back', async (t) => {
    const redis = await RedisServer.start(t);
    const way = await proxyTo(t, redis.port);
    const { path, wrote, open } = folder(t);
    const fleet = caller(t, redis);
    const cutOff = await machineHere(t, way, { ...QUICK, pool: { threads: 1 } });
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')]);
    way.cut();
    const other = await machineHere(t, redis, { ...QUICK, pool: { threads: 1 } });
    await told(other.pool, 'task:progress');
    assert.equal(other.stats().repeated, 1);
    open('go');
    await promise;
    assert.equal(wrote('notes').length, 2);
    await other.close();
    way.mend();
    assert.equal(await fleet.run('add', [1, 2]), 3);
    assert.equal(cutOff.stats().completed >= 1, true);
  });

  test('a slow way to Redis, for caller and machine: every call settles, with its result, its error or its progress', async (t) => {
    const redis = await RedisServer.start(t);
    const way = await proxyTo(t, redis.port);
    way.slow(30);
    const fleet = caller(t, way, { connectTimeoutMs: 60_000 });
    const service = await machineHere(t, way, { pool: { threads: 2 } });
    const { path, open } = folder(t);
    const running = await begun(fleet, 'noteAndWait', [path('notes'), path('go')], { jobId: 'slow' });
    const failing = failure(fleet.run('fail', ['slowly']));
    open('go');
    assert.equal(await running.promise, 'slow');
    assert.equal((await failing).message, 'slowly');
    const results = [];
    for await (const result of fleet.map('echo', Array(100).keys(), { concurrency: 40 }))
      results.push(result);
    assert.deepEqual(results, [...Array(100).keys()]);
    const controller = new AbortController();
    const waiting = fleet.run('add', [1, 2], { delayMs: 3_600_000, signal: controller.signal });
    controller.abort();
    assert.equal((await failure(waiting)).code, 'ERR_TASK_ABORTED');
    assert.equal(service.stats().repeated, 0);
  });

  test('a call that a slow Redis has not taken in time is refused, and its job removed when it comes', async (t) => {
    const redis = await RedisServer.start(t);
    const way = await proxyTo(t, redis.port);
    const fleet = caller(t, way, { connectTimeoutMs: 5000 });
    const events = new QueueEvents('work', { connection: redis.connection, lastEventId: '0' });
    onEnd(t, () => events.close());
    await fleet.ready;
    way.slow(6000);
    const removed = told(events, 'removed');
    const error = await failure(fleet.run('add', [1, 2], { delayMs: 3_600_000 }));
    assert.equal(error.code, 'ERR_FLEET_CONNECTION');
    way.slow(0);
    await removed;
    assert.equal((await fleet.queue.getJobCounts('delayed')).delayed, 0);
  });

  test('a caller that was stopped for longer than it waits reads the answers that are there', async (t) => {
    const redis = await RedisServer.start(t);
    await machineHere(t, redis);
    const connection = redis.client(t);
    const duplicate = connection.duplicate.bind(connection);
    let client;
    connection.duplicate = (options) => (client = duplicate(options)); // the fleet's own
    const fleet = caller(t, redis, { connection, connectTimeoutMs: 1000 });
    await Promise.all([fleet.ready, fleet.stats()]); // BullMQ's queue gets ready by itself, and writes nothing before
    const { stream } = client;
    const { bytesWritten } = stream;
    redis.freeze();
    const call = fleet.run('add', [1, 2]);
    while (stream.bytesWritten === bytesWritten) await immediate(); // after it come timers, and then what is to be read
    redis.thaw();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    assert.equal(await call, 3);
  });

  test('a caller that is cut off hears of what ended meanwhile', async (t) => {
    const redis = await RedisServer.start(t);
    const way = await proxyTo(t, redis.port);
    const { path, open } = folder(t);
    const service = await machineHere(t, redis, { pool: { threads: 1 } });
    const fleet = caller(t, way);
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')], { jobId: 'a' });
    const added = told(fleet.queue, 'waiting');
    const failing = failure(fleet.run('fail', ['meanwhile']));
    await added;
    way.cut();
    const ended = told(service.worker, 'failed');
    open('go');
    await ended;
    // As if they had been crowded out: only a look at the jobs can find how they ended.
    await redis.client(t).del(fleet.queue.toKey('events'));
    way.mend();
    assert.equal(await promise, 'a');
    assert.equal((await failing).message, 'meanwhile');
  });

  test('a caller that is cut off hears of jobs that ended meanwhile and are not kept', async (t) => {
    const redis = await RedisServer.start(t);
    const way = await proxyTo(t, redis.port);
    const { path, open } = folder(t);
    const service = await machineHere(t, redis, { pool: { threads: 1 } });
    const fleet = caller(t, way);
    const job = { removeOnComplete: true, removeOnFail: true };
    const { promise } = await begun(fleet, 'noteAndWait', [path('notes'), path('go')], { jobId: 'a', job });
    const added = told(fleet.queue, 'waiting');
    const failing = failure(fleet.run('fail', ['meanwhile'], { job }));
    await added;
    way.cut();
    const ended = told(service.worker, 'failed');
    open('go');
    await ended;
    way.mend();
    assert.equal(await promise, 'a');
    assert.match((await failing).message, /meanwhile/);
  });
});
