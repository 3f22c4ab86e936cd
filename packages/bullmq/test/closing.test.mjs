/** The end of a fleet: what becomes of calls whose job is not in Redis yet, and of what Redis has been asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '@threadwise/bullmq';
import { Queue } from 'bullmq';
import { freePort } from 'threadwise-test/free-port';
import { begun, caller, failure, folder, machineHere } from './helpers.mjs';
import { onEnd, RedisServer, skip, startForSuite } from './redis.mjs';

/**
 * Holds `queue.add` before Redis hears of it, or its answer. `asked`: resolves when it is held; `release` goes on once close has had the turns of a
 * round trip to Redis.
 */
function holdAdd({ queue }, jobs, where) {
  const add = queue.add.bind(queue);
  let end;
  const held = new Promise((resolve) => (end = resolve));
  const asked = new Promise((resolve) => {
    queue.add = async (...args) => {
      const job = where === 'after' ? await add(...args) : undefined;
      resolve();
      await held;
      return job ?? (await add(...args));
    };
  });
  return { asked, release: () => jobs.count().then(end) };
}

describe('the end of a fleet', { skip }, () => {
  let redis;
  startForSuite((started) => (redis = started));
  let number = 0;
  /** A caller with a queue of the test's own, and BullMQ's view of that. */
  function fleetOf(t, options) {
    const queue = `closing-${number++}`;
    const jobs = new Queue(queue, { connection: redis.connection });
    onEnd(t, () => jobs.close());
    return { queue, jobs, fleet: caller(t, redis, { queue, ...options }) };
  }
  const delayMs = 3_600_000;

  test('close waits for a call that was made in the same turn, also for the first one', async (t) => {
    for (const isFirst of [true, false]) {
      const { queue, fleet } = fleetOf(t);
      await machineHere(t, redis, { queue });
      if (!isFirst) await fleet.ready;
      const call = fleet.run('add', [1, 2]);
      await fleet.close();
      assert.equal(await call, 3);
    }
  });

  test('close without a limit has no timer, and waits; a limit that is none is refused, and nothing closed', async (t) => {
    const { queue, fleet } = fleetOf(t);
    const service = await machineHere(t, redis, { queue });
    const limits = [Number.NaN, -1, '5'].map((timeoutMs) => ({ timeoutMs }));
    for (const options of [...limits, null, 5000, { timeout: 5000 }])
      for (const each of [fleet, service]) assert.throws(() => each.close(options), { code: 'ERR_OPTION' });
    const warnings = [];
    const listen = ({ name }) => warnings.push(name);
    process.on('warning', listen);
    onEnd(t, () => process.off('warning', listen));
    const call = fleet.run('add', [1, 2]);
    await fleet.close({ timeoutMs: Number.POSITIVE_INFINITY });
    assert.equal(await call, 3);
    assert.deepEqual(warnings, []);
  });

  test('a job that is on its way when the time is over stays, as its call is told', async (t) => {
    const { jobs, fleet } = fleetOf(t);
    const { asked, release } = holdAdd(fleet, jobs, 'before');
    const error = failure(fleet.run('add', [1, 2], { delayMs }));
    await asked;
    const closing = fleet.close({ timeoutMs: 0 });
    await release();
    await closing;
    assert.equal((await error).code, 'ERR_FLEET_CLOSED');
    assert.match((await error).message, /the job stays/);
    assert.equal(await jobs.count(), 1);
  });

  test('a call that is aborted while its job is on its way leaves none, though the fleet is closed at once', async (t) => {
    const { jobs, fleet } = fleetOf(t);
    const { asked, release } = holdAdd(fleet, jobs, 'after');
    const controller = new AbortController();
    const error = failure(fleet.run('add', [1, 2], { delayMs, signal: controller.signal }));
    await asked;
    controller.abort();
    assert.equal((await error).code, 'ERR_TASK_ABORTED');
    const closing = fleet.close({ timeoutMs: 0 });
    await release();
    await closing;
    assert.equal(await jobs.count(), 0);
  });

  test('what a machine gives back wakes those that are idle', { timeout: 30_000 }, async (t) => {
    const { queue, fleet } = fleetOf(t);
    const files = folder(t);
    const pool = { threads: 2 };
    const closing = await machineHere(t, redis, { queue, pool });
    const args = [files.path('notes'), files.path('go')];
    const calls = await Promise.all([1, 2].map(() => begun(fleet, 'noteAndWait', args)));
    // By themselves these would look again after a minute.
    const worker = { drainDelay: 60 };
    for (let i = 0; i < 2; i++) await machineHere(t, redis, { queue, pool: { threads: 1 }, worker });
    const admin = redis.client(t);
    while ((await admin.client('LIST')).split('cmd=bzpopmin').length < 3);
    await closing.close({ timeoutMs: 0 });
    assert.equal(closing.stats().returned, 2);
    files.open('go');
    await Promise.all(calls.map(({ promise }) => promise));
  });

  test('while Redis is away an abort is heard at once, and close ends at once and tells everybody who waits', async (t) => {
    const connection = { host: '127.0.0.1', port: await freePort() };
    const fleet = connect({ queue: 'work', connection, connectTimeoutMs: 3_600_000 });
    onEnd(t, () => fleet.close());
    const controller = new AbortController();
    const aborted = failure(fleet.run('add', [1, 2], { signal: controller.signal }));
    const waiting = [fleet.run('add', [1, 2]), fleet.ready, fleet.stats()].map(failure);
    controller.abort();
    assert.equal((await aborted).code, 'ERR_TASK_ABORTED');
    await fleet.close({ timeoutMs: 0 });
    for (const error of await Promise.all(waiting)) assert.equal(error.code, 'ERR_FLEET_CLOSED');
    assert.match((await waiting[0]).message, /before the job was added/);
    assert.equal((await failure(fleet.ready)).code, 'ERR_FLEET_CLOSED');
  });

  test('close while Redis is away leaves no timer that keeps the process', async (t) => {
    let tried;
    const isAway = new Promise((resolve) => (tried = resolve));
    const retryStrategy = () => {
      tried();
      return 3_600_000;
    };
    const connection = { host: '127.0.0.1', port: await freePort(), retryStrategy };
    const fleet = connect({ queue: 'work', connection });
    onEnd(t, () => fleet.close());
    await isAway;
    const { mock } = t.mock.method(globalThis, 'setTimeout');
    await fleet.close({ timeoutMs: 0 });
    const longest = Math.max(...mock.calls.map(({ arguments: [, ms] }) => ms));
    assert.equal(longest, 0);
  });

  test('a machine that has closed tells nothing of what Redis has not answered', async (t) => {
    const redis = await RedisServer.start(t);
    const errors = [];
    const service = await machineHere(t, redis, { onError: ({ message }) => errors.push(message) });
    const admin = redis.client(t);
    await admin.call('CLIENT', 'PAUSE', 600_000, 'WRITE');
    while (!/cmd=eval /.test(await admin.call('CLIENT', 'LIST')));
    await service.close();
    // Its last request is rejected when its connection is gone.
    while ((await admin.call('CLIENT', 'LIST')).trim().includes('\n'));
    await admin.ping();
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0], /^The service was cut off while it closed: .* within 5000 ms/);
  });
});
