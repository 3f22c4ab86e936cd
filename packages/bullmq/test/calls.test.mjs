/** The calls of a fleet: what a pool promises, over a real Redis; and jobs as BullMQ and others see them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { connect, FleetError, serve } from '@threadwise/bullmq';
import { FlowProducer, Queue, QueueEvents } from 'bullmq';
import { isThreadwiseError } from 'threadwise';
import { begun, caller, eventsOf, failure, folder, machineHere, tasksUrl, told } from './helpers.mjs';
import { onEnd, skip, startForSuite } from './redis.mjs';

describe('calls', { skip }, () => {
  let redis;
  startForSuite((started) => (redis = started));
  let number = 0;
  /** A queue of the test's own, a machine and a caller. */
  async function fleetOf(t, { machine, fleet } = {}) {
    const queue = `calls-${number++}`;
    const service = await machineHere(t, redis, { queue, ...machine });
    return { queue, service, fleet: caller(t, redis, { queue, ...fleet }) };
  }

  test('run and tasks resolve to what the task returns, with its job', async (t) => {
    const { fleet } = await fleetOf(t);
    assert.equal(await fleet.run('add', [2, 3]), 5);
    assert.equal(await fleet.tasks.add('a', 'b'), 'ab');
    assert.equal(JSON.stringify(fleet.tasks), '{}');
    assert.equal((await fleet.stats()).open, 0, 'no task was called for JSON');
    const { id, attempt } = await fleet.tasks.who();
    assert.equal(attempt, 1);
    assert.match(id, /^[0-9a-f-]{36}$/);
  });

  test('values that JSON changes arrive as they were', async (t) => {
    const { fleet } = await fleetOf(t);
    const cyclic = { name: 'me' };
    cyclic.self = cyclic;
    const values = [
      ...[undefined, null, NaN, -0, 10n, new Date(5), new Map([[1, new Set([2])]]), Uint8Array.of(1, 2)],
      ...[[undefined], cyclic, { $threadwise: 'v8', base64: '' }, 'é\u2028', { a: [1, 'x', null, true] }],
    ];
    for (const value of values) {
      const back = await fleet.run('echo', [value]);
      assert.ok(isDeepStrictEqual(back, value) && Object.is(typeof back, typeof value), String(value));
    }
  });

  test('arguments are those of the moment of the call', async (t) => {
    const { fleet } = await fleetOf(t);
    const value = { at: 1 };
    const call = fleet.run('echo', [value]);
    value.at = 2;
    assert.deepEqual(await call, { at: 1 });
  });

  test("encoding 'json' refuses them, and says where; a function is refused always", async (t) => {
    const { fleet } = await fleetOf(t, { fleet: { encoding: 'json' } });
    assert.equal(await fleet.run('nothing', []), null);
    const error = await failure(fleet.run('echo', [{ at: [1, new Date()] }]));
    assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'args[0].at[1]']);
    const result = await failure(fleet.run('bytes', [1]));
    assert.deepEqual([result.code, result.path], ['ERR_NOT_CLONEABLE', 'the result']);
    const other = caller(t, redis, { queue: fleet.queue.name });
    assert.equal((await failure(other.run('echo', [() => 1]))).code, 'ERR_NOT_CLONEABLE');
  });

  test('what the task throws arrives with class, message, stack, cause and fields; a value, as it is', async (t) => {
    const { fleet } = await fleetOf(t);
    const error = await failure(fleet.run('fail', ['bad', { code: 'E_X', at: new Date(7) }]));
    assert.ok(error instanceof RangeError);
    assert.deepEqual([error.message, error.code, error.at], ['bad', 'E_X', new Date(7)]);
    assert.match(error.stack, /tasks\.mjs:\d+[\s\S]*--- called from ---[\s\S]*calls\.test\.mjs/);
    assert.ok(error.cause instanceof TypeError);
    assert.deepEqual(await failure(fleet.run('throwValue', [{ not: 'an error' }])), { not: 'an error' });
    assert.equal(await failure(fleet.run('throwValue', [null])), null);
    const missing = await failure(fleet.run('nope', []));
    assert.ok(isThreadwiseError(missing) && missing.code === 'ERR_TASK_NOT_FOUND');
    assert.equal((await failure(fleet.run('exit', [3]))).code, 'ERR_WORKER_CRASHED');
  });

  test('retries, and no retry of what fails again anyway', async (t) => {
    const { fleet, queue } = await fleetOf(t);
    assert.equal(await fleet.run('onAttempt', [3], { retries: 2, backoff: 1 }), 3);
    assert.equal((await failure(fleet.run('onAttempt', [3], { retries: 1 }))).message, 'attempt 2');
    const backoff = { type: 'unheard' };
    assert.equal((await failure(fleet.run('onAttempt', [3], { retries: 2, backoff }))).code, 'ERR_OPTION');
    await failure(fleet.run('nope', [], { retries: 5, jobId: 'none' }));
    const jobs = new Queue(queue, { connection: redis.connection });
    onEnd(t, () => jobs.close());
    assert.equal((await jobs.getJob('none')).attemptsMade, 1);
  });

  test('what a pool of the task’s own refuses is an error of the task: it is tried again only if the call says so', async (t) => {
    const { fleet, service } = await fleetOf(t);
    for (const code of ['ERR_POOL_CLOSED', 'ERR_MODULE_LOAD', 'ERR_TASK_ABORTED']) {
      const error = await failure(fleet.run('failsInPool', [code]));
      assert.deepEqual([error.code, error.message], [code, 'of another pool']);
      assert.equal(await fleet.run('failsInPool', [code], { retries: 1 }), 2);
    }
    assert.equal(service.stats().returned, 0);
  });

  test('a backoffStrategy that throws or returns no number fails the job, and the caller hears both reasons', async (t) => {
    const answers = {
      ok: () => 1,
      never: () => -1,
      throws: () => {
        throw new Error('no such backoff');
      },
      rejects: () => Promise.reject('not even an error'),
      text: () => 'soon',
      nothing: () => undefined,
      infinity: () => Promise.resolve(Infinity),
    };
    const worker = { settings: { backoffStrategy: (_made, type) => answers[type]() } };
    const { fleet } = await fleetOf(t, { machine: { worker } });
    const call = (type) => fleet.run('onAttempt', [2], { retries: 1, backoff: { type } });
    assert.equal(await call('ok'), 2);
    assert.equal((await failure(call('never'))).message, 'attempt 1');
    for (const [type, reason] of [
      ['throws', /backoffStrategy.*no such backoff.*attempt 1/],
      ['rejects', /backoffStrategy.*not even an error.*attempt 1/],
      ['text', /backoffStrategy.*milliseconds.*soon.*attempt 1/],
      ['nothing', /backoffStrategy.*milliseconds.*undefined.*attempt 1/],
      ['infinity', /backoffStrategy.*milliseconds.*Infinity.*attempt 1/],
    ]) {
      const { code, message } = await failure(call(type));
      assert.equal(code, 'ERR_FLEET_JOB_FAILED', type);
      assert.match(message, reason);
    }
  });

  test('a tracer that fails, or returns what cannot be cloned, is reported once, and no task loses its job', async (t) => {
    for (const onTaskStart of [
      () => Symbol('span'),
      () => Promise.reject(new Error('no span')),
      ({ span }) => span.id,
    ]) {
      const errors = [];
      const { fleet } = await fleetOf(t, {
        machine: { pool: { onTaskStart }, onError: (error) => errors.push(error) },
      });
      for (const jobId of ['first', 'second'])
        assert.equal((await fleet.run('who', [], { jobId })).id, jobId);
      assert.equal(errors.length, 1);
    }
  });

  test('a task that runs too long rejects with ERR_TASK_TIMEOUT', async (t) => {
    const { fleet } = await fleetOf(t);
    const { path } = folder(t);
    assert.equal(
      (await failure(fleet.run('spinUntil', [path('never')], { timeoutMs: 50 }))).code,
      'ERR_TASK_TIMEOUT',
    );
  });

  test('progress is heard, encoded where need be, and logs are in the job', async (t) => {
    const { fleet, queue } = await fleetOf(t);
    const heard = [];
    const onProgress = (value) => heard.push(value);
    await fleet.run('steps', [[1, new Map([[1, 2]])]], { onProgress, jobId: 'steps' });
    assert.deepEqual(heard.at(-1), new Map([[1, 2]]));
    const jobs = new Queue(queue, { connection: redis.connection });
    onEnd(t, () => jobs.close());
    assert.deepEqual((await jobs.getJobLogs('steps')).logs, ['step 1', 'step {}']);
  });

  test('map gives results in order, reads no further than they are taken, and ends with the first error', async (t) => {
    const { fleet } = await fleetOf(t);
    let read = 0;
    function* numbers() {
      for (let i = 0; i < 200; i++) {
        read++;
        yield i;
      }
    }
    const results = [];
    for await (const result of fleet.map('echo', numbers(), { concurrency: 7 })) {
      assert.ok(read <= results.length + 8, `${read} read`);
      results.push(result);
    }
    assert.deepEqual(results, [...Array(200).keys()]);
    const unordered = [];
    for await (const result of fleet.map('echo', [1, 2, 3], { ordered: false })) unordered.push(result);
    assert.deepEqual(unordered.sort(), [1, 2, 3]);
    await assert.rejects(async () => {
      for await (const _ of fleet.map('throwValue', [new Error('third')]));
    }, /third/);
  });

  test('leaving a map removes the jobs that wait', async (t) => {
    const queue = `calls-${number++}`;
    const fleet = caller(t, redis, { queue });
    const service = await machineHere(t, redis, { queue, pool: { threads: 1 } });
    for await (const _ of fleet.map('echo', Array(100).fill(1), { concurrency: 50 })) break;
    await fleet.close();
    const jobs = new Queue(queue, { connection: redis.connection });
    onEnd(t, () => jobs.close());
    await service.close();
    assert.equal((await jobs.getJobCounts('wait', 'prioritized')).prioritized, 0);
  });

  test('the abort of a call that waits removes its job, of one that runs raises its signal', async (t) => {
    const { fleet, queue } = await fleetOf(t, { machine: { pool: { threads: 1 } } });
    const { path, wrote } = folder(t);
    const events = new QueueEvents(queue, { connection: redis.connection, lastEventId: '0' });
    onEnd(t, () => events.close());
    const controller = new AbortController();
    const { promise } = await begun(fleet, 'untilAborted', [path('notes')], { signal: controller.signal });
    const waiting = fleet.run('echo', [1], { signal: controller.signal, delayMs: 3_600_000, backoff: 5 });
    await told(events, 'delayed');
    const [failed, removed] = [told(events, 'failed'), told(events, 'removed')];
    controller.abort(new Error('enough'));
    for (const call of [promise, waiting]) {
      const error = await failure(call);
      assert.deepEqual(
        [error.code, error.name, error.cause.message],
        ['ERR_TASK_ABORTED', 'AbortError', 'enough'],
      );
    }
    assert.match((await failed)[0].failedReason, /aborted by its caller/);
    await removed;
    // The one worker comes to it when the task has ended.
    await fleet.run('echo', [1]);
    assert.deepEqual(wrote('notes'), ['aborted']);
    const late = await failure(fleet.run('add', [1, 1], { signal: AbortSignal.abort(new Error('before')) }));
    assert.deepEqual([late.code, late.cause.message], ['ERR_TASK_ABORTED', 'before']);
  });

  test('a higher priority runs earlier, also before calls without one', async (t) => {
    const queue = `calls-${number++}`;
    const fleet = caller(t, redis, { queue });
    const { path, wrote } = folder(t);
    await fleet.ready;
    const jobs = new Queue(queue, { connection: redis.connection });
    onEnd(t, () => jobs.close());
    for (const [id, priority] of [
      ['low', -5],
      ['usual', undefined],
      ['high', 5],
    ]) {
      const options = priority === undefined ? {} : { priority };
      const { name, data, opts } = await fleet.job('note', [path('notes'), id], options);
      await jobs.add(name, data, opts);
    }
    const last = fleet.run('note', [path('notes'), 'last'], { priority: -10 });
    const service = await machineHere(t, redis, { queue, pool: { threads: 1 } });
    await last;
    await service.close();
    assert.deepEqual(wrote('notes'), ['high', 'usual', 'low', 'last']);
  });

  test('the same jobId is one job: a second call gets the result of the first', async (t) => {
    const { fleet } = await fleetOf(t);
    const first = await fleet.run('who', [], { jobId: 'once' });
    assert.deepEqual(await fleet.run('who', [], { jobId: 'once' }), first);
    assert.equal(first.id, 'once');
  });

  test('deduplication: the second call waits for the first one’s job', async (t) => {
    const queue = `calls-${number++}`;
    const fleet = caller(t, redis, { queue });
    const calls = [1, 2].map(() => fleet.run('who', [], { deduplication: { id: 'same' } }));
    await fleet.ready;
    await machineHere(t, redis, { queue });
    const [one, two] = await Promise.all(calls);
    assert.equal(one.id, two.id);
  });

  test('deduplication that replaces a delayed job: the first call waits for the second one’s job', async (t) => {
    const { fleet, queue } = await fleetOf(t);
    const deduplication = { id: 'same', replace: true };
    const added = told(fleet.queue, 'waiting');
    const first = fleet.run('echo', ['first'], { deduplication, delayMs: 3_600_000 });
    await added;
    assert.equal(await caller(t, redis, { queue }).run('echo', ['second'], { deduplication }), 'second');
    assert.equal(await first, 'second');
  });

  test('flows: a parent sees the results of its children', async (t) => {
    const { fleet, queue } = await fleetOf(t);
    const flows = new FlowProducer({ connection: redis.connection });
    const events = new QueueEvents(queue, { connection: redis.connection });
    onEnd(t, () => Promise.all([flows.close(), events.close()]));
    const children = await Promise.all([fleet.job('add', [1, 2]), fleet.job('add', [3, 4])]);
    const { job } = await flows.add({ ...(await fleet.job('sum', [])), children });
    assert.equal(await job.waitUntilFinished(events), 10);
  });

  test('flows: a parent fails with a child that says so', async (t) => {
    const { fleet, queue } = await fleetOf(t);
    const flows = new FlowProducer({ connection: redis.connection });
    const events = new QueueEvents(queue, { connection: redis.connection });
    onEnd(t, () => Promise.all([flows.close(), events.close()]));
    const part = await fleet.job('fail', ['no part']);
    const child = { ...part, opts: { ...part.opts, failParentOnFailure: true } };
    const { job } = await flows.add({ ...(await fleet.job('sum', [])), children: [child] });
    await assert.rejects(job.waitUntilFinished(events), /^Error: child .* failed$/);
  });

  test('a schedule: BullMQ adds the job, a machine runs it', async (t) => {
    const { fleet, queue } = await fleetOf(t);
    const events = new QueueEvents(queue, { connection: redis.connection });
    onEnd(t, () => events.close());
    await events.waitUntilReady();
    const done = told(events, 'completed');
    await fleet.queue.upsertJobScheduler('often', { every: 60_000 }, await fleet.job('add', [20, 22]));
    assert.equal((await done)[0].returnvalue, 42);
  });

  test('a rate limit is one of the whole fleet: BullMQ’s', async (t) => {
    const { service } = await fleetOf(t, { machine: { limiter: { max: 2, duration: 1000 } } });
    assert.deepEqual(service.worker.opts.limiter, { max: 2, duration: 1000 });
  });

  test('what is larger than allowed is refused with the limit, on either side', async (t) => {
    const { fleet } = await fleetOf(t, { machine: { maxBytes: 2000 }, fleet: { maxBytes: 1000 } });
    const refused = await failure(fleet.run('echo', ['x'.repeat(1000)]));
    assert.equal(refused.code, 'ERR_PAYLOAD_TOO_LARGE');
    assert.match(refused.message, /1004 bytes .* at most 1000 are allowed\. Put it where .* and send where$/);
    assert.equal(refused.maxBytes, 1000);
    const result = await failure(fleet.run('bytes', [3000], { retries: 3 }));
    assert.equal(result.code, 'ERR_PAYLOAD_TOO_LARGE');
    assert.match(result.message, /at most 2000/);
    assert.equal(result.maxBytes, 2000);
    const error = await failure(fleet.run('fail', ['m', { much: 'x'.repeat(900) }]));
    assert.match(error.message, /^m/);
  });

  test('an error that is larger than allowed is cut, wherever BullMQ keeps it', async (t) => {
    const { fleet, queue } = await fleetOf(t, { machine: { maxBytes: 5000 } });
    const events = await eventsOf(t, redis, queue);
    const failed = told(events, 'failed');
    const error = await failure(fleet.run('fail', ['x'.repeat(100_000)], { jobId: 'long' }));
    assert.match(error.message, /^x{1000} \(shortened: larger than 5000 bytes\)$/);
    const value = await failure(fleet.run('throwValue', ['y'.repeat(100_000)]));
    assert.match(value.message, /^y{1000} \(shortened/);
    assert.ok((await failed)[0].failedReason.length < 2000);
    const kept = Object.values(await redis.client(t).hgetall(fleet.queue.toKey('long')));
    // Besides the argument, which its caller was allowed.
    assert.deepEqual(
      kept.filter((field) => field.length > 5000).map((field) => field.length),
      [100_004],
    );
  });

  test('where much is allowed, the caller gets all of an error, and BullMQ, which keeps its message twice, at most 1 MiB', async (t) => {
    const { fleet, queue } = await fleetOf(t, { machine: { maxBytes: 2 ** 23 } });
    const events = await eventsOf(t, redis, queue);
    const failed = told(events, 'failed');
    const error = await failure(fleet.run('failLong', [2 ** 21], { jobId: 'long' }));
    assert.equal(error.message, 'x'.repeat(2 ** 21));
    assert.match((await failed)[0].failedReason, /^x{1000} \(shortened: larger than 1048576 bytes\)$/);
    const { failedReason, stacktrace } = await fleet.queue.getJob('long');
    assert.deepEqual([failedReason.length < 2000, stacktrace.join('').length < 2000], [true, true]);
  });

  test('what a task throws is what its caller hears, whatever its message and the size of its fields', async (t) => {
    const { fleet } = await fleetOf(t, { machine: { maxBytes: 5000 } });
    const large = await failure(fleet.run('fail', ['m', { much: 'x'.repeat(100_000) }]));
    assert.equal(large.message, 'm (shortened: larger than 5000 bytes)');
    // BullMQ would take the last one for a limit of the rate.
    for (const message of ['', '\ud800', '\0', 'bullmq:rateLimitExceeded']) {
      const error = await failure(fleet.run('fail', [message]));
      assert.deepEqual([error.name, error.message], ['RangeError', message]);
    }
  });

  test('whatever is thrown, or given as the reason of an abort, arrives: also what cannot be made a string', async (t) => {
    const { fleet } = await fleetOf(t, { machine: { pool: { threads: 1 } } });
    const thrown = { toString: 1, valueOf: 2 };
    assert.deepEqual(await failure(fleet.run('throwValue', [thrown])), thrown);
    const { path, wrote } = folder(t);
    const controller = new AbortController();
    const { promise } = await begun(fleet, 'untilAborted', [path('notes')], { signal: controller.signal });
    controller.abort(Object.create(null));
    assert.equal((await failure(promise)).code, 'ERR_TASK_ABORTED');
    // The one worker comes to it when the task has ended.
    await fleet.run('echo', [1]);
    assert.deepEqual(wrote('notes'), ['aborted']);
  });

  test('a machine with another version of the module fails the call, if that is asked for', async (t) => {
    const { queue } = await fleetOf(t);
    const other = caller(t, redis, { queue, module: import.meta.url });
    const error = await failure(other.run('add', [1, 2]));
    assert.ok(error instanceof FleetError);
    assert.equal(error.code, 'ERR_FLEET_MODULE');
    const same = caller(t, redis, { queue, module: tasksUrl });
    assert.equal(await same.run('add', [1, 2]), 3);
  });

  test('a module that registers classes is served, and their instances arrive as plain objects', async (t) => {
    const { path } = folder(t);
    const queue = `calls-${number++}`;
    const code = 'class Point { x = 1 } export const threadwise = { classes: [Point] };';
    writeFileSync(path('shapes.mjs'), `${code} export const point = () => new Point();`);
    await machineHere(t, redis, { queue }, pathToFileURL(path('shapes.mjs')));
    assert.deepEqual(await caller(t, redis, { queue }).run('point', []), { x: 1 });
  });

  test('the version of a machine’s module is what it has loaded, not what was written there since', async (t) => {
    const { path } = folder(t);
    const module = pathToFileURL(path('module.mjs'));
    writeFileSync(module, "export const version = () => 'old';");
    const queue = `calls-${number++}`;
    await machineHere(t, redis, { queue }, module);
    writeFileSync(module, "export const version = () => 'new';");
    const error = await failure(caller(t, redis, { queue, module }).run('version', []));
    assert.equal(error.code, 'ERR_FLEET_MODULE');
  });

  test('a module that is not there fails a call, and is looked for again by the next one', async (t) => {
    const { path } = folder(t);
    const module = pathToFileURL(path('module.mjs'));
    const queue = `calls-${number++}`;
    const fleet = caller(t, redis, { queue, module });
    assert.equal((await failure(fleet.run('one', []))).code, 'ERR_FLEET_MODULE');
    writeFileSync(module, 'export const one = () => 1;');
    await machineHere(t, redis, { queue }, module);
    assert.equal(await fleet.run('one', []), 1);
  });

  test('a job that somebody removes rejects its call', async (t) => {
    const fleet = caller(t, redis, { queue: `calls-${number++}` });
    const call = fleet.run('add', [1, 2], { jobId: 'gone', delayMs: 3_600_000 });
    const events = new QueueEvents(fleet.queue.name, { connection: redis.connection, lastEventId: '0' });
    onEnd(t, () => events.close());
    await told(events, 'delayed');
    await fleet.queue.remove('gone');
    assert.equal((await failure(call)).code, 'ERR_FLEET_JOB_LOST');
  });

  test('statistics: the queue, each machine, and all together', async (t) => {
    const { fleet, queue, service } = await fleetOf(t, { machine: { name: 'a' } });
    await machineHere(t, redis, { queue, name: 'b', pool: { threads: 1 } });
    await fleet.run('add', [1, 2]);
    const { jobs, machines, threads, perMachine } = await fleet.stats();
    assert.deepEqual([jobs.completed, jobs.waiting, machines, threads], [1, 0, 2, 3]);
    assert.deepEqual(
      perMachine.map(({ name, state }) => [name, state]),
      [
        ['a', 'running'],
        ['b', 'running'],
      ],
    );
    await service.close();
    assert.equal((await fleet.stats()).machines, 1);
  });

  test('statistics leave out what is no report of a machine', async (t) => {
    const fleet = caller(t, redis, { queue: `calls-${number++}` });
    const admin = redis.client(t);
    const list = fleet.queue.toKey('threadwise:machines');
    const report = JSON.stringify({ id: 'a', name: 'a', threads: 2 });
    const entries = { a: report, cut: report.slice(0, -1), number: '5', nothing: 'null', other: '{}' };
    for (const [id, text] of Object.entries(entries)) await admin.set(`${list}:${id}`, text);
    await admin.sadd(list, ...Object.keys(entries));
    const { machines, threads } = await fleet.stats();
    assert.deepEqual([machines, threads], [1, 2]);
  });

  test('close ends the waiting of calls that are open, and leaves their jobs', async (t) => {
    const fleet = caller(t, redis, { queue: `calls-${number++}` });
    const call = fleet.run('add', [1, 2]);
    await fleet.ready;
    await fleet.queue.waitUntilReady();
    const error = failure(call);
    await fleet.close({ timeoutMs: 0 });
    assert.equal((await error).code, 'ERR_FLEET_CLOSED');
    assert.equal((await failure(fleet.run('add', [1, 2]))).code, 'ERR_FLEET_CLOSED');
  });

  test('an option of the worker that is undefined is as one that is not there', async (t) => {
    const worker = { drainDelay: undefined, removeOnFail: undefined };
    const { fleet } = await fleetOf(t, { machine: { worker } });
    assert.equal(await fleet.run('add', [2, 3]), 5);
  });

  test('options that are wrong, or have no counterpart, are refused by name', async (t) => {
    const fleet = caller(t, redis, { queue: `calls-${number++}` });
    for (const [options, says] of [
      [{ transfer: [] }, /'transfer'.*nothing can be moved to another machine/],
      [{ repeat: { every: 5 } }, /'repeat'.*upsertJobScheduler/],
      [{ attempts: 3 }, /'attempts'.*'retries'/],
      [{ priority: 1.5 }, /'priority': expected a whole number/],
      [{ backoff: { type: 'fixed', delay: 'soon' } }, /'backoff.delay': expected/],
      [{ key: {} }, /'key': expected a string or a number/],
      [{ jobId: '17' }, /'jobId': expected a string that is no whole number/],
      [{ jobId: '-5' }, /'jobId': expected a string that is no whole number/],
      [{ jobId: 'NaN' }, /'jobId': expected a string that is no whole number/],
      [{ jobId: 'wait' }, /'jobId': expected a string that .* is no name such as 'meta'/],
      [{ jobId: 'meta' }, /'jobId': expected a string that .* is no name such as 'meta'/],
      [{ jobId: 'a\ud800' }, /'jobId': expected a string that UTF-8 can carry/],
      [{ retrys: 1 }, /Unknown option 'retrys'. Did you mean 'retries'/],
      [{ job: { parent: {} } }, /Unknown option 'job.parent'/],
      [{ deduplication: {} }, /'deduplication.id': expected a string/],
      [{ deduplication: { id: 'a', ttl: '5' } }, /'deduplication.ttl': expected a whole number/],
      [{ deduplication: { id: 'a', replace: 1 } }, /'deduplication.replace': expected true or false/],
      [
        { deduplication: { id: 'a', keepLastIfActive: true } },
        /'deduplication.keepLastIfActive': expected to be left out of a call/,
      ],
      [{ backoff: { type: 'fixed', jitter: 5 } }, /'backoff.jitter': expected a number from 0 to 1/],
      [{ job: { lifo: 'yes' } }, /'job.lifo': expected true or false/],
      [{ job: { keepLogs: () => 5 } }, /'job.keepLogs': expected a whole number/],
      [{ job: { stackTraceLimit: null } }, /'job.stackTraceLimit': expected a whole number/],
      [{ job: { removeOnComplete: 'never' } }, /'job.removeOnComplete': expected an object/],
      [{ job: { removeOnFail: { age: '5' } } }, /'job.removeOnFail.age': expected a whole number/],
      [{ job: { telemetry: null } }, /'job.telemetry': expected an object/],
      [null, /'options': expected an object/],
    ]) {
      const error = await failure(fleet.run('add', [1, 2], options));
      assert.equal(error.code, 'ERR_OPTION', JSON.stringify(options));
      assert.match(error.message, says);
    }
    // A job that nobody waits for may have it.
    const deduplication = { id: 'a', keepLastIfActive: true };
    assert.deepEqual((await fleet.job('add', [1, 2], { deduplication })).opts.deduplication, deduplication);
    for (const name of [undefined, 5, ''])
      for (const refused of [fleet.run(name, []), fleet.job(name, [])])
        assert.match((await failure(refused)).message, /'name': expected a string/);
    assert.throws(() => fleet.map('add', [1], { jobId: 'same' }), { code: 'ERR_OPTION' });
    for (const queue of ['a:b', 'a\ud800'])
      assert.throws(() => connect({ queue, connection: redis.connection }), { code: 'ERR_OPTION' });
    assert.throws(() => connect({ queue: 'a' }), { code: 'ERR_OPTION' });
    for (const connection of ['h', ['h', 1], new URL('redis://h:1')])
      assert.throws(() => connect({ queue: 'a', connection }), /'connection': expected a string with a URL/);
    for (const options of [null, 500, 'many', () => 500, { concurency: 5 }])
      assert.throws(() => fleet.map('add', [1], options), { code: 'ERR_OPTION' });
    const prefixed = { ...redis.connection, keyPrefix: 'mine:' };
    assert.throws(() => connect({ queue: 'a', connection: prefixed }), {
      code: 'ERR_OPTION',
      message: /'connection.keyPrefix'.*'prefix'/,
    });
    const service = { queue: 'a', connection: redis.connection };
    assert.throws(() => serve(tasksUrl, { ...service, connection: prefixed }), { code: 'ERR_OPTION' });
    assert.throws(() => serve(tasksUrl, { ...service, pool: { retries: 1 } }), /'pool.retries'/);
    assert.throws(
      () => serve(tasksUrl, { ...service, pool: { onTaskStart: 1 } }),
      /'pool.onTaskStart': expected/,
    );
    for (const drainDelay of [0, '5', Infinity])
      assert.throws(() => serve(tasksUrl, { ...service, worker: { drainDelay } }), /'worker.drainDelay'/);
    for (const [worker, says] of [
      [{ maxStartedAttempts: -1 }, /'worker.maxStartedAttempts': expected a whole number/],
      [{ settings: 5 }, /'worker.settings': expected an object/],
      [{ settings: { backoffStrategy: 5 } }, /'worker.settings.backoffStrategy': expected a function/],
      [{ telemetry: {} }, /'worker.telemetry': expected an object with a 'tracer' and a 'contextManager'/],
      [{ metrics: { maxDataPoints: '5' } }, /'worker.metrics.maxDataPoints': expected a whole number/],
      [{ removeOnComplete: true }, /'worker.removeOnComplete': expected an object/],
    ])
      assert.throws(() => serve(tasksUrl, { ...service, worker }), { code: 'ERR_OPTION', message: says });
    for (const signal of ['SIGTREM', 'SIGKILL'])
      assert.throws(() => serve(tasksUrl, { ...service, signals: [signal] }), /'signals': expected names/);
    assert.throws(() => serve(tasksUrl, { ...service, pool: [] }), /'pool': expected an object/);
    for (const path of ['tasks.js', '/tasks.js'])
      assert.throws(() => serve(path, service), { code: 'ERR_OPTION', message: /in CommonJS pathToFileURL/ });
    assert.throws(() => serve(tasksUrl, { ...service, pool: { threads: -1 } }), { code: 'ERR_OPTION' });
  });
});
