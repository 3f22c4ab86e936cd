// A Redis that refuses: the connection, the password, the database, the command. Both sides say so in its words.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { connect, serve } from '@threadwise/bullmq';
import { Cluster } from 'ioredis';
import { begun, caller, failure, folder, machineHere, tasksUrl, told } from './helpers.mjs';
import { onEnd, RedisServer, skip } from './redis.mjs';

describe('what Redis refuses', { skip }, () => {
  test('a Redis that has all the clients that it takes says so, and takes the caller when one has gone', async (t) => {
    const redis = await RedisServer.start(t, '--maxclients', '1');
    const other = redis.client(t);
    await other.ping();
    const fleet = caller(t, redis, { connectTimeoutMs: 3000 });
    const error = await failure(fleet.stats());
    assert.equal(error.code, 'ERR_FLEET_CONNECTION');
    assert.match(error.message, /was not reached within 3000 ms: ERR max number of clients reached$/);
    other.disconnect();
    assert.equal((await fleet.stats()).machines, 0);
  });

  test('a wrong password is told at once, on either side', async (t) => {
    const redis = await RedisServer.start(t, '--requirepass', 'right');
    const wrong = { ...redis.connection, password: 'wrong' };
    const fleet = connect({ queue: 'work', connection: wrong });
    onEnd(t, () => fleet.close());
    const error = await failure(fleet.run('add', [1, 2]));
    assert.equal(error.code, 'ERR_FLEET_CONNECTION');
    assert.match(error.message, /WRONGPASS/);
    const service = serve(tasksUrl, {
      queue: 'work',
      connection: wrong,
      signals: [],
      onError: () => undefined,
    });
    onEnd(t, () => service.close());
    assert.match((await failure(service.ready)).message, /WRONGPASS/);
    const right = connect({ queue: 'work', connection: `redis://:right@127.0.0.1:${redis.port}` });
    onEnd(t, () => right.close());
    await right.ready;
  });

  test('the password of a refused login is in no error', async (t) => {
    const redis = await RedisServer.start(t, '--requirepass', 'right');
    for (const protocol of [2, 3]) {
      const connection = { ...redis.connection, password: 'not-for-logs', protocol };
      const told = [];
      const onError = (error) => told.push(error);
      told.push(await failure(machineHere(t, redis, { connection, onError })));
      told.push(await failure(caller(t, { connection }).run('add', [1, 2])));
      told.push(await failure(caller(t, { connection }).stats()));
      assert.equal(told.length, 4);
      for (const error of told) {
        assert.match(error.message, /WRONGPASS/);
        assert.doesNotMatch(inspect(error, { depth: null }), /not-for-logs/);
      }
    }
  });

  test('the password of a refused login is in no event either, also of a cluster', async (t) => {
    const redis = await RedisServer.start(t, '--requirepass', 'right', '--cluster-enabled', 'yes');
    const redisOptions = { password: 'not-for-logs' };
    const cluster = new Cluster([redis.connection], { redisOptions });
    onEnd(t, () => cluster.disconnect());
    cluster.on('error', () => undefined);
    for (const connection of [{ ...redis.connection, ...redisOptions }, cluster]) {
      const fleet = caller(t, { connection });
      const service = serve(tasksUrl, { queue: 'work', connection, signals: [], onError: () => undefined });
      service.ready.catch(() => undefined);
      onEnd(t, () => service.close());
      const errors = await Promise.all([fleet.queue, service.worker].map((each) => told(each, 'error')));
      // The connection that waits for jobs logs in, too; whether it is refused before the service closes, nobody knows.
      const late = Object.assign(new Error('WRONGPASS'), {
        command: { name: 'auth', args: ['not-for-logs'] },
      });
      service.worker.emit('error', late);
      for (const [error] of [...errors, [late]])
        assert.doesNotMatch(inspect(error, { depth: null }), /not-for-logs/);
    }
  });

  test('a wrong password of a cluster is told at once, on either side', async (t) => {
    const redis = await RedisServer.start(t, '--requirepass', 'right', '--cluster-enabled', 'yes');
    const connection = new Cluster([redis.connection], { redisOptions: { password: 'wrong' } });
    onEnd(t, () => connection.disconnect());
    connection.on('error', () => undefined);
    const told = /Redis of the cluster was not reached: WRONGPASS/;
    assert.match((await failure(caller(t, { connection }).stats())).message, told);
    const options = { queue: 'work', connection, signals: [], onError: () => undefined };
    const service = serve(tasksUrl, options);
    onEnd(t, () => service.close());
    assert.match((await failure(service.ready)).message, told);
  });

  test('what a call takes along is in no error of Redis', async (t) => {
    const redis = await RedisServer.start(t);
    const fleet = caller(t, redis);
    await fleet.ready;
    await redis.client(t).config('SET', 'maxmemory', '1');
    const { code, cause } = await failure(fleet.run('add', ['not-for-logs', 2]));
    assert.equal(code, 'ERR_FLEET_REDIS');
    assert.match(inspect(cause, { depth: null }), /OOM .*command: \{\s+name: 'eval/s);
    assert.doesNotMatch(inspect(cause, { depth: null, maxStringLength: null }), /not-for-logs/);
  });

  test('a database that Redis has not is told by both sides: nobody works in another one', async (t) => {
    const redis = await RedisServer.start(t);
    const connection = `redis://127.0.0.1:${redis.port}/99`;
    const says = /was not reached: ERR DB index is out of range/;
    const fleet = caller(t, { connection });
    for (const reached of [fleet.ready, fleet.run('add', [1, 2])])
      assert.match((await failure(reached)).message, says);
    assert.match((await failure(fleet.run('add', [1, 2]))).message, says);
    assert.match((await failure(machineHere(t, { connection }))).message, says);
    assert.throws(() => caller(t, { connection: connection.replace('/99', '/work') }), {
      code: 'ERR_OPTION',
      message: /'connection.db': expected a database's number/,
    });
  });

  test('what a user of Redis may not do is refused with its words, not as a Redis that is not reached', async (t) => {
    const redis = await RedisServer.start(t);
    await redis.client(t).call('ACL', 'SETUSER', 'ann', 'on', 'nopass', '~bull:mine*', '+@all');
    const connection = `redis://ann:any@127.0.0.1:${redis.port}`;
    const error = await failure(caller(t, { connection }).run('add', [1, 2]));
    assert.equal(error.code, 'ERR_FLEET_REDIS');
    assert.match(error.message, /NOPERM/);
  });

  test('a user who may do what docs/fleet.md names, on the keys of one queue alone, can call, serve and abort', async (t) => {
    const redis = await RedisServer.start(t);
    const rights = '~bull:rows:* resetchannels +@all -@admin -@dangerous +info';
    const page = readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8');
    assert.ok(page.includes(`>… ${rights}`));
    await redis.client(t).call('ACL', 'SETUSER', 'rows', 'on', '>secret', ...rights.split(' '));
    const options = { queue: 'rows', connection: `redis://rows:secret@127.0.0.1:${redis.port}` };
    const errors = [];
    const service = await machineHere(t, redis, { ...options, onError: (error) => errors.push(error) });
    const fleet = caller(t, redis, options);
    assert.equal(await fleet.run('add', [1, 2]), 3);
    const controller = new AbortController();
    const ended = told(service.worker, 'failed');
    await begun(fleet, 'untilAborted', [folder(t).path('notes')], { signal: controller.signal });
    controller.abort();
    await ended;
    assert.equal((await fleet.stats()).queue, 'rows');
    assert.deepEqual(errors, []);
  });

  test('a user who may do what docs/fleet.md names for showing a fleet can do that, and nothing else', async (t) => {
    const redis = await RedisServer.start(t);
    const rights = '~bull:rows:* resetchannels +@read +@connection +info +eval +evalsha';
    const page = readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8');
    assert.ok(page.includes(`\`${rights}\``));
    const admin = redis.client(t);
    await admin.call('ACL', 'SETUSER', 'eye', 'on', '>secret', ...rights.split(' '));
    await admin.sadd('bull:rows:threadwise:machines', 'dead');
    const fleet = caller(t, { connection: `redis://eye:secret@127.0.0.1:${redis.port}` }, { queue: 'rows' });
    assert.deepEqual((await fleet.stats()).perMachine, []);
    assert.match((await failure(fleet.run('add', [1, 2]))).message, /NOPERM/);
  });
});
