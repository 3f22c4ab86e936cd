/** What goes wrong around pools of the library while they are watched: they run on, and what is seen of them is true. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createPool } from 'threadwise';
import { serveControl } from '../dist/index.js';
import {
  closed,
  follow,
  headOf,
  openStreams,
  patch,
  poolPath,
  rawConnection,
  readToEnd,
  send,
  serve,
} from './helpers.mjs';

const FAST = { statsIntervalMs: 5 };
/** So long that no second snapshot comes in a test. */
const ONCE = { statsIntervalMs: 2 ** 31 - 1 };

/** `hold` keeps its worker until the shared word is set. */
const MODULE = `data:text/javascript,
  export const increment = (x) => x + 1;
  export const hold = (words) => void Atomics.wait(words, 0, 0);
  export const die = () => process.exit(3);`;
/** Its workers load, and die a moment later. */
const DYING = `data:text/javascript,
  setImmediate(() => { throw new Error('idle crash'); });
  export const increment = (x) => x + 1;`;

function pooled(t, name, module = MODULE, options = {}) {
  const pool = createPool(module, { name, threads: 1, ...options });
  t.after(() => pool.destroy());
  return pool;
}

const range = (count) => Array.from({ length: count }, (_, i) => i);

test('a pool that breaks while it is watched: its followers learn why, and the other pools go on', async (t) => {
  const [dying, healthy] = [pooled(t, 'dying', DYING), pooled(t, 'healthy')];
  const server = await serve(t, [dying, healthy], {}, FAST);
  const [watched, other] = [await follow(t, server, 'dying'), await follow(t, server, 'healthy')];
  const seen = { exits: [], errors: [] };
  for (let state; state !== 'broken';) {
    const { name, data } = await watched.next();
    if (name === 'worker:exit') seen.exits.push(data.reason);
    if (name === 'error') seen.errors.push(data.error.message);
    if (name === 'stats') ({ state } = data);
  }
  assert.ok(seen.exits.length > 1 && seen.exits.every((reason) => reason === 'crashed'), `${seen.exits}`);
  assert.ok(
    seen.errors.some((message) => message.includes('idle crash')),
    `${seen.errors}`,
  );

  const refused = await patch(server, 'dying', { threads: 2 });
  assert.deepEqual([refused.status, refused.json.error.code], [409, 'ERR_MODULE_LOAD']);
  assert.match(refused.json.error.message, /idle crash/);
  const { status, json } = await send(server, '/readyz');
  assert.deepEqual(
    [status, json.pools.map(({ state }) => state)],
    [503, ['broken', 'open']],
    'who asks is told which one it is',
  );
  assert.match((await send(server, '/metrics')).text, /threadwise_pool_state\{[^}]*"broken"[^}]*\} 1/);
  assert.equal(await healthy.run('increment', [1]), 2);
  for (let completed; completed !== 1;) ({ completed } = (await other.next('stats')).tasks);

  await dying.destroy();
  const last = (await watched.rest()).at(-1);
  assert.deepEqual([last.name, last.data.state], ['stats', 'closed']);
  assert.equal((await patch(server, 'healthy', { threads: 2 })).status, 200);
});

test('a pool that is destroyed while it is watched, with a task in it: the stream ends with the truth', async (t) => {
  const [doomed, healthy] = [pooled(t, 'doomed'), pooled(t, 'healthy')];
  const server = await serve(t, [doomed, healthy], {}, ONCE);
  const [watched, other] = [await follow(t, server, 'doomed'), await follow(t, server, 'healthy')];
  await Promise.all([watched.next('stats'), other.next('stats')]);
  const rejected = assert.rejects(doomed.run('hold', [new Int32Array(new SharedArrayBuffer(4))]), {
    code: 'ERR_POOL_CLOSED',
  });
  await doomed.destroy();
  await rejected;
  const [close, last] = (await watched.rest()).slice(-2);
  assert.equal(close.name, 'pool:close');
  assert.deepEqual([last.data.state, last.data.tasks.open, last.data.tasks.rejected], ['closed', 0, 1]);
  assert.equal(await openStreams(server), 1, 'that of the other pool');
  await assert.rejects(healthy.run('die', []), { code: 'ERR_WORKER_CRASHED' });
  assert.equal((await other.next('worker:exit')).reason, 'crashed');
});

