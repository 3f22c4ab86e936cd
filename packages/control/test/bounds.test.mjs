/** What slow, dead, greedy and hostile clients can do: nothing to the others, and nothing to the pool. */
import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { LIMITS } from '../dist/limits.js';
import {
  closed,
  FakePool,
  follow,
  headOf,
  openStreams,
  patch,
  poolPath,
  rawConnection,
  readToEnd,
  send,
  serve,
  until,
} from './helpers.mjs';

const MIB = 1024 * 1024;

/** The server's own ends of the connections on which requests come. */
function serverSockets(t) {
  const sockets = [];
  const note = ({ socket }) => sockets.push(socket);
  diagnostics.subscribe('http.server.request.start', note);
  t.after(() => diagnostics.unsubscribe('http.server.request.start', note));
  return sockets;
}

for (const [how, headers] of [
  ['a body of 10 MB', { 'content-length': 10_000_000 }],
  ['a body of 10 MB in pieces', { 'transfer-encoding': 'chunked' }],
]) {
  test(`${how} is 413, and the server goes on`, async (t) => {
    const pool = new FakePool();
    const server = await serve(t, [pool]);
    const { status, json } = await send(server, poolPath('fake'), {
      method: 'PATCH',
      token: server.token,
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.alloc(10_000_000, ' '),
    });
    assert.deepEqual([status, json.error.code], [413, 'ERR_CONTROL_BODY_TOO_LARGE']);
    assert.deepEqual(pool.done, []);
    assert.equal((await patch(server, 'fake', { threads: 1 })).status, 200);
  });
}

for (const [why, wanted, headers] of [
  ['too large', 413, ['Content-Type: application/json', 'Content-Length: 10000000']],
  ['of another type', 415, ['Content-Type: text/plain', 'Content-Length: 1000']],
]) {
  test(`a body that is ${why} is refused before it has come, and the connection closed if it never comes`, async (t) => {
    const limits = { lingerMs: 50, requestTimeoutMs: 2000, headersTimeoutMs: 2000, checkIntervalMs: 100 };
    const server = await serve(t, [new FakePool()], {}, limits);
    const socket = await rawConnection(t, server);
    const answer = readToEnd(socket);
    socket.write(
      headOf(server, 'PATCH', poolPath('fake'), [`Authorization: Bearer ${server.token}`, ...headers]),
    );
    assert.match(await answer, new RegExp(`^HTTP/1.1 ${wanted} `));
  });
}

test('a body of just 16 KiB is read; one more byte is too much', async (t) => {
  const server = await serve(t, [new FakePool()]);
  const change = (bytes) =>
    send(server, poolPath('fake'), {
      method: 'PATCH',
      token: server.token,
      headers: { 'content-type': 'application/json' },
      body: '{"threads":1}'.padEnd(bytes),
    });
  assert.equal((await change(16 * 1024)).status, 200);
  const { status, json } = await change(16 * 1024 + 1);
  assert.deepEqual([status, json.error.message], [413, 'The body is larger than 16 KiB']);
});

test('a thousand streams: as many as there may be are served, the others get 503, the server answers', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const responses = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const request = httpRequest(`${server.url}${poolPath('fake', '/events')}`, { agent: false });
      t.after(() => request.destroy());
      request.on('error', () => undefined);
      request.end();
      const [response] = await once(request, 'response');
      response.on('error', () => undefined).resume();
      return response;
    }),
  );
  const refused = responses.filter(({ statusCode }) => statusCode === 503);
  assert.equal(responses.length - refused.length, LIMITS.streams);
  assert.ok(responses.every(({ statusCode }) => [200, 503].includes(statusCode)));
  assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) > 0));
  assert.equal((await send(server, poolPath('fake', '/events'))).json.error.code, 'ERR_CONTROL_STREAMS');
  assert.equal((await patch(server, 'fake', { threads: 1 })).status, 200);
  assert.match((await send(server, '/metrics')).text, /^threadwise_control_event_streams 64$/m);
  assert.equal(pool.listeners, 6);
});

test('a stream that ends makes room for another one', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, { streams: 1 });
  const first = await follow(t, server, 'fake');
  await first.next('stats');
  assert.equal((await follow(t, server, 'fake')).status, 503);
  first.close();
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  assert.equal((await follow(t, server, 'fake')).status, 200);
});

test('a client that never reads is cut off; who reads is told everything', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const sockets = serverSockets(t);
  const dead = await rawConnection(t, server);
  dead.pause();
  dead.write(`GET ${poolPath('fake', '/events')} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`);
  await until(pool.watch, 'listeners', () => pool.listeners === 6);
  const [deadSocket] = sockets;
  const reader = await follow(t, server, 'fake');
  await reader.next('stats');

  const why = 'x'.repeat(64 * 1024);
  let sent = 0;
  // What the system itself takes in for a client that does not read is some megabytes.
  while (!deadSocket.destroyed && sent < 64 * MIB) {
    pool.emit('pool:size', { why });
    sent += why.length;
    assert.ok(deadSocket.writableLength < LIMITS.backlogBytes + 2 * why.length);
    assert.equal((await reader.next('pool:size')).why, why);
  }
  assert.ok(deadSocket.destroyed, `still connected after ${sent} bytes`);
  pool.emit('worker:start', { workerId: 5 });
  assert.equal((await reader.next('worker:start')).workerId, 5);
  assert.equal(pool.listeners, 6);
});

