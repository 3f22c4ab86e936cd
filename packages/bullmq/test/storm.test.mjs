/**
 * A storm on a fleet: three machines of which one is killed again and again, and a Redis that restarts twice. Every call settles with the right
 * result, every job is done at least once, and what was done more often is counted. STORM_FLEET_CALLS says how many:
 * 20,000 for a long look.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caller, folder, kill, machine, QUICK } from './helpers.mjs';
import { RedisServer, skip } from './redis.mjs';

const CALLS = Number(process.env.STORM_FLEET_CALLS ?? 5_000);
/** Calls outstanding at a time. */
const WIDTH = 400;
const MACHINES = 3;
/** After how many results a machine is killed, and after how many Redis restarts. */
const KILL_EVERY = Math.max(50, Math.round(CALLS / 15));
const RESTART_EVERY = Math.ceil(CALLS / 3);

test(
  `${CALLS} calls, machines killed every ${KILL_EVERY} results, Redis restarted twice`,
  { skip },
  async (t) => {
    const redis = await RedisServer.start(t, '--appendonly', 'yes');
    const { path, wrote } = folder(t);
    const options = { ...QUICK, maxLost: 1_000_000 };
    const begin = () => machine(t, redis, options);
    const machines = await Promise.all(Array.from({ length: MACHINES }, begin));
    const fleet = caller(t, redis, { connectTimeoutMs: 60_000 });
    const faults = { killed: 0, restarted: 0 };
    /** One after the other: a machine begins only where there is a Redis. */
    let faulting = Promise.resolve();
    const after = (count) => {
      if (count % KILL_EVERY === 0) {
        const victim = faults.killed++ % MACHINES;
        faulting = faulting.then(async () => {
          await kill(machines[victim]);
          machines[victim] = await begin();
        });
      }
      if (count % RESTART_EVERY === 0 && faults.restarted < 2) {
        faults.restarted++;
        faulting = faulting.then(() => redis.restart());
      }
    };

    const seen = new Set();
    const numbers = Array.from({ length: CALLS }, (_, i) => i);
    for await (const i of fleet.map(
      'mark',
      numbers.map((i) => ({ notes: path('notes'), i })),
      {
        concurrency: WIDTH,
        ordered: false,
      },
    )) {
      assert.ok(!seen.has(i), `${i} settled twice`);
      seen.add(i);
      after(seen.size);
    }
    await faulting;
    assert.equal(seen.size, CALLS);
    assert.deepEqual([faults.restarted, faults.killed > 5], [2, true]);

    const times = new Map();
    for (const line of wrote('notes')) times.set(line, (times.get(line) ?? 0) + 1);
    assert.equal(times.size, CALLS, 'every job was done');
    const repeated = [...times.values()].filter((count) => count > 1).length;
    t.diagnostic(`${faults.killed} machines killed; ${repeated} of ${CALLS} jobs were done more than once`);
    const { jobs, perMachine } = await fleet.stats();
    assert.deepEqual([jobs.waiting, jobs.failed], [0, 0]);
    assert.ok(perMachine.length >= MACHINES);
  },
);
