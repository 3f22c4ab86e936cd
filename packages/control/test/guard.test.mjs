/** Who may do what: tokens, hosts and origins, on this machine alone and where others can reach the server. */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { FakePool, headOf, patch, poolPath, rawConnection, readToEnd, send, serve } from './helpers.mjs';

const TOKEN = 'a-token-of-ours';
const json = { 'content-type': 'application/json' };
const changes = [
  ['PATCH', poolPath('fake'), '{"threads":1}'],
  ...['pause', 'resume', 'drain', 'recycle'].map((action) => ['POST', poolPath('fake', `/${action}`)]),
];
const reads = ['/api/pools', poolPath('fake'), '/metrics', '/readyz', '/openapi.json'];

test('a change without the token is 401, and nothing is changed', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const wrong = [
    undefined,
    '',
    server.token,
    `Basic ${server.token}`,
    `Bearer ${server.token}x`,
    `Bearer ${server.token.slice(0, -1)}`,
    `Bearer ${server.token.toUpperCase()}`,
    'Bearer ',
    `Bearer ${'x'.repeat(5000)}`,
  ];
  for (const [method, path, body] of changes) {
    for (const authorization of wrong) {
      const headers = { ...json, ...(authorization === undefined ? {} : { authorization }) };
      const answer = await send(server, path, { method, headers, body });
      const what = `${method} ${path} ${authorization}`;
      assert.deepEqual([answer.status, answer.json.error.code], [401, 'ERR_CONTROL_TOKEN'], what);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.ok(!answer.text.includes(server.token));
    }
  }
  assert.deepEqual(pool.done, []);
});

test('the token is asked for before anything else is looked at', async (t) => {
  const server = await serve(t, []);
  for (const [method, path, body, type] of [
    ['PATCH', poolPath('unknown'), '{', 'application/json'],
    ['PATCH', poolPath('unknown'), 'x'.repeat(100_000), 'text/plain'],
    ['POST', '/nothing', ''],
    ['DELETE', '/api/pools', ''],
  ]) {
    const headers = type === undefined ? {} : { 'content-type': type };
    assert.equal((await send(server, path, { method, body, headers })).status, 401, `${method} ${path}`);
  }
});

test('with the token every change is done', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], { token: TOKEN });
  assert.equal(server.token, TOKEN);
  for (const [method, path, body] of changes) {
    const { status } = await send(server, path, {
      method,
      token: TOKEN,
      headers: body === undefined ? {} : json,
      body,
    });
    assert.equal(status, method === 'PATCH' ? 200 : 202);
  }
  assert.deepEqual(
    pool.done.map(([what]) => what),
    ['configure', 'pause', 'resume', 'drain', 'recycle'],
  );
});

test('a random token is another one for each server, and long enough', async (t) => {
  const [first, second] = [await serve(t, []), await serve(t, [])];
  assert.notEqual(first.token, second.token);
  assert.ok(Buffer.from(first.token, 'base64url').length >= 16);
});

test('where others can reach it, reading needs the token too', async (t) => {
  const server = await serve(t, [new FakePool()], { host: '0.0.0.0', token: TOKEN });
  const { port } = new URL(server.url);
  const local = { url: `http://127.0.0.1:${port}` };
  for (const path of [...reads, poolPath('fake', '/events'), '/nothing']) {
    for (const token of [undefined, 'wrong']) {
      const answer = await send(local, path, { token });
      assert.deepEqual([answer.status, answer.json.error.code], [401, 'ERR_CONTROL_TOKEN'], path);
    }
  }
  for (const path of reads) assert.equal((await send(local, path, { token: TOKEN })).status, 200, path);
});

test('where others can reach it, health and the empty page need no token', async (t) => {
  const server = await serve(t, [new FakePool('secret-name')], { host: '0.0.0.0', token: TOKEN });
  const local = { url: `http://127.0.0.1:${new URL(server.url).port}` };
  for (const path of ['/healthz', '/', '/assets/index.html']) {
    const { status, text } = await send(local, path);
    assert.equal(status, 200, path);
    assert.ok(!text.includes('secret-name') && !text.includes(TOKEN));
  }
});

test('on all addresses, it answers to those of this machine, and to no other name', async (t) => {
  const server = await serve(t, [], { host: '0.0.0.0', token: TOKEN });
  const { port } = new URL(server.url);
  const local = { url: `http://127.0.0.1:${port}` };
  const { networkInterfaces } = await import('node:os');
  const addresses = Object.values(networkInterfaces()).flat();
  const hosts = addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  for (const host of hosts) {
    assert.equal((await send(local, '/healthz', { headers: { host: `${host}:${port}` } })).status, 200, host);
  }
  for (const host of ['192.0.2.7', 'evil.example']) {
    assert.equal((await send(local, '/healthz', { headers: { host: `${host}:${port}` } })).status, 403, host);
  }
});