test('slow headers: the connection is ended, and others are answered meanwhile', async (t) => {
  const server = await serve(
    t,
    [],
    {},
    { headersTimeoutMs: 50, requestTimeoutMs: 600_000, checkIntervalMs: 10 },
  );
  const slow = await rawConnection(t, server);
  slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const answer = readToEnd(slow);
  assert.equal((await send(server, '/healthz')).status, 200);
  const text = await answer;
  assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
  assert.equal(JSON.parse(text.split('\r\n\r\n')[1]).error.code, 'ERR_CONTROL_TIMEOUT');
});

test('a connection on which nothing is said is ended', async (t) => {
  const server = await serve(t, [], {}, { headersTimeoutMs: 50, requestTimeoutMs: 100, checkIntervalMs: 10 });
  const silent = await rawConnection(t, server);
  silent.resume();
  await closed(silent);
});

test('a slow body: the connection is ended, and nothing is changed', async (t) => {
  const pool = new FakePool();
  const server = await serve(
    t,
    [pool],
    {},
    { headersTimeoutMs: 50, requestTimeoutMs: 50, checkIntervalMs: 10 },
  );
  const slow = await rawConnection(t, server);
  const head = [
    `PATCH ${poolPath('fake')} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    `Authorization: Bearer ${server.token}`,
    'Content-Type: application/json',
    'Content-Length: 13',
  ];
  slow.write(`${head.join('\r\n')}\r\n\r\n{"threads":`);
  assert.match(await readToEnd(slow), /^HTTP\/1\.1 (408|400) /);
  assert.deepEqual(pool.done, []);
});

test('a connection that rests after an answer is ended', async (t) => {
  const server = await serve(t, [], {}, { keepAliveMs: 20 });
  const resting = await rawConnection(t, server);
  resting.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`);
  assert.match(await readToEnd(resting), /^HTTP\/1\.1 200 .*Keep-Alive/is);
});

test('a client that does not take its answer is ended', async (t) => {
  // More than the system takes in for a client that does not read.
  const pool = new FakePool('fake', { filler: 'x'.repeat(32 * MIB) });
  const server = await serve(t, [pool], {}, { stalledMs: 50 });
  const sockets = serverSockets(t);
  const stalled = await rawConnection(t, server);
  stalled.pause();
  stalled.write(`GET ${poolPath('fake')} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`);
  await once(pool.watch, 'stats');
  const [socket] = sockets;
  await closed(socket);
});

test('one connection more than there may be is closed, and the others go on', async (t) => {
  const server = await serve(t, [], {}, { connections: 2 });
  const [first, second] = [await rawConnection(t, server), await rawConnection(t, server)];
  const third = await rawConnection(t, server);
  third.resume();
  await closed(third);
  second.destroy();
  first.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nConnection: close\r\n\r\n`);
  assert.match(await readToEnd(first), /^HTTP\/1\.1 200 /);
});

test('what is no HTTP, or has endless headers, is answered and ended', async (t) => {
  const server = await serve(t, []);
  for (const [bytes, status] of [
    ['\x16\x03\x01\x02\x00', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    [`GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ]) {
    const socket = await rawConnection(t, server);
    socket.write(bytes);
    const text = await readToEnd(socket);
    assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text.slice(0, 100));
    assert.match(
      JSON.parse(text.split('\r\n\r\n')[1]).error.code,
      /^ERR_CONTROL_(REQUEST|HEADERS_TOO_LARGE)$/,
    );
  }
  assert.equal((await send(server, '/healthz')).status, 200);
});

test('a client that is gone in the middle of a request is no error', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const warnings = new EventEmitter();
  const note = (warning) => warnings.emit('warning', warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  warnings.on('warning', (warning) => assert.fail(warning));
  for (const bytes of ['PATCH /api', headOf(server, 'GET', poolPath('fake', '/events'))]) {
    const socket = await rawConnection(t, server);
    socket.write(bytes);
    socket.resetAndDestroy();
  }
  assert.equal((await send(server, '/healthz')).status, 200);
});

test('a client that resets its connection in the middle of a stream leaves nothing behind', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const socket = await rawConnection(t, server);
  socket.write(headOf(server, 'GET', poolPath('fake', '/events')));
  await until(pool.watch, 'listeners', () => pool.listeners === 6);
  socket.resetAndDestroy();
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  assert.equal(await openStreams(server), 0);
});

