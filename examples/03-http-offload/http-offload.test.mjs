import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPool } from 'threadwise';
import { compare } from './compare.js';
import { buildServer, createRenderPool } from './server.js';
import { render } from './tasks.js';

const main = fileURLToPath(new URL('./main.js', import.meta.url));
const query = '?name=Emmy&guest=David%20%26%20Felix';
/** The right page: Mustache escapes what would be markup. */
const expected = 'Emmy will meet David &amp; Felix.\n'.repeat(80);

test('both routes answer with the same page', async () => {
  const server = buildServer({ pool: createRenderPool({ threads: 2 }) });
  try {
    for (const route of ['/main', '/pool']) {
      const { statusCode, body } = await server.inject(route + query);
      assert.equal(statusCode, 200);
      assert.equal(body, expected, route);
    }
    const bodies = await Promise.all(
      ['/main', '/pool'].map(async (route) => (await server.inject(route)).body),
    );
    assert.equal(bodies[0], render('page', { name: 'Ada', guest: 'Grace' }));
    assert.equal(bodies[1], bodies[0]);
  } finally {
    await server.close();
  }
});

test('pages asked for at the same time are not mixed up', async () => {
  const server = buildServer();
  try {
    const names = Array.from({ length: 60 }, (_, i) => `guest-${i}`);
    const answers = await Promise.all(names.map((guest) => server.inject(`/pool?name=Ada&guest=${guest}`)));
    for (const [i, { body }] of answers.entries()) {
      assert.equal(body, `Ada will meet ${names[i]}.\n`.repeat(80));
    }
    const stats = (await server.inject('/stats')).json();
    assert.equal(stats.threads.current, 4);
    assert.equal(stats.choose, 'least-busy');
    assert.equal(stats.tasks.open, 0);
  } finally {
    await server.close();
  }
});

test('serves real connections, and closes the pool with the server', async () => {
  const pool = createRenderPool({ threads: 1 });
  const server = buildServer({ pool });
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  for (const route of ['/main', '/pool']) {
    const response = await fetch(address + route + query, { headers: { connection: 'close' } });
    assert.equal(response.status, 200);
    assert.equal(await response.text(), expected, route);
  }
  await server.close();
  assert.deepEqual(pool.stats().workers, []);
  await assert.rejects(pool.run('render', ['page', {}]), { code: 'ERR_POOL_CLOSED' });
});

test('an error in a worker is an answer of that request and of no other', async () => {
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads: 1 });
  const server = buildServer({ pool });
  server.get('/broken', () => pool.run('render', ['no such template', {}]));
  try {
    const [broken, whole] = await Promise.all([server.inject('/broken'), server.inject(`/pool${query}`)]);
    assert.equal(broken.statusCode, 500);
    assert.match(broken.json().message, /no template 'no such template'/);
    assert.equal(whole.body, expected);
  } finally {
    await server.close();
  }
});

test('the comparison loads both routes and counts what they served', async () => {
  const results = await compare({ requests: 30, connections: 3, threads: 2 });
  assert.deepEqual(Object.keys(results), ['/main', '/pool']);
  for (const { requestsPerSecond, eventLoopDelayMs } of Object.values(results)) {
    assert.ok(requestsPerSecond > 0);
    assert.ok(eventLoopDelayMs >= 0);
  }
});

test('main.js compares, and its process ends by itself', async () => {
  const args = [main, '--requests', '20', '--connections', '2', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /\/main/);
  assert.match(stdout, /\/pool/);
});

test(
  'a server that serves ends its process when it is told to',
  {
    skip: process.platform === 'win32',
  },
  async () => {
    const child = spawn(process.execPath, [main, '--port', '0', '--threads', '2'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      const [line] = await once(createInterface(child.stdout), 'line');
      const address = /^http:\S+(?=\/main)/.exec(line)[0];
      assert.equal(await (await fetch(`${address}/pool${query}`)).text(), expected);
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
