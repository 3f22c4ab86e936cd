/** Event streams: what they carry, and what they cost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { FakePool, follow, post, send, serve, until } from './helpers.mjs';

const FAST = { statsIntervalMs: 5 };
/** So long that no second snapshot comes in a test. */
const ONCE = { statsIntervalMs: 2 ** 31 - 1 };

test('the first snapshot comes at once, the next ones by the clock', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, FAST);
  const stream = await follow(t, server, 'fake');
  assert.equal(stream.status, 200);
  assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.equal(stream.headers['cache-control'], 'no-store');
  const first = await stream.next();
  assert.equal(first.name, 'stats');
  assert.equal(first.data.crashes, 1);
  pool.set({ crashes: 99 });
  for (let crashes = 1; crashes !== 99;) ({ crashes } = await stream.next('stats'));
});

test('a pool of the library tells what its workers do', async (t) => {
  const module = 'data:text/javascript,export const die = () => process.exit(3)';
  const pool = createPool(module, { name: 'real', threads: 1 });
  t.after(() => pool.destroy());
  await pool.ready;
  const server = await serve(t, [pool], {}, ONCE);
  const stream = await follow(t, server, 'real');
  const { workers } = await stream.next('stats');
  await assert.rejects(pool.run('die', []), { code: 'ERR_WORKER_CRASHED' });
  const exit = await stream.next('worker:exit');
  assert.deepEqual([exit.workerId, exit.reason, exit.exitCode], [workers[0].id, 'crashed', 3]);
  const { startMs, pool: name } = await stream.next('worker:ready');
  assert.ok(startMs > 0);
  assert.equal(name, 'real');
});

test('each event of a pool is told, under the name of its pool, and no other', async (t) => {
  const [first, second] = [new FakePool('twin'), new FakePool('twin')];
  const server = await serve(t, [first, second], {}, ONCE);
  const stream = await follow(t, server, 'twin~2');
  await stream.next('stats');
  first.emit('worker:start', { workerId: 1 });
  second.emit('task:submit', { taskId: 1 });
  const events = [
    ['worker:start', { workerId: 2 }],
    ['worker:ready', { workerId: 2, startMs: 5 }],
    ['worker:exit', { workerId: 2, reason: 'crashed', exitCode: 1, error: null }],
    ['pool:size', { from: 1, to: 2, why: 'tasks wait' }],
  ];
  for (const [name, event] of events) {
    second.emit(name, event);
    assert.deepEqual(await stream.next(), { name, data: { pool: 'twin~2', ...event } });
  }
  second.emit('error', { error: Object.assign(new TypeError('odd'), { code: 'ERR_ODD' }) });
  const error = { name: 'TypeError', message: 'odd', code: 'ERR_ODD' };
  assert.deepEqual(await stream.next(), { name: 'error', data: { pool: 'twin~2', error } });
});

test('a stream ends when its pool is closed, after the last snapshot; then there is none', async (t) => {
  const pool = createPool('data:text/javascript,export const one = () => 1', { name: 'real', threads: 1 });
  const server = await serve(t, [pool], {}, ONCE);
  const stream = await follow(t, server, 'real');
  await stream.next('stats');
  await pool.close();
  const rest = await stream.rest();
  assert.deepEqual(
    rest.slice(-2).map(({ name, data }) => [name, data.state]),
    [
      ['pool:close', undefined],
      ['stats', 'closed'],
    ],
  );
  const { status, json } = await send(server, '/api/pools/real/events');
  assert.deepEqual([status, json.error.code], [409, 'ERR_POOL_CLOSED']);
});

