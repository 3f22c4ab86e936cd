// The service, run as its image would run it: what it answers, and how it ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { DEADLINE_MS, get, said, start, TOKEN, until } from './image.mjs';

const pause = async (control) =>
  get(`${await control}/api/pools/primes/pause`, { method: 'POST', token: TOKEN });

/** A task module whose tasks begin, and then wait until the gate is opened. */
async function gate(t) {
  const sockets = new Set();
  let isOpen = false;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (isOpen) socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = () => {
    isOpen = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    open();
    server.close();
  });
  const tasks = `
    import { once } from 'node:events';
    import { connect } from 'node:net';
    import { countPrimes as count } from './real-tasks.js';
    export { MAX_BELOW } from './real-tasks.js';
    export async function countPrimes(below) {
      await once(connect(${server.address().port}, '127.0.0.1').on('error', () => undefined).resume(), 'close');
      return count(below);
    }`;
  return { tasks, open };
}

describe('the service', { timeout: DEADLINE_MS }, () => {
  test('answers with what a worker has found, and says what is wrong with a request', async (t) => {
    const service = await start(t).service;
    const count = async (below) => (await get(`${service}/primes?below=${below}`)).body;
    assert.deepEqual(await count(2), { below: 2, count: 0 });
    assert.deepEqual(await count(3), { below: 3, count: 1 });
    assert.deepEqual(await count(100), { below: 100, count: 25 });
    assert.deepEqual(await count(1_000_000), { below: 1_000_000, count: 78_498 });

    for (const [path, status, code, message] of [
      ['/primes', 400, 'ERR_BELOW', /from 0 to 20000000, got nothing/],
      ['/primes?below=', 400, 'ERR_BELOW', /got ""/],
      ['/primes?below=-1', 400, 'ERR_BELOW', /got "-1"/],
      ['/primes?below=20000001', 400, 'ERR_BELOW', /got "20000001"/],
      ['/other', 404, 'ERR_NOT_FOUND', /no \/other/],
      ['//', 400, 'ERR_INVALID_URL', /Invalid URL/],
    ]) {
      const { status: got, body } = await get(service + path);
      assert.deepEqual([got, body.error.code], [status, code], path);
      assert.match(body.error.message, message);
    }
    const posted = await get(`${service}/primes?below=3`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET']);
  });

  test('shows on the control port that it lives, and, with the token, how it is', async (t) => {
    const { service, control } = start(t);
    assert.deepEqual((await get(`${await service}/readyz`)).body, { ready: true, state: 'open' });
    assert.equal((await get(`${await control}/healthz`)).status, 200);
    for (const path of ['/metrics', '/readyz']) {
      assert.equal((await get((await control) + path)).status, 401, path);
      assert.equal((await get((await control) + path, { token: TOKEN })).status, 200, path);
    }
  });

  test('drops the waiting call of a client that has hung up', async (t) => {
    const { service, control } = start(t);
    await service;
    await pause(control);
    const client = new AbortController();
    const call = get(`${await service}/primes?below=100`, { signal: client.signal });
    await until(control, ({ tasks }) => tasks.open === 1);
    client.abort();
    await assert.rejects(call, { name: 'AbortError' });
    await until(control, ({ tasks }) => tasks.open === 0 && tasks.aborted === 1);
  });
});

describe('SIGTERM', { skip: process.platform === 'win32', timeout: DEADLINE_MS }, () => {
  const callsOf = (service, length, below, onAnswer = () => undefined) =>
    Array.from({ length }, async () => {
      const answer = await get(`${service}/primes?below=${below}`);
      onAnswer();
      return answer;
    });

  test('what was accepted is answered, what comes then is refused, and the exit code is 0', async (t) => {
    const { tasks, open } = await gate(t);
    const { child, exited, service, control } = start(t, { tasks });
    let answered = 0;
    const calls = callsOf(await service, 12, 100, () => answered++);
    await until(control, ({ tasks: { open: count } }) => count === calls.length);
    // An open connection, as of a Prometheus or a dashboard, must not keep the process alive.
    const headers = { authorization: `Bearer ${TOKEN}` };
    const stream = await fetch(`${await control}/api/pools/primes/events`, { headers });
    assert.equal(stream.status, 200);

    child.kill('SIGTERM');
    let readiness;
    do readiness = await get(`${await service}/readyz`);
    while (readiness.status === 200);
    assert.deepEqual([readiness.status, readiness.body], [503, { ready: false, state: 'draining' }]);
    assert.equal((await get(`${await control}/readyz`, { token: TOKEN })).status, 503);
    assert.equal(
      (await get(`${await control}/healthz`)).status,
      200,
      'a pod that ends must not be restarted',
    );
    const late = await get(`${await service}/primes?below=100`);
    assert.deepEqual([late.status, late.body.error.code], [503, 'ERR_POOL_CLOSED']);
    assert.deepEqual([late.headers.get('connection'), late.headers.get('retry-after')], ['close', '1']);
    assert.equal(answered, 0);

    open();
    for (const { status, body } of await Promise.all(calls)) {
      assert.deepEqual([status, body], [200, { below: 100, count: 25 }]);
    }
    assert.deepEqual(await exited, [0, null]);
    await stream.text().catch(() => undefined);
  });

  test('a pool that is paused, with a full queue: one more call is refused, the rest is answered', async (t) => {
    const { child, exited, service, control } = start(t);
    await service;
    await pause(control);
    const calls = callsOf(await service, 64, 10_000);
    await until(control, ({ queue }) => queue.size === calls.length);
    const refused = await get(`${await service}/primes?below=100`);
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'ERR_QUEUE_FULL']);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await get(`${await service}/readyz`)).status, 200, 'overload is no reason to be taken out');

    child.kill('SIGTERM');
    for (const { status, body } of await Promise.all(calls)) {
      assert.deepEqual([status, body], [200, { below: 10_000, count: 1229 }]);
    }
    assert.deepEqual(await exited, [0, null]);
  });

  test('what takes too long is cut off: its callers get an answer, and the exit code is 1', async (t) => {
    const { tasks } = await gate(t);
    const { child, exited, service, control } = start(t, { tasks, env: { SHUTDOWN_TIMEOUT_MS: '1' } });
    const calls = callsOf(await service, 5, 100);
    await until(control, ({ tasks: { open } }) => open === calls.length);
    child.kill('SIGTERM');
    for (const { status, body } of await Promise.all(calls)) {
      assert.deepEqual([status, body.error.code], [503, 'ERR_POOL_CLOSED']);
    }
    assert.deepEqual(await exited, [1, null]);
  });

  test('before it is ready, it ends as well', async (t) => {
    const tasks = `
      import { isMainThread } from 'node:worker_threads';
      export * from './real-tasks.js';
      if (!isMainThread) await new Promise((resolve) => setInterval(resolve, 2 ** 30));`;
    const { child, exited, control } = start(t, { tasks });
    await control;
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
});

