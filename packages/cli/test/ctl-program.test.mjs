/** `threadwise ctl` and `top` with a real pool behind a real control server: that both ends mean the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { main, run, start } from './command.mjs';
import { Screen, whyNoTmux } from './fixtures/control/tmux.mjs';

const TOKEN = 'program-token';
const ENV = { THREADWISE_CONTROL_TOKEN: TOKEN, THREADWISE_CONTROL: '', NO_COLOR: '1' };
const TASKS = new URL('fixtures/control/tasks.mjs', import.meta.url);

const control = await import(new URL('../../control/dist/index.js', import.meta.url).href).catch(
  () => undefined,
);
const options = {
  skip: control === undefined ? 'needs packages/control built: npm run build' : false,
  timeout: 60_000,
};

/** Pools behind a server, until the end of the test. */
async function serve(t, pools) {
  const server = await control.serveControl(pools, { token: TOKEN });
  t.after(async () => {
    await server.close();
    await Promise.all(pools.map((pool) => pool.destroy()));
  });
  return server;
}

/** A pool that has loaded its tasks; `hold` keeps one busy until the gate is opened. */
async function poolWithGate(name) {
  const pool = createPool(TASKS, { name, threads: 1 });
  await pool.ready;
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const open = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return { pool, gate, open };
}

async function ctl(server, ...args) {
  const { code, stdout, stderr } = await run(['ctl', server.url, ...args], { env: ENV });
  assert.deepEqual([code, stderr], [0, ''], args.join(' '));
  return JSON.parse(stdout);
}

const event = (pool, name) => new Promise((resolve) => pool.on(name, resolve));

test('reads: pools, show, health, ready, metrics', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  await pool.run('double', [4]);
  const overview = await ctl(server, 'pools');
  assert.deepEqual([overview.process.pid, overview.pools.length], [process.pid, 1]);
  const shown = await ctl(server, 'show');
  assert.deepEqual([shown.name, shown.state, shown.tasks.completed], ['images', 'open', 1]);
  await ctl(server, 'health');
  assert.deepEqual((await ctl(server, 'ready')).pools, [{ name: 'images', state: 'open' }]);
  const samples = (await ctl(server, 'metrics')).flatMap((family) => family.samples);
  assert.ok(samples.some(({ labels, value }) => labels.pool === 'images' && value === 1));
});

test('set changes the pool itself, pause and resume as well', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  await ctl(server, 'set', '--threads', '2', '--queue-limit', '7');
  const { threads, queue } = pool.stats();
  assert.deepEqual([threads.min, threads.max, queue.limit], [2, 2, 7]);
  await ctl(server, 'set', '--threads', '1-3', '--queue-limit', 'none');
  assert.deepEqual([pool.stats().threads.min, pool.stats().threads.max], [1, 3]);
  assert.equal(pool.stats().queue.limit, null);
  assert.equal((await ctl(server, 'pause')).state, 'paused');
  const waiting = pool.run('double', [4]);
  assert.equal((await ctl(server, 'resume')).state, 'open');
  assert.equal(await waiting, 8);
});

test('set refused by the library: exit code 3, in its words, and nothing is changed', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  const args = ['ctl', server.url, 'set', '--choose', 'best', '--threads', '2'];
  const { code, stdout, stderr } = await run(args, { env: ENV });
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /'best'|"best"/);
  assert.match(stderr, /ERR_OPTION/);
  assert.equal(pool.stats().threads.max, 1);
});

test('recycle replaces the worker', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  const [before] = pool.stats().workers;
  const exited = event(pool, 'worker:exit');
  await ctl(server, 'recycle');
  const { workerId, reason } = await exited;
  assert.deepEqual([workerId, reason], [before.id, 'recycled']);
});

