/** A fleet that a control server watches: what is told of it, and that a Redis that hangs holds nothing up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveControl } from '@threadwise/control';
import { begun, caller, folder, machineHere, told } from './helpers.mjs';
import { onEnd, RedisServer, skip } from './redis.mjs';

test(
  'the control server tells of a fleet, and says so when its Redis does not answer',
  { skip },
  async (t) => {
    const redis = await RedisServer.start(t);
    const { path, open } = folder(t);
    const service = await machineHere(t, redis, { name: 'box', pool: { threads: 1 } });
    const fleet = caller(t, redis);
    const control = await serveControl([service.pool], { fleets: [fleet] });
    onEnd(t, () => control.close());
    const get = async (path) => {
      const answer = await fetch(`${control.url}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    const scrape = async () => {
      const lines = (await get('/metrics')).text.split('\n');
      return (series) =>
        lines
          .find((line) => line.startsWith(series))
          ?.split(' ')
          .at(-1);
    };

    const running = await begun(fleet, 'noteAndWait', [path('notes'), path('go')]);
    const added = told(fleet.queue, 'waiting');
    const waiting = fleet.run('add', [1, 2]);
    await added;
    const { stats } = JSON.parse((await get('/api/fleets/work')).text);
    assert.deepEqual(stats.jobs, { waiting: 1, active: 1, delayed: 0, failed: 0, completed: 0 });
    assert.deepEqual(
      stats.perMachine.map(({ name, pid }) => [name, pid]),
      [['box', process.pid]],
    );
    const before = await scrape();
    assert.equal(before('threadwise_fleet_jobs{fleet="work",state="waiting"}'), '1');
    assert.equal(before('threadwise_fleet_machines{fleet="work"}'), '1');
    assert.equal(before('threadwise_fleet_machine_threads{fleet="work",machine="box"'), '1');

    redis.freeze();
    const { status, text } = await get('/api/fleets/work');
    assert.equal(status, 503);
    assert.match(JSON.parse(text).error.message, /Redis has not answered within 2000 ms/);
    const frozen = await scrape();
    assert.equal(frozen('threadwise_fleet_up{fleet="work"}'), '0');
    assert.equal(frozen('threadwise_pool_threads_limit{pool="'), '1');
    redis.thaw();
    open('go');
    await Promise.all([running.promise, waiting]);
    assert.equal((await scrape())('threadwise_fleet_up{fleet="work"}'), '1');
  },
);