describe(
  'a pool that is broken ends the process, and the orchestrator starts another',
  {
    timeout: DEADLINE_MS,
  },
  () => {
    const failing = (condition) => `
    import { existsSync, writeFileSync } from 'node:fs';
    import { isMainThread } from 'node:worker_threads';
    export * from './real-tasks.js';
    if (!isMainThread && ${condition}) throw new Error('the model file is gone');`;

    test('at its beginning', async (t) => {
      const { child, exited, service } = start(t, { tasks: failing('true') });
      const error = said(child.stderr, /(the model file is gone)/);
      await assert.rejects(service);
      assert.deepEqual(await exited, [1, null]);
      await error;
    });

    test('later, when workers die and none can be replaced: the call that waits is answered', async (t) => {
      const tasks = `${failing("existsSync('dead')")}
      export function countPrimes() {
        writeFileSync('dead', '');
        process.exit(1);
      }`;
      const { exited, service } = start(t, { tasks, env: { THREADWISE_THREADS: '1' } });
      const url = `${await service}/primes?below=100`;
      const answers = await Promise.all([get(url), get(url)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [503, 503],
      );
      assert.deepEqual(answers.map(({ body }) => body.error.code).sort(), [
        'ERR_MODULE_LOAD',
        'ERR_WORKER_CRASHED',
      ]);
      assert.deepEqual(await exited, [1, null]);
    });
  },
);
