/** `threadwise ctl events` and `ctl drain --wait`: what follows the stream of a pool's events. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from './command.mjs';
import { startServer, TOKEN } from './fixtures/control/server.mjs';
import { pool } from './fixtures/control/stats.mjs';

/** What never comes is told of after this time. Milliseconds. */
const options = { timeout: 60_000 };

/** A server with one pool, and a command that follows it: resolves when the stream has begun. */
async function follow(t, args, { images = pool('images'), serverOptions } = {}) {
  const server = await startServer([images], serverOptions);
  t.after(() => server.close());
  const followed = server.next(({ path }) => path === '/api/pools/images/events');
  const env = { THREADWISE_CONTROL_TOKEN: TOKEN };
  const { ended, until } = start(['ctl', server.url, ...args], { env, input: '' });
  await Promise.race([followed, ended.then(({ stderr }) => assert.fail(`ended: ${stderr}`))]);
  return { server, images, ended, until };
}

const withOpen = (images, open) => Object.assign(images, { tasks: { ...images.tasks, open } });

test('events: one JSON value a line, until the program ends the stream', options, async (t) => {
  const { server, images, ended, until } = await follow(t, ['events', 'images']);
  server.send('images', 'worker:exit', {
    pool: 'images',
    workerId: 3,
    reason: 'crashed',
    error: { message: 'a\nb' },
  });
  server.send('images', 'pool:close', { pool: 'images' });
  await until('stdout', /pool:close/);
  server.endStreams();
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines, [
    { event: 'stats', data: images },
    {
      event: 'worker:exit',
      data: { pool: 'images', workerId: 3, reason: 'crashed', error: { message: 'a\nb' } },
    },
    { event: 'pool:close', data: { pool: 'images' } },
  ]);
});

test('events --count ends by itself', options, async (t) => {
  const { server, ended } = await follow(t, ['events', '--count', '2']);
  server.sendStats('images');
  server.sendStats('images');
  const { code, stdout } = await ended;
  assert.deepEqual([code, stdout.trimEnd().split('\n').length], [0, 2]);
});

test('events: a connection that breaks off is exit code 5, after what came before', options, async (t) => {
  const { server, ended, until } = await follow(t, ['events', 'images']);
  await until('stdout', /\n/);
  await server.close();
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 5);
  assert.equal(JSON.parse(stdout).event, 'stats');
  assert.match(stderr, /The connection to .* was lost .*Has the program ended\?/);
});

test(
  'drain --wait follows the statistics until no call is open, and asks nothing twice',
  options,
  async (t) => {
    const { server, images, ended } = await follow(t, ['drain', 'images', '--wait']);
    server.send('images', 'worker:exit', { pool: 'images', workerId: 1 });
    for (const open of [12, 1, 0]) {
      withOpen(images, open);
      server.sendStats('images');
    }
    const { code, stdout, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual([JSON.parse(stdout).tasks.open, JSON.parse(stdout).state], [0, 'draining']);
    assert.deepEqual(
      server.requests.map(({ method, path }) => `${method} ${path}`),
      ['POST /api/pools/images/drain', 'GET /api/pools/images/events'],
    );
  },
);

test('drain --wait does not end as long as one call is open', options, async (t) => {
  const { server, images, ended } = await follow(t, ['drain', 'images', '--wait', '--timeout', '4s']);
  withOpen(images, 1);
  server.sendStats('images');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 7);
  assert.equal(JSON.parse(stdout).tasks.open, 1, 'the last that is known');
  assert.match(
    stderr,
    /^threadwise: It did not end within 4\.00 s\. At last 1 call was open in images\. The pool goes on draining/,
  );
});

test('drain --wait of a pool without open calls is done at once', options, async (t) => {
  const images = withOpen(pool('images'), 0);
  const server = await startServer([images]);
  t.after(() => server.close());
  const env = { THREADWISE_CONTROL_TOKEN: TOKEN };
  const { code, stdout } = await start(['ctl', server.url, 'drain', '--wait'], { env, input: '' }).ended;
  assert.deepEqual([code, JSON.parse(stdout).state], [0, 'draining']);
});

test('drain --wait that somebody undoes is exit code 1', options, async (t) => {
  const { server, images, ended } = await follow(t, ['drain', 'images', '--wait']);
  images.state = 'open';
  server.sendStats('images');
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, JSON.parse(stdout).state], [1, 'open']);
  assert.match(stderr, /Somebody resumed images while it drained: it is open\. At last 39 calls were open/);
});

test('drain --wait of a pool that closes meanwhile is done: that settles every call', options, async (t) => {
  const { server, ended } = await follow(t, ['drain', 'images', '--wait']);
  server.send('images', 'pool:close', { pool: 'images' });
  server.endStreams();
  assert.equal((await ended).code, 0);
});

test('drain --wait of a pool that is closed before it can be followed is done', options, async (t) => {
  const closed = { status: 409, body: { error: { code: 'ERR_POOL_CLOSED', message: 'closed' } } };
  const serverOptions = { answer: ({ path }) => (path.endsWith('/events') ? closed : undefined) };
  const { ended } = await follow(t, ['drain', 'images', '--wait'], { serverOptions });
  assert.equal((await ended).code, 0);
});

test('drain --wait: a program that ends says how many calls were open at last', options, async (t) => {
  const { server, images, ended } = await follow(t, ['drain', 'images', '--wait']);
  withOpen(images, 7);
  server.sendStats('images');
  server.endStreams();
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, JSON.parse(stdout).tasks.open], [5, 7]);
  assert.match(stderr, /ended the connection\. At last 7 calls were open in images\./);
});

test('drain --wait: so does a connection that breaks off', options, async (t) => {
  const { server, ended } = await follow(t, ['drain', 'images', '--wait']);
  await server.close();
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, JSON.parse(stdout).tasks.open], [5, 39]);
  assert.match(stderr, /Has the program ended\? At last 39 calls were open in images\./);
});