test('every limit is one: none is missing, endless or zero', () => {
  for (const [name, limit] of Object.entries(LIMITS)) assert.ok(limit > 0 && limit < 2 ** 31, name);
  assert.ok(LIMITS.headersTimeoutMs <= LIMITS.requestTimeoutMs);
  assert.ok(LIMITS.streams < LIMITS.connections, 'streams leave connections for those who change things');
});

for (const [where, method, headers] of [
  ['headers', 'GET', undefined],
  ['body', 'PATCH', ['Content-Type: application/json', 'Content-Length: 16000']],
]) {
  test(`a byte now and then does not keep a request open: in its ${where}`, async (t) => {
    const pool = new FakePool();
    const limits = { headersTimeoutMs: 50, requestTimeoutMs: 50, checkIntervalMs: 10 };
    const server = await serve(t, [pool], {}, limits);
    const slow = await rawConnection(t, server);
    const answer = readToEnd(slow);
    const whole = headOf(server, method, poolPath('fake'), [
      `Authorization: Bearer ${server.token}`,
      ...(headers ?? []),
    ]);
    slow.write(headers === undefined ? `${whole.trimEnd()}\r\nX-Slow: ` : whole);
    // How much it says depends on how soon the others are answered: it would go on for ever.
    while (!slow.closed) {
      slow.write(' ');
      assert.equal((await send(server, '/healthz')).status, 200);
    }
    assert.doesNotMatch(await answer, /^HTTP\/1\.1 200 /);
    assert.deepEqual(pool.done, []);
  });
}

for (const [what, path, headers] of [
  ['that is not JSON', poolPath('fake'), []],
  ['that is too large', poolPath('fake'), ['Content-Type: application/json']],
  ['for which there is no path', '/nothing', []],
]) {
  for (const isKnown of [true, false]) {
    test(`a body without an end, ${what}, ${isKnown ? 'with' : 'without'} the token: it is ended`, async (t) => {
      const pool = new FakePool();
      const limits = { headersTimeoutMs: 50, requestTimeoutMs: 100, checkIntervalMs: 10 };
      const server = await serve(t, [pool], {}, limits);
      const endless = await rawConnection(t, server);
      endless.resume();
      const token = isKnown ? [`Authorization: Bearer ${server.token}`] : [];
      endless.write(headOf(server, 'PATCH', path, [...token, ...headers, 'Transfer-Encoding: chunked']));
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const goOn = () => {
        if (endless.write(chunk)) setImmediate(goOn);
        else endless.once('drain', goOn);
      };
      goOn();
      await closed(endless);
      assert.deepEqual(pool.done, []);
      assert.equal((await patch(server, 'fake', { threads: 1 })).status, 200);
    });
  }
}

test('streams that wait behind one on its connection are refused: with it they would be lost, not ended', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const greedy = await rawConnection(t, server);
  greedy.resume();
  greedy.write(headOf(server, 'GET', poolPath('fake', '/events')).repeat(10));
  await until(pool.watch, 'listeners', () => pool.listeners === 6);
  assert.equal(await openStreams(server), 1);
  greedy.destroy();
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  assert.equal(await openStreams(server), 0);
});

test('who asks for two streams on one connection is told that the second one is refused', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const both = await rawConnection(t, server);
  const head = (headers) => headOf(server, 'GET', poolPath('fake', '/events'), headers);
  const answers = readToEnd(both);
  both.write(head() + head(['Connection: close']));
  await until(pool.watch, 'listeners', () => pool.listeners === 6);
  pool.emit('pool:close');
  const [first, second, ...more] = (await answers).split(/^(?=HTTP\/1\.1 )/m);
  assert.match(first, /^HTTP\/1\.1 200 .*event: pool:close/s);
  assert.match(second, /^HTTP\/1\.1 400 .*ERR_CONTROL_REQUEST.*on another connection/s);
  assert.deepEqual(more, []);
});

test('a stream may come after other answers on its connection', async (t) => {
  const server = await serve(t, [new FakePool()]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ask = async (path) => {
    const request = httpRequest(`${server.url}${path}`, { agent }).end();
    request.on('error', () => undefined);
    const [response] = await once(request, 'response');
    return { request, response };
  };
  for (let i = 0; i < 3; i++) await once((await ask('/api/pools')).response.resume(), 'end');
  const { request, response } = await ask(poolPath('fake', '/events'));
  assert.deepEqual([response.statusCode, request.reusedSocket], [200, true]);
});

test('a stream that is refused costs the pool nothing', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool], {}, { streams: 1, statsIntervalMs: 2 ** 31 - 1 });
  await (await follow(t, server, 'fake')).next('stats');
  const before = pool.asked;
  for (let i = 0; i < 20; i++) assert.equal((await follow(t, server, 'fake')).status, 503);
  assert.equal(pool.asked, before);
});

test('an event is made into text once, however many follow', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(t, server, 'fake')));
  let made = 0;
  const why = { toJSON: () => `made ${++made} times` };
  pool.emit('pool:size', { why });
  for (const stream of streams) assert.equal((await stream.next('pool:size')).why, 'made 1 times');
});