test('however many follow a pool, it has one listener for each event and is asked once for all', async (t) => {
  const pool = new FakePool();
  const stats = pool.stats.bind(pool);
  pool.stats = () => ({ ...stats(), crashes: pool.asked });
  const server = await serve(t, [pool], {}, FAST);
  const first = await follow(t, server, 'fake');
  assert.equal(pool.listeners, 6);
  const others = await Promise.all(Array.from({ length: 19 }, () => follow(t, server, 'fake')));
  assert.equal(pool.listeners, 6);
  const mark = pool.asked;
  const heard = await Promise.all(
    [first, ...others].map(async (stream) => {
      const serials = [];
      while (serials.length < 3) {
        const { crashes: serial } = await stream.next('stats');
        if (serial > mark) serials.push(serial);
      }
      return serials;
    }),
  );
  // If each had a clock of its own, what one hears would have gaps: what was asked for the others.
  for (const serials of heard) assert.deepEqual(serials, [mark + 1, mark + 2, mark + 3]);
});

test('who comes between two snapshots is asked for once, and sees what has changed meanwhile', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, ONCE);
  const streams = [];
  for (let i = 0; i < 10; i++) {
    pool.set({ crashes: i });
    streams.push(await follow(t, server, 'fake'));
    assert.equal((await streams[i].next('stats')).crashes, i);
  }
  assert.equal(pool.asked, streams.length);
});

test('when the last one goes, nothing is left: no listener, no clock', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, FAST);
  assert.equal(pool.listeners, 0);
  assert.equal(pool.asked, 0);
  const clocks = watchedIntervals(t);
  const streams = [await follow(t, server, 'fake'), await follow(t, server, 'fake')];
  assert.equal(clocks.size, 1, 'one clock for both');
  streams[0].close();
  await streams[1].next('stats');
  assert.equal(pool.listeners, 6);
  streams[1].close();
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  assert.equal(clocks.size, 0);
});

test('a pool that throws ends its streams, not the program', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, FAST);
  const stream = await follow(t, server, 'fake');
  await stream.next('stats');
  pool.stats = () => {
    throw new Error('broken inside');
  };
  await stream.rest();
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  assert.equal((await send(server, '/healthz')).status, 200);
});

test('a snapshot may be larger than what may wait: who reads gets it', async (t) => {
  const filler = 'x'.repeat(3 * 1024 * 1024);
  const server = await serve(t, [new FakePool('fake', { filler })], {}, ONCE);
  const stream = await follow(t, server, 'fake');
  assert.equal((await stream.next('stats')).filler.length, filler.length);
});

test('a pool that is closed has no listener any more, also if a client takes its time to read', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, ONCE);
  const stream = await follow(t, server, 'fake');
  pool.emit('pool:close');
  assert.equal(pool.listeners, 0);
  assert.deepEqual(
    (await stream.rest()).map(({ name }) => name),
    ['stats', 'pool:close', 'stats'],
  );
});

test('a stream goes on while the pool is changed', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, FAST);
  const stream = await follow(t, server, 'fake');
  await stream.next('stats');
  assert.equal((await post(server, 'fake', 'pause')).status, 202);
  pool.set({ state: 'paused' });
  for (let state; state !== 'paused';) ({ state } = await stream.next('stats'));
});

test('a client that comes back after it was gone is told the present', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, ONCE);
  const before = await follow(t, server, 'fake');
  await before.next('stats');
  before.close();
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  pool.set({ crashes: 7 });
  const after = await follow(t, server, 'fake');
  assert.equal((await after.next('stats')).crashes, 7);
  assert.equal(pool.listeners, 6);
  await Promise.all([once(pool.watch, 'listeners'), after.close()]);
});

/** Which intervals there are now. */
function watchedIntervals(t) {
  const running = new Set();
  const { setInterval: set, clearInterval: clear } = globalThis;
  globalThis.setInterval = (...args) => {
    const timer = set(...args);
    running.add(timer);
    return timer;
  };
  globalThis.clearInterval = (timer) => {
    running.delete(timer);
    clear(timer);
  };
  t.after(() => Object.assign(globalThis, { setInterval: set, clearInterval: clear }));
  return running;
}
