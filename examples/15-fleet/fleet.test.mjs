// Runs the example on a pool, and on a fleet of two machines with a real Redis: one line differs, the picture does not.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onEnd, RedisServer, skip } from '../../packages/bullmq/test/redis.mjs';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const SIZE = ['--width', '90', '--height', '72'];

function start(name, args, env = {}) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  return spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Draws with one of the programs. Resolves to the picture. */
async function draw(t, name, env) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-fleet-'));
  onEnd(t, () => rmSync(dir, { recursive: true }));
  const out = join(dir, 'picture.pgm');
  const child = start(name, [...SIZE, '--out', out], env);
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, name);
  return readFileSync(out);
}

async function startMachine(t, env) {
  const child = start('machine.js', [], env);
  onEnd(t, () => child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  assert.match(line, /draws$/);
  return child;
}

test('one line makes a fleet of a pool', () => {
  const [pool, fleet] = ['main.js', 'main-on-fleet.js'].map((name) => read(name).split('\n'));
  const changed = pool.flatMap((line, i) => (line === fleet[i] ? [] : [[line, fleet[i]]]));
  assert.deepEqual(changed, [["import { pool } from './pool.js';", "import { pool } from './fleet.js';"]]);
  assert.equal(pool.length, fleet.length);
});

test(
  'the picture is the same on a pool and on a fleet, and a machine ends as it is told',
  { skip },
  async (t) => {
    const redis = await RedisServer.start(t);
    const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const machines = await Promise.all([startMachine(t, env), startMachine(t, env)]);
    const [onPool, onFleet] = await Promise.all([draw(t, 'main.js'), draw(t, 'main-on-fleet.js', env)]);
    assert.equal(onPool.length, 'P5 90 72 255\n'.length + 90 * 72);
    assert.ok(onPool.equals(onFleet));
    for (const machine of machines) {
      const ended = once(machine, 'exit');
      machine.kill('SIGTERM');
      assert.deepEqual(await ended, [null, 'SIGTERM']);
    }
  },
);

test('the files agree: on the queue, on the time for a shutdown', () => {
  assert.match(read('fleet.js'), /queue: 'rows'/);
  assert.match(read('machine.js'), /queue: 'rows'/);
  // Wherever a job may be that asks for a machine.
  const lists = [...read('kubernetes/keda.yaml').matchAll(/listName: bull:rows:(.*)$/gm)];
  assert.deepEqual(
    lists.map(([, list]) => list),
    ['prioritized', 'wait', 'active', 'delayed'],
  );
  const [, timeoutMs] = /SHUTDOWN_TIMEOUT_MS=(\d+)/.exec(read('Dockerfile'));
  for (const [, seconds] of [
    /stop_grace_period: (\d+)s/.exec(read('compose.yaml')),
    /terminationGracePeriodSeconds: (\d+)/.exec(read('kubernetes/machines.yaml')),
  ])
    assert.ok(1000 * seconds > timeoutMs);
});
