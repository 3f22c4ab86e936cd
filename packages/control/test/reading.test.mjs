/** What can be read: statistics, health, readiness, the dashboard; and what is said of what is not there. */
import assert from 'node:assert/strict';
import { promises, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { FakePool, poolPath, send, serve } from './helpers.mjs';

const CSP =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; " +
  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

test('the list has the process and every pool, without a token on this machine', async (t) => {
  const pool = createPool('data:text/javascript,export const one = () => 1', { name: 'real', threads: 1 });
  t.after(() => pool.close());
  await pool.run('one', []);
  const server = await serve(t, [pool, new FakePool('fake')]);
  const { status, json } = await send(server, '/api/pools');
  assert.equal(status, 200);
  assert.equal(json.process.pid, process.pid);
  assert.equal(json.process.node, process.version);
  assert.equal(json.process.title, process.title);
  assert.ok(json.process.uptimeMs > 0);
  assert.deepEqual(
    json.pools.map(({ name, tasks }) => [name, tasks.completed]),
    [
      ['real', 1],
      ['fake', 10],
    ],
  );
});

test('one pool is what its stats say', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const { status, json } = await send(server, poolPath('fake'));
  assert.equal(status, 200);
  assert.deepEqual(json, pool.stats());
});

test('every name of a pool leads to it', async (t) => {
  const names = [
    '__proto__',
    'constructor',
    'a/b',
    '../etc/passwd',
    '..',
    'ü 💥',
    '%2F',
    '?a=b#c',
    'a~2',
    'x'.repeat(2000),
  ];
  const server = await serve(
    t,
    names.map((name) => new FakePool(name)),
  );
  const { json } = await send(server, '/api/pools');
  assert.equal(json.pools.length, names.length);
  for (const { name } of json.pools) {
    const one = await send(server, poolPath(name));
    assert.deepEqual([one.status, one.json.name], [200, name]);
  }
});

test('the second pool of a name is served as another one', async (t) => {
  const [first, second] = [new FakePool('twin', { crashes: 11 }), new FakePool('twin', { crashes: 22 })];
  const server = await serve(t, [first, second]);
  assert.equal((await send(server, poolPath('twin'))).json.crashes, 11);
  const { json } = await send(server, poolPath('twin~2'));
  assert.deepEqual([json.name, json.crashes], ['twin~2', 22]);
});

test('pools that come and go while the server runs are seen', async (t) => {
  const pools = new Set();
  const server = await serve(t, pools);
  assert.deepEqual((await send(server, '/api/pools')).json.pools, []);
  const pool = new FakePool('late');
  pools.add(pool);
  assert.equal((await send(server, poolPath('late'))).status, 200);
  pools.delete(pool);
  assert.equal((await send(server, poolPath('late'))).status, 404);
});

test('an unknown pool is 404, and the known ones are named', async (t) => {
  const server = await serve(t, [new FakePool('known')]);
  for (const rest of ['', '/events']) {
    const { status, json } = await send(server, poolPath('unknown', rest));
    assert.deepEqual([status, json.error.code], [404, 'ERR_CONTROL_NOT_FOUND']);
    assert.match(json.error.message, /"unknown".*"known"/);
  }
  for (const action of ['pause', 'resume', 'drain', 'recycle']) {
    const options = { method: 'POST', token: server.token };
    assert.equal((await send(server, poolPath('unknown', `/${action}`), options)).status, 404);
  }
  const change = { method: 'PATCH', token: server.token, headers: { 'content-type': 'application/json' } };
  assert.equal((await send(server, poolPath('unknown'), { ...change, body: '{"threads":1}' })).status, 404);
});

test('a pool that throws is one answer of 500, and the server goes on', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  for (const thrown of [new Error('broken inside'), undefined]) {
    pool.stats = () => {
      throw thrown;
    };
    for (const path of [poolPath('fake'), poolPath('fake', '/events'), '/metrics']) {
      const { status, json } = await send(server, path);
      assert.deepEqual([status, json.error.code], [500, 'ERR_CONTROL_INTERNAL'], path);
    }
  }
  assert.equal((await send(server, '/healthz')).status, 200);
});

test('healthy as long as it answers; ready as long as every pool takes calls', async (t) => {
  const pool = new FakePool('a');
  const server = await serve(t, [pool, new FakePool('b')]);
  const expected = { open: 200, paused: 200, draining: 503, broken: 503, closing: 503, closed: 503 };
  for (const [state, wanted] of Object.entries(expected)) {
    pool.set({ state });
    const { status, json } = await send(server, '/readyz');
    assert.equal(status, wanted, state);
    const pools = [
      { name: 'a', state },
      { name: 'b', state: 'open' },
    ];
    assert.deepEqual(json, { ready: wanted === 200, pools });
    assert.equal((await send(server, '/healthz')).status, 200);
  }
});

