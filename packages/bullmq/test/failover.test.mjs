/** A Redis that fails over: a replica takes the place of the primary, and lacks what had not got to it. Every call settles all the same. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FleetError } from '@threadwise/bullmq';
import { begun, caller, failure, folder, machineHere, QUICK, told } from './helpers.mjs';
import { proxyTo } from './proxy.mjs';
import { RedisServer, skip } from './redis.mjs';

/** A primary and its replica. `way` leads to the primary; `link` is the replica's way to it. */
async function pair(t) {
  const primary = await RedisServer.start(t, '--repl-diskless-sync-delay', 0);
  const link = await proxyTo(t, primary.port);
  const replica = await RedisServer.start(t, '--replicaof', '127.0.0.1', link.connection.port);
  const way = await proxyTo(t, primary.port);
  const [ofPrimary, ofReplica] = [primary.client(t), replica.client(t)];
  await ofPrimary.set('there', 'yes');
  /** Resolves when the replica has all that the primary has been told. */
  const caughtUp = async () => {
    await ofPrimary.incr('mark');
    await ofPrimary.wait(1, 0);
  };
  await caughtUp();
  const failOver = async () => {
    await primary.stop();
    await ofReplica.replicaof('NO', 'ONE');
    way.leadTo(replica.port);
  };
  return { primary, replica, ofReplica, link, way, caughtUp, failOver };
}

describe('failover', { skip }, () => {
  test('what the replica has goes on, what it lacks is told: lost jobs reject, jobs whose end is lost run again', async (t) => {
    const { link, way, caughtUp, failOver } = await pair(t);
    const { path, wrote, open } = folder(t);
    const fleet = caller(t, way);
    const service = await machineHere(t, way, { ...QUICK, pool: { threads: 1 } });
    const running = await begun(fleet, 'noteAndWait', [path('running'), path('go')]);
    const added = told(fleet.queue, 'waiting');
    const waiting = fleet.run('note', [path('waiting'), 'once']);
    await added;
    await caughtUp();
    link.cut();
    const addedToo = told(fleet.queue, 'waiting');
    const lost = failure(fleet.run('add', [1, 2], { delayMs: 3_600_000 }));
    await addedToo;
    open('go');
    // The caller has heard of both; the replica never will.
    await Promise.all([running.promise, waiting]);
    const again = told(service.worker, 'stalled');
    await failOver();
    const error = await lost;
    assert.ok(error instanceof FleetError);
    assert.equal(error.code, 'ERR_FLEET_JOB_LOST');
    await again;
    assert.equal(await fleet.run('add', [3, 4], { priority: -1 }), 7);
    assert.deepEqual([wrote('running').length, wrote('waiting').length], [2, 2]);
  });

  test('a call that comes while the replica is still one is refused with its words; later ones run', async (t) => {
    const { primary, replica, ofReplica, way } = await pair(t);
    const fleet = caller(t, way);
    await machineHere(t, way, { ...QUICK, pool: { threads: 1 } });
    assert.equal(await fleet.run('add', [1, 2]), 3);
    await primary.stop();
    way.leadTo(replica.port);
    const error = await failure(fleet.run('add', [3, 4]));
    assert.equal(error.code, 'ERR_FLEET_REDIS');
    assert.match(error.message, /READONLY/);
    await ofReplica.replicaof('NO', 'ONE');
    assert.equal(await fleet.run('add', [5, 6]), 11);
  });

  test('a new primary whose clock is behind: its events look old to the caller, which looks at its jobs instead', async (t) => {
    const redis = await RedisServer.start(t);
    const admin = redis.client(t);
    const fleet = caller(t, redis);
    await machineHere(t, redis, { pool: { threads: 1 } });
    await fleet.ready;
    const events = fleet.queue.toKey('events');
    await admin.xadd(events, `${Date.now() + 3_600_000}-0`, 'event', 'of the old primary');
    assert.equal(await fleet.run('add', [1, 2]), 3);
    // From now on, an event has the number that the right time gives it.
    await admin.del(events);
    assert.equal(await fleet.run('add', [3, 4]), 7);
    const [[id]] = await admin.xrange(events, '-', '+', 'COUNT', 1);
    assert.ok(Number(id.split('-')[0]) < Date.now() + 1_800_000);
  });

  test('in the middle of much work, and what is newest lost: every call settles, with its result or an error that says what became of it', async (t) => {
    const { link, way, failOver } = await pair(t);
    const { path, wrote } = folder(t);
    const fleet = caller(t, way, { connectTimeoutMs: 60_000 });
    await machineHere(t, way, QUICK);
    const [LANES, CALLS] = [50, 12];
    const outcomes = [];
    let over;
    /** One call after the other, so that there are new ones all the time. */
    const lane = async (first) => {
      for (let i = first; i < first + CALLS; i++) {
        const outcome = await fleet.run('mark', [{ notes: path('notes'), i }]).catch((error) => error);
        outcomes.push([i, outcome]);
        if (outcomes.length === 150) link.cut();
        if (outcomes.length === 300) over = failOver();
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, n) => lane(n * CALLS)));
    await over;
    assert.equal(outcomes.length, LANES * CALLS);
    const done = new Set(wrote('notes'));
    const codes = {};
    for (const [i, outcome] of outcomes) {
      if (outcome === i) assert.ok(done.has(String(i)), `${i} has a result and was not run`);
      else codes[outcome.code] = (codes[outcome.code] ?? 0) + 1;
    }
    t.diagnostic(`calls with an error: ${JSON.stringify(codes)}`);
    const known = ['ERR_FLEET_JOB_LOST', 'ERR_FLEET_REDIS'];
    assert.deepEqual(
      Object.keys(codes).filter((code) => !known.includes(code)),
      [],
    );
    assert.equal(await fleet.run('add', [1, 2]), 3);
  });
});