test('a port that is taken: the pool runs on, and can be served at another one', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const pool = pooled(t, 'real');
  const during = range(20).map((i) => pool.run('increment', [i]));
  await assert.rejects(serveControl([pool], { port: other.address().port }), { code: 'ERR_CONTROL_PORT' });
  assert.equal(await pool.run('increment', [41]), 42);
  assert.deepEqual(
    await Promise.all(during),
    range(20).map((i) => i + 1),
  );
  const server = await serve(t, [pool]);
  assert.deepEqual((await patch(server, 'real', { threads: 2 })).json.threads.max, 2);
});

test('a request that came while the main thread was blocked is answered, on a connection that rested, too', async (t) => {
  const pool = pooled(t, 'real');
  const server = await serve(t, [pool], {}, { keepAliveMs: 100 });
  const socket = await rawConnection(t, server);
  socket.write(headOf(server, 'GET', '/healthz'));
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /);
  // Behind the events of sockets: timers are next. Some versions of Node.js let a connection rest a second longer than they were told.
  await setImmediate();
  const headers = [`Authorization: Bearer ${server.token}`, 'Connection: close'];
  socket.write(headOf(server, 'POST', poolPath('real', '/pause'), headers));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  assert.match(await readToEnd(socket), /^HTTP\/1\.1 202 /);
  assert.equal(pool.stats().state, 'paused');
});

test('a crowd of dead and hostile clients: every call is answered, and the pool does nothing for them', async (t) => {
  const pool = pooled(t, 'real', MODULE, { threads: 2 });
  const listened = [];
  const on = pool.on.bind(pool);
  pool.on = (name, listener) => {
    listened.push(name);
    return on(name, listener);
  };
  const server = await serve(t, [pool], {}, { ...ONCE, streams: 50 });
  const crowd = await Promise.all(range(300).map(() => rawConnection(t, server)));
  const says = [
    headOf(server, 'GET', poolPath('real', '/events')), // and never reads
    'GET /api/pools HTTP/1.1\r\nX-Slow: ', // and never goes on
    headOf(server, 'PATCH', poolPath('real'), ['Content-Length: 100']), // without a token or a body
    '', // says nothing
    '\x16\x03\x01\x02\x00', // speaks something else
  ];
  for (const [i, socket] of crowd.entries()) socket.pause().write(says[i % says.length]);
  while ((await openStreams(server)) < 50);

  let asked = 0;
  const stats = pool.stats.bind(pool);
  pool.stats = () => {
    asked++;
    return stats();
  };
  const results = await Promise.all(range(2000).map((i) => pool.run('increment', [i])));
  assert.deepEqual(
    results,
    range(2000).map((i) => i + 1),
  );
  assert.deepEqual(
    listened.filter((name) => name.startsWith('task:')),
    [],
    'no task does anything for those who follow',
  );
  assert.equal(new Set(listened).size, listened.length, 'one listener for all, for each event');

  await assert.rejects(pool.run('die', []), { code: 'ERR_WORKER_CRASHED' });
  assert.equal(await pool.run('increment', [1]), 2);
  assert.equal(asked, 0, 'nobody who does not read makes it count');
  assert.equal((await patch(server, 'real', { threads: 1 })).json.threads.max, 1);
  const gone = Promise.all(crowd.map(closed));
  for (const socket of crowd) socket.resume();
  await server.close();
  await gone;
  assert.equal(await pool.run('increment', [2]), 3);
});