test('another Host than its own is 403: a name that an attacker has led here', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const { port } = new URL(server.url);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    '127.0.0.1',
    'localhost',
    `127.0.0.1:${Number(port) + 1}`,
    `127.0.0.1:${port}.evil.example`,
    `evil@127.0.0.1:${port}`,
    `[::2]:${port}`,
  ]) {
    for (const path of [...reads, '/', '/healthz', '/nothing']) {
      const answer = await send(server, path, { headers: { host } });
      assert.deepEqual([answer.status, answer.json.error.code], [403, 'ERR_CONTROL_HOST'], `${host} ${path}`);
    }
    const headers = { ...json, host };
    const change = { method: 'PATCH', token: server.token, headers, body: '{"threads":1}' };
    assert.equal((await send(server, poolPath('fake'), change)).status, 403, host);
  }
  for (const host of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]']) {
    assert.equal(
      (await send(server, '/api/pools', { headers: { host: `${host}:${port}` } })).status,
      200,
      host,
    );
  }
  assert.deepEqual(pool.done, []);
});

test('without a Host there is no answer, in HTTP/1.0 neither, and it says that the header is missing', async (t) => {
  const server = await serve(t, [new FakePool()]);
  for (const request of [
    'GET /healthz HTTP/1.0',
    'GET /api/pools HTTP/1.0\r\nOrigin: http://evil.example',
    'GET /api/pools HTTP/1.1\r\nConnection: close',
  ]) {
    const socket = await rawConnection(t, server);
    socket.write(`${request}\r\n\r\n`);
    const missing =
      /^HTTP\/1\.1 400 .*ERR_CONTROL_REQUEST.*"The header 'Host' is missing: send this server's/s;
    assert.match(await readToEnd(socket), missing, request);
  }
});

test('an Expect that it does not know is not met, and the request is answered as any other', async (t) => {
  const server = await serve(t, [new FakePool()]);
  for (const [path, answer] of [
    [poolPath('fake'), /^HTTP\/1\.1 200 .*"name":"fake"/s],
    ['/nothing', /^HTTP\/1\.1 404 .*ERR_CONTROL_NOT_FOUND/s],
  ]) {
    const socket = await rawConnection(t, server);
    socket.write(headOf(server, 'GET', path, ['Expect: a-miracle', 'Connection: close']));
    assert.match(await readToEnd(socket), answer);
  }
});

test('names that the owner has allowed are its own', async (t) => {
  const server = await serve(t, [], { allowedHosts: ['Control.Example', 'box:8080'] });
  for (const host of ['control.example', 'CONTROL.example', 'box:8080']) {
    assert.equal((await send(server, '/api/pools', { headers: { host } })).status, 200, host);
  }
  for (const host of ['box', 'box:80', 'control.example:80', 'a.control.example']) {
    assert.equal((await send(server, '/api/pools', { headers: { host } })).status, 403, host);
  }
});

test('another Origin than its own is 403, also with the token', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const { port } = new URL(server.url);
  for (const origin of [
    'http://evil.example',
    'null',
    '',
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    `http://127.0.0.1:${port}/`,
  ]) {
    for (const [method, path, body] of changes) {
      const headers = { ...json, origin };
      const answer = await send(server, path, { method, token: server.token, headers, body });
      assert.deepEqual(
        [answer.status, answer.json.error.code],
        [403, 'ERR_CONTROL_ORIGIN'],
        `${origin} ${path}`,
      );
    }
  }
  assert.deepEqual(pool.done, []);
});

test('its own Origin, or none, may change things', async (t) => {
  const server = await serve(t, [new FakePool()], { allowedHosts: ['control.example'] });
  const change = (headers) =>
    send(server, poolPath('fake', '/pause'), { method: 'POST', token: server.token, headers });
  assert.equal((await change({})).status, 202);
  assert.equal((await change({ origin: server.url })).status, 202);
  // A proxy that speaks TLS with the browser.
  const proxied = { host: 'control.example', origin: 'https://control.example' };
  assert.equal((await change(proxied)).status, 202);
  assert.equal((await change({ ...proxied, origin: 'https://other.example' })).status, 403);
});