test('without any pool it is healthy, and not ready', async (t) => {
  const server = await serve(t, []);
  assert.equal((await send(server, '/healthz')).status, 200);
  const { status, json } = await send(server, '/readyz');
  assert.deepEqual([status, json], [503, { ready: false, pools: [] }]);
});

test('the dashboard is a page that may load nothing from elsewhere', async (t) => {
  const server = await serve(t, []);
  const { status, headers, text } = await send(server, '/');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(text, readFileSync(new URL('../dashboard/index.html', import.meta.url), 'utf8'));
  for (const path of ['/', '/api/pools', '/nothing', '/%zz', '/metrics']) {
    const answer = await send(server, path);
    assert.equal(answer.headers['content-security-policy'], CSP, path);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', path);
    assert.equal(answer.headers['cache-control'], 'no-store', path);
  }
});

test('the assets are the files beside the page, and no others', async (t) => {
  const server = await serve(t, []);
  const paths = [
    'nothing.js',
    '..%2fpackage.json',
    '..%2fdist%2findex.js',
    '%2e%2e%2fpackage.json',
    '../package.json',
    '..%5cpackage.json',
    'index.html%00.js',
    '',
    '.',
  ];
  for (const path of paths) {
    const { status, json } = await send(server, `/assets/${path}`);
    assert.deepEqual([status, json.error.code], [404, 'ERR_CONTROL_NOT_FOUND'], path);
  }
  const { status, headers } = await send(server, '/assets/index.html');
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
});

test('a dashboard that cannot be read is told with the reason, and not as one that is not there', async (t) => {
  const message = 'EMFILE: too many open files, scandir';
  const { mock } = t.mock.method(promises, 'readdir', () => Promise.reject(new Error(message)));
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  const { status, json } = await send(await serve(t, []), '/');
  assert.deepEqual([status, json.error], [500, { code: 'ERR_CONTROL_INTERNAL', message }]);
});

test('HEAD is GET without a body', async (t) => {
  const server = await serve(t, [new FakePool()]);
  for (const path of ['/', '/api/pools', poolPath('fake'), '/metrics', '/healthz', '/readyz']) {
    const { status, text } = await send(server, path, { method: 'HEAD' });
    assert.deepEqual([status, text], [200, ''], path);
  }
});

test('another method is 405, and the possible ones are named', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const cases = [
    ['DELETE', '/api/pools', 'GET, HEAD'],
    ['PUT', poolPath('fake'), 'GET, HEAD, PATCH'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['OPTIONS', poolPath('fake'), 'GET, HEAD, PATCH'],
    ['GET', poolPath('fake', '/pause'), 'POST'],
    ['HEAD', poolPath('fake', '/recycle'), 'POST'],
    ['HEAD', poolPath('fake', '/events'), 'GET'],
    ...['PROPFIND', 'PURGE', 'QUERY', 'M-SEARCH', 'TRACE'].map((method) => [
      method,
      poolPath('fake'),
      'GET, HEAD, PATCH',
    ]),
    ['MKCOL', '/', 'GET, HEAD'],
  ];
  for (const [method, path, allow] of cases) {
    const body = method === 'PUT' ? '<a/>' : undefined;
    const answer = await send(server, path, { method, body, token: server.token });
    assert.deepEqual([answer.status, answer.headers.allow], [405, allow], `${method} ${path}`);
    if (method !== 'HEAD') assert.equal(answer.json.error.code, 'ERR_CONTROL_METHOD');
  }
  assert.deepEqual(pool.done, []);
  assert.equal(pool.listeners, 0);
});

test('nothing is there for any method, and before a body is looked at', async (t) => {
  const server = await serve(t, []);
  const body = { headers: { 'content-type': 'text/plain' }, body: 'x', token: server.token };
  for (const [method, more] of [
    ['POST', body],
    ['QUERY', { token: server.token }],
    ['PROPFIND', body],
  ]) {
    const { status, json } = await send(server, '/nothing', { method, ...more });
    assert.deepEqual([status, json.error.code], [404, 'ERR_CONTROL_NOT_FOUND'], method);
  }
});

test('another path is 404; one that cannot be decoded is 400', async (t) => {
  const server = await serve(t, []);
  for (const path of ['/nothing', '/api', '/api/pools/', '/api/pools/a/b', '//']) {
    const { status, json } = await send(server, path);
    assert.deepEqual([status, json.error.code], [404, 'ERR_CONTROL_NOT_FOUND'], path);
  }
  const { status, json } = await send(server, '/api/pools/%zz');
  assert.deepEqual([status, json.error.code], [400, 'ERR_CONTROL_REQUEST']);
});
