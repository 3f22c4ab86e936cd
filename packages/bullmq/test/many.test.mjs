/**
 * Many jobs by map: all settle, and the caller has no more of them open than it was told. FLEET_CALLS says how many: 100,000 for a long look.
 * With a thousand machines in a fleet, `stats()` reads all their reports with one command of Redis.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caller, machine } from './helpers.mjs';
import { RedisServer, skip } from './redis.mjs';

const CALLS = Number(process.env.FLEET_CALLS ?? 5_000);
const CONCURRENCY = 300;
/** After how many results the caller is looked at. */
const LOOK_EVERY = 250;

for (const ordered of [true, false]) {
  test(`${CALLS} calls, ${ordered ? 'in order' : 'as they come'}`, { skip }, async (t) => {
    const redis = await RedisServer.start(t);
    await machine(t, redis);
    const fleet = caller(t, redis);
    const items = { read: 0 };
    function* numbers() {
      while (items.read < CALLS) yield items.read++;
    }
    const looks = [];
    let results = 0;
    let sum = 0;
    for await (const result of fleet.map('echo', numbers(), { concurrency: CONCURRENCY, ordered })) {
      assert.ok(items.read <= results + CONCURRENCY + 1, `${items.read} were read for ${results} results`);
      if (ordered) assert.equal(result, results);
      results++;
      sum += result;
      if (results % LOOK_EVERY === 0) looks.push((await fleet.stats()).open);
    }
    assert.equal(results, CALLS);
    assert.equal(sum, (CALLS * (CALLS - 1)) / 2, 'each item once');
    assert.equal(looks.length, Math.floor(CALLS / LOOK_EVERY));
    assert.ok(Math.max(...looks) <= CONCURRENCY, `${Math.max(...looks)} calls were open`);
    const { jobs, open } = await fleet.stats();
    assert.deepEqual([open, jobs], [0, { waiting: 0, active: 0, delayed: 0, failed: 0, completed: CALLS }]);
  });
}

test('the reports of a thousand machines are read with one command', { skip }, async (t) => {
  const redis = await RedisServer.start(t);
  const fleet = caller(t, redis);
  const admin = redis.client(t);
  const list = fleet.queue.toKey('threadwise:machines');
  const ids = Array.from({ length: 1_000 }, (_, i) => `${i}`);
  await admin.sadd(list, ...ids, 'dead');
  await admin.mset(ids.flatMap((id) => [`${list}:${id}`, JSON.stringify({ id, name: id, threads: 2 })]));
  await admin.config('RESETSTAT');
  const { machines, threads } = await fleet.stats();
  assert.deepEqual([machines, threads], [1_000, 2_000]);
  const commands = await admin.info('commandstats');
  assert.doesNotMatch(commands, /cmdstat_get:/);
  assert.match(commands, /cmdstat_mget:calls=1,/);
  assert.equal(await admin.scard(list), 1_000, 'the dead one is removed');
});