test('a proxy may add the usual port to the Host, which browsers leave out of the Origin', async (t) => {
  const allowedHosts = ['control.example:443', 'plain.example:80'];
  const server = await serve(t, [new FakePool()], { allowedHosts });
  const change = (headers) =>
    send(server, poolPath('fake', '/pause'), { method: 'POST', token: server.token, headers });
  const [safe, plain] = allowedHosts.map((host) => ({ host }));
  assert.equal((await change({ ...safe, origin: 'https://control.example' })).status, 202);
  assert.equal((await change({ ...plain, origin: 'http://plain.example' })).status, 202);
  for (const origin of ['http://control.example', 'https://control.example:8443', 'https://plain.example'])
    assert.equal((await change({ ...safe, origin })).status, 403, origin);
});

test('no page of another site may read: nothing allows it', async (t) => {
  const server = await serve(t, [new FakePool()]);
  for (const path of reads) {
    const { headers } = await send(server, path);
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
      path,
    );
    const asked = await send(server, path, { headers: { origin: 'http://evil.example' } });
    assert.deepEqual([asked.status, asked.json.error.code], [403, 'ERR_CONTROL_ORIGIN'], path);
  }
});

test('no GET changes anything', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  for (const [, path] of changes) {
    for (const query of ['', '?threads=1', '?_method=POST']) {
      const { status } = await send(server, path + query, {
        token: server.token,
        headers: { 'x-http-method-override': 'POST' },
      });
      assert.equal(status, path === poolPath('fake') ? 200 : 405);
    }
  }
  assert.deepEqual(pool.done, []);
});

test('an address of IPv6 is written in brackets', async (t) => {
  let server;
  try {
    server = await serve(t, [new FakePool()], { host: '::1' });
  } catch (error) {
    if (error.code !== 'ERR_CONTROL_LISTEN') throw error;
    t.skip('this machine has no IPv6');
    return;
  }
  assert.match(server.url, /^http:\/\/\[::1\]:\d+$/);
  assert.equal((await send(server, '/api/pools')).status, 200);
  assert.equal((await patch(server, 'fake', { threads: 1 })).status, 200);
});

/** Puts something else in the place of a function of Node's, also where it was imported by name, until the test ends. */
function replace(t, module, name, replacement) {
  const original = module[name];
  const put = (value) => {
    module[name] = value;
    syncBuiltinESMExports();
  };
  put((...args) => replacement(original, ...args));
  t.after(() => put(original));
}

test('a token is compared in constant time, whatever the guess, and by nothing else', async (t) => {
  const server = await serve(t, [new FakePool()], { token: TOKEN });
  const compared = [];
  let verdict;
  replace(t, crypto, 'timingSafeEqual', (original, a, b) => {
    compared.push([a.byteLength, b.byteLength]);
    return verdict ?? original(a, b);
  });
  const guesses = [TOKEN, TOKEN.slice(0, -1), `${TOKEN}x`, `x${TOKEN.slice(1)}`, 'x', 'x'.repeat(5000)];
  const statuses = async () => {
    compared.length = 0;
    const answers = [];
    for (const token of guesses) {
      answers.push((await send(server, poolPath('fake', '/pause'), { method: 'POST', token })).status);
    }
    assert.equal(compared.length, guesses.length, 'each guess, once');
    assert.equal(new Set(compared.flat()).size, 1, 'over the same length, whatever that of the guess');
    return answers;
  };
  assert.deepEqual(await statuses(), [202, 401, 401, 401, 401, 401]);
  verdict = true;
  assert.deepEqual(new Set(await statuses()), new Set([202]), 'nothing else refuses');
  verdict = false;
  assert.deepEqual(new Set(await statuses()), new Set([401]), 'nothing else accepts');
});

test("a 'localhost' that others can reach is refused: it would be read without a token", async (t) => {
  replace(t, dns, 'lookup', (original, _host, options, done) => original('0.0.0.0', options, done));
  for (const options of [{}, { token: TOKEN }]) {
    await assert.rejects(serve(t, [], { host: 'localhost', ...options }), {
      code: 'ERR_CONTROL_TOKEN_REQUIRED',
      message: /'localhost' is 0\.0\.0\.0 here.*give '127\.0\.0\.1', or '0\.0\.0\.0' and a token/,
    });
  }
  const server = await serve(t, [], { host: '0.0.0.0', token: TOKEN });
  const local = { url: `http://127.0.0.1:${new URL(server.url).port}` };
  assert.equal((await send(local, '/api/pools')).status, 401, 'what it says to do is done');
});