test('drain --wait ends when the last call has, and not before', options, async (t) => {
  const { pool, gate, open } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  const held = pool.run('hold', [gate]);
  const late = await run(['ctl', server.url, 'drain', '--wait', '--timeout', '4s'], { env: ENV });
  assert.equal(late.code, 7);
  assert.match(late.stderr, /1 call was open in images/);
  await assert.rejects(pool.run('double', [1]), 'new calls are refused');
  const waiting = start(['ctl', server.url, 'drain', '--wait'], { env: ENV, input: '' });
  open();
  await held;
  const { code, stdout } = await waiting.ended;
  assert.deepEqual([code, JSON.parse(stdout).tasks.open], [0, 0]);
  const notReady = await run(['ctl', server.url, 'ready'], { env: ENV });
  assert.deepEqual([notReady.code, notReady.stderr], [6, 'threadwise: Not ready: images is draining.\n']);
  await ctl(server, 'resume');
  assert.equal(await pool.run('double', [1]), 2);
});

test('events tell of the pool, until it is closed', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  const { ended, until } = start(['ctl', server.url, 'events'], { env: ENV, input: '' });
  await until('stdout', /"event":"stats"/);
  await pool.close();
  const { code, stdout } = await ended;
  const names = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  assert.equal(code, 0);
  assert.ok(names.includes('worker:exit') && names.includes('pool:close'), names.join());
});

test('drain --wait of a pool that its program closes meanwhile', options, async (t) => {
  const { pool, gate, open } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  void pool.run('hold', [gate]);
  const draining = new Promise((resolve) => {
    const { drain } = pool;
    pool.drain = () => {
      resolve();
      return drain.call(pool);
    };
  });
  const waiting = start(['ctl', server.url, 'drain', '--wait'], { env: ENV, input: '' });
  const closed = event(pool, 'pool:close');
  await draining;
  void pool.close();
  open();
  await closed;
  assert.equal((await waiting.ended).code, 0);
});

test('a change without the token is refused, reading is not', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  const env = { ...ENV, THREADWISE_CONTROL_TOKEN: '' };
  assert.equal((await run(['ctl', server.url, 'show'], { env })).code, 0);
  const { code, stderr } = await run(['ctl', server.url, 'pause'], { env });
  assert.equal(code, 4);
  assert.match(stderr, /Set THREADWISE_CONTROL_TOKEN/);
  assert.equal(pool.stats().state, 'open');
});

test('top --once shows it', options, async (t) => {
  const { pool } = await poolWithGate('images');
  const server = await serve(t, [pool]);
  await pool.run('double', [4]);
  const { code, stdout } = await run(['top', server.url], { env: ENV });
  assert.equal(code, 0);
  assert.match(stdout, /\n {2}images +open +1\/1 +0 /);
  assert.match(stdout, /\nimages {2}0 open {2}1 done/);
});

const onTerminal = { ...options, skip: options.skip || (whyNoTmux() ?? false) };

test(
  'top on a terminal: what is done in the program is seen, and what is done here reaches it',
  onTerminal,
  async (t) => {
    const { pool, gate, open } = await poolWithGate('images');
    const server = await serve(t, [pool]);
    const screen = new Screen(ENV, 80, 24);
    t.after(() => screen.close());
    screen.type(`'${process.execPath}' '${main}' top ${server.url}`);
    await screen.until(/> images +open +1\/1 +0 /);
    const calls = [pool.run('hold', [gate]), pool.run('double', [1]), pool.run('double', [2])];
    await screen.until(/> images +open +1\/1 +2 /);
    screen.press('+');
    await screen.until(/\[y\/n\] Resize images from 1 to 2 threads\?/);
    screen.press('y');
    // The second worker takes what waits.
    await screen.until(/> images +open +2\/2 +0 /);
    open();
    await Promise.all(calls);
    await screen.until(/images {2}0 open {2}3 done/);
    screen.press('p');
    await screen.until(/\[y\/n\] Pause images\?/);
    screen.press('y');
    await screen.until(/> images +paused/);
    assert.equal(pool.stats().state, 'paused');
    await server.close();
    await screen.until(/CONNECTION LOST/);
    screen.press('q');
    await screen.until(() => screen.get('alternate_on') === '0');
  },
);
