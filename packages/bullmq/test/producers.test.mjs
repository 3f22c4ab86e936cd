/** Jobs that no fleet has made, but BullMQ's Queue or a program in another language: what runs, what is refused, and what stands in Redis then. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deserialize } from 'node:v8';
import { Queue, QueueEvents } from 'bullmq';
import { caller, failure, folder, machineHere, QUICK } from './helpers.mjs';
import { onEnd, skip, startForSuite } from './redis.mjs';

describe('other producers', { skip }, () => {
  let redis;
  startForSuite((started) => (redis = started));
  let number = 0;

  /** A queue with one machine. `run` resolves to what BullMQ gives, `stored` to the fields of a job as anybody reads them. */
  async function producer(t) {
    const queue = `producers-${number++}`;
    const { connection } = redis;
    const jobs = new Queue(queue, { connection });
    const events = new QueueEvents(queue, { connection });
    onEnd(t, () => Promise.all([jobs.close(), events.close()]));
    await events.waitUntilReady();
    const service = await machineHere(t, redis, { queue, ...QUICK });
    const client = redis.client(t);
    const run = async (...job) => (await jobs.add(...job)).waitUntilFinished(events);
    const stored = (id) => client.hgetall(jobs.toKey(id));
    return { queue, service, jobs, events, client, run, stored };
  }

  test('the name is the task, the data its arguments, the result plain JSON', async (t) => {
    const { jobs, events, stored } = await producer(t);
    const value = { a: [1, 'é', null, true], b: { c: -0.5 } };
    for (const [name, args, result] of [
      ['add', [2, 3], 5],
      ['echo', [value], value],
      ['nothing', [], null],
    ]) {
      const job = await jobs.add(name, args);
      assert.deepEqual(await job.waitUntilFinished(events), result);
      assert.deepEqual(JSON.parse((await stored(job.id)).returnvalue), result);
    }
  });

  test('data that is no list is refused, and says what it is; no attempt is made again', async (t) => {
    const { jobs, events, stored } = await producer(t);
    for (const [data, says] of [
      [undefined, /no list of arguments, but object: give one argument as \[argument\]/],
      [{ a: 1 }, /no list of arguments, but object/],
      ['text', /no list of arguments, but string/],
      [null, /no list of arguments, but null/],
      [{ $threadwise: 'v9' }, /an encoding that this version does not know: "v9"/],
      [{ $threadwise: 'v8', base64: 'AAAA' }, /a newer Node.js wrote it, or it is damaged/],
    ]) {
      const job = await jobs.add('add', data, { attempts: 3 });
      assert.match((await failure(job.waitUntilFinished(events))).message, says);
      const { failedReason, atm } = await stored(job.id);
      assert.match(failedReason, says);
      assert.equal(atm, '1');
    }
  });

  test('a name that is no task is refused, whatever it is', async (t) => {
    const { run } = await producer(t);
    for (const name of ['charge', 'constructor', '__proto__', 'then'])
      assert.match((await failure(run(name, [1]))).message, new RegExp(`exports no task '${name}'`));
    assert.match((await failure(run('', [1]))).message, /'name': expected a string, got ""/);
  });

  test('data that is no JSON fails its job, and nothing else: it does not go from machine to machine', async (t) => {
    const { queue, jobs, events, client, run, service } = await producer(t);
    await service.close();
    const bad = await jobs.add('add', [1, 2]);
    await client.hset(jobs.toKey(bad.id), 'data', '{not json');
    const good = await jobs.add('add', [3, 4]);
    const next = await machineHere(t, redis, { queue, ...QUICK, pool: { threads: 1 } });
    assert.match(
      (await failure(bad.waitUntilFinished(events))).message,
      /^The data of job 'add' is no JSON: /,
    );
    assert.equal(await good.waitUntilFinished(events), 7);
    assert.equal(await run('add', [5, 6]), 11);
    assert.deepEqual([next.stats().recovered, next.stats().failed], [0, 1]);
  });

  test('options of a call that BullMQ does not know stand under threadwise', async (t) => {
    const { run } = await producer(t);
    const { path } = folder(t);
    const late = run('spinUntil', [path('never')], { threadwise: { timeoutMs: 50 } });
    assert.match((await failure(late)).message, /ran longer than its timeout of 50 ms/);
    const { $threadwise, base64 } = await run('bytes', [2], { threadwise: { encoding: 'auto' } });
    assert.equal($threadwise, 'v8');
    assert.deepEqual(deserialize(Buffer.from(base64, 'base64')), Uint8Array.of(7, 7));
    assert.match((await failure(run('bytes', [1]))).message, /cannot be carried by JSON/);
    assert.equal(await run('add', [1, 2], { threadwise: { key: 7 } }), 3);
  });

  test('and are checked: what is wrong there fails its job, and says what was expected', async (t) => {
    const { run } = await producer(t);
    for (const [threadwise, says] of [
      [5, /'threadwise': expected an object, got 5/],
      [{ timeout: 50 }, /Unknown option 'threadwise.timeout'. Did you mean 'timeoutMs'/],
      [{ timeoutMs: 'soon' }, /'threadwise.timeoutMs': expected milliseconds .* got "soon"/],
      [{ key: {} }, /'threadwise.key': expected a string or a number/],
      [{ encoding: 'xml' }, /'threadwise.encoding': expected 'auto' or 'json' or 'v8', got "xml"/],
      [{ call: 5 }, /'threadwise.call': expected a string, got 5/],
      [{ module: 'other' }, /The caller has version other of the task module/],
    ]) {
      const error = await failure(run('echo', [1], { threadwise, attempts: 3 }));
      assert.match(error.message, says, JSON.stringify(threadwise));
    }
  });

  test('a fleet waits for a job of another producer by its id, and gets its result and its error', async (t) => {
    const { queue, jobs, run } = await producer(t);
    const fleet = caller(t, redis, { queue });
    await run('add', [20, 22], { jobId: 'theirs' });
    assert.equal(await fleet.run('add', [0, 0], { jobId: 'theirs' }), 42);
    await failure(run('add', 'no list', { jobId: 'wrong' }));
    const error = await failure(fleet.run('add', [0, 0], { jobId: 'wrong' }));
    assert.deepEqual([error.name, error.code, error.jobId], ['FleetError', 'ERR_FLEET_DATA', 'wrong']);
    assert.equal((await jobs.getJobCounts('failed')).failed, 1);
  });
});
