/** How a server begins and ends, and that it never keeps a program from ending. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildApp } from '../dist/app.js';
import { makeGuard } from '../dist/guard.js';
import { announce, ControlError, serveControl, serveFromEnvironment } from '../dist/index.js';
import { LIMITS } from '../dist/limits.js';
import { OPERATIONS_BY_PATH } from '../dist/openapi/operations.js';
import { resolveOptions } from '../dist/options.js';
import { FakePool, follow, headOf, patch, rawConnection, readToEnd, send, serve, until } from './helpers.mjs';

const FIXTURE = fileURLToPath(new URL('./fixtures/program.mjs', import.meta.url));

/** A program that has not ended by then never will: it is killed, and has no exit code. */
const DEADLINE_MS = 30_000;

/** A program with a pool, and often a server: begun, with what it has written so far. */
function start(name, { value = '', env = {} } = {}) {
  const child = spawn(process.execPath, [FIXTURE, name, value], {
    env: { ...process.env, THREADWISE_CONTROL: '', ...env },
    timeout: DEADLINE_MS,
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (chunk) => {
      output[stream] += chunk;
    });
  }
  return { child, output };
}

/** The same, once it has ended by itself. */
async function run(name, options) {
  const { child, output } = start(name, options);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** A port that somebody else has, or had a moment ago. */
async function takenPort(t, { isFreed = false } = {}) {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  if (isFreed) await new Promise((resolve) => other.close(resolve));
  else t.after(() => other.close());
  return port;
}

test('a request that comes while the server closes is answered like any other, or not at all', async (t) => {
  const handlers = Object.fromEntries(
    [...OPERATIONS_BY_PATH.values()].flat().map(({ operationId }) => [operationId, async () => 'answered']),
  );
  const app = await buildApp(handlers, makeGuard(resolveOptions({})), LIMITS);
  app.server.listen(0, '127.0.0.1');
  await once(app.server, 'listening');
  const { port } = app.server.address();
  t.after(() => app.close());
  const [socket] = await Promise.all([
    rawConnection(t, { url: `http://127.0.0.1:${port}` }),
    once(app.server, 'connection'),
  ]);
  app.server.close();
  socket.write(headOf({ url: `http://127.0.0.1:${port}` }, 'GET', '/api/pools'));
  // Newer versions of Node.js close a connection that has had no request when the server closes.
  assert.match(await readToEnd(socket), /^(HTTP\/1.1 200 |$)/);
});

test('the server is at the URL that it says', async (t) => {
  const server = await serve(t, []);
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal((await send(server, '/healthz')).status, 200);
  const named = await serve(t, [], { host: 'localhost' });
  assert.match(named.url, /^http:\/\/localhost:\d+$/);
  assert.equal((await (await fetch(`${named.url}/healthz`)).json()).status, 'ok');
});

test('a port that is taken is an error that says which, and that the pools run on', async (t) => {
  const port = await takenPort(t);
  const pool = new FakePool();
  const failed = serveControl([pool], { port });
  await assert.rejects(failed, (error) => {
    assert.ok(error instanceof ControlError);
    assert.deepEqual([error.name, error.code], ['ControlError', 'ERR_CONTROL_PORT']);
    assert.match(error.message, new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is taken.*the pools run on`));
    assert.equal(error.cause.code, 'EADDRINUSE');
    return true;
  });
  assert.equal(pool.asked, 0);
});

test('an address that this machine does not have is an error', async () => {
  const options = { host: '192.0.2.1', token: 'secret' };
  await assert.rejects(serveControl([], options), { code: 'ERR_CONTROL_LISTEN', message: /192\.0\.2\.1/ });
});

test('wrong options are refused before anything listens', async () => {
  await assert.rejects(serveControl([], { port: 70_000 }), { code: 'ERR_CONTROL_OPTION', message: /70000/ });
  await assert.rejects(serveControl([], { host: '0.0.0.0' }), { code: 'ERR_CONTROL_TOKEN_REQUIRED' });
  await assert.rejects(serveControl([], { colour: 'red' }), {
    code: 'ERR_CONTROL_OPTION',
    message: /colour/,
  });
  await assert.rejects(serveControl(undefined), { code: 'ERR_CONTROL_OPTION', message: /pools/ });
});

test('close ends everything at once: streams, requests, connections that rest', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const stream = await follow(t, server, 'fake');
  await stream.next('stats');
  const resting = await rawConnection(t, server);
  resting.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`);
  await once(resting, 'readable');
  const half = await rawConnection(t, server);
  half.write('GET /healthz HTTP/1.1\r\n');
  const ends = [stream.rest(), readToEnd(resting), readToEnd(half)];
  await Promise.all([server.close(), server.close()]);
  await Promise.all(ends);
  await until(pool.watch, 'listeners', () => pool.listeners === 0);
  await assert.rejects(send(server, '/healthz'), { code: 'ECONNREFUSED' });
  await server.close();
});

test('a port is free again after close', async (t) => {
  const first = await serve(t, []);
  const port = Number(new URL(first.url).port);
  await first.close();
  const second = await serve(t, [], { port });
  assert.equal(second.url, first.url);
});

test('await using closes it', async (t) => {
  const server = await serve(t, []);
  await server[Symbol.asyncDispose]();
  await assert.rejects(send(server, '/healthz'), { code: 'ECONNREFUSED' });
});

test('a program with a server ends by itself', async () => {
  assert.deepEqual(await run('idle'), { code: 0, stdout: 'served\n', stderr: '' });
});

test('a program with a server ends by itself, also with an open stream and a resting connection', async () => {
  assert.deepEqual(await run('streaming'), { code: 0, stdout: 'streaming\n', stderr: '' });
});

test('a program can wait for close, when nothing else keeps it', async () => {
  assert.deepEqual(await run('closing'), { code: 0, stdout: 'closed\n', stderr: '' });
});

test('the processes of a cluster do not share an address: a client would reach now this one, now that one', async () => {
  assert.deepEqual(await run('cluster'), { code: 0, stdout: 'addresses: 2\n', stderr: '' });
});

test('announce writes one line with the address and the token to standard error', async (t) => {
  const server = await serve(t, [], { token: 'the-token' });
  const written = writtenToStderr(t);
  announce(server);
  assert.deepEqual(written, [`threadwise control: ${server.url}/#token=the-token\n`]);
});

test('by the environment: a port, or a host and a port', async () => {
  for (const value of ['0', '127.0.0.1:0', 'localhost:0']) {
    const { code, stdout, stderr } = await run('environment', { value });
    assert.deepEqual([code, stdout], [0, 'answered 200\n'], value);
    assert.match(stderr, /^threadwise control: http:\/\/(127\.0\.0\.1|localhost):\d+\/#token=[\w-]{22,}\n$/);
  }
});

test('by the environment: a token that is given is used, and not written anywhere', async () => {
  const env = { THREADWISE_CONTROL_TOKEN: 'my-own-secret' };
  const { code, stdout, stderr } = await run('environment', { value: '0.0.0.0:0', env });
  assert.deepEqual([code, stdout], [0, 'answered 200\n']);
  assert.match(stderr, /^threadwise control: http:\/\/0\.0\.0\.0:\d+\n$/);
});

test('by the environment: what is wrong is a warning, and the program runs on', async (t) => {
  const port = await takenPort(t);
  for (const [value, code] of [
    [`${port}`, 'ERR_CONTROL_PORT'],
    [`127.0.0.1:${port}`, 'ERR_CONTROL_PORT'],
    ['0.0.0.0:0', 'ERR_CONTROL_TOKEN_REQUIRED'],
    ['70000', 'ERR_CONTROL_OPTION'],
    ['', 'ERR_CONTROL_OPTION'],
    ['yes', 'ERR_CONTROL_OPTION'],
    [':9464', 'ERR_CONTROL_OPTION'],
    ['::1:9464', 'ERR_CONTROL_OPTION'],
    ['http://localhost:9464', 'ERR_CONTROL_OPTION'],
  ]) {
    const warned = once(process, 'warning');
    assert.equal(await serveFromEnvironment([], value), undefined, value);
    const [warning] = await warned;
    assert.deepEqual([warning.name, warning.code], ['ThreadwiseWarning', code], value);
    assert.ok(warning.message.startsWith(`THREADWISE_CONTROL=${value}: `), warning.message);
  }
  const { code, stdout, stderr } = await run('environment', { value: `${port}` });
  assert.deepEqual([code, stdout], [0, 'no server\n']);
  assert.match(stderr, new RegExp(`ThreadwiseWarning: .*Port ${port} of 127\\.0\\.0\\.1 is taken`));
});

test('by the environment: where nobody reads standard error, the program is served all the same, and runs on', async () => {
  const { child, output } = start('environment', { value: '0' });
  child.stderr.destroy();
  const [code] = await once(child, 'close');
  assert.deepEqual([code, output.stdout], [0, 'answered 200\n']);
});

/** A program that knows nothing of a server: `tell` resolves when it has done what it is told, `end` when it has ended. */
function unaware(value, env = {}) {
  const { child, output } = start('unaware', { env: { THREADWISE_CONTROL: value, ...env } });
  const closed = once(child, 'close');
  return {
    output,
    warned: () => until(child.stderr, 'data', () => output.stderr.includes('\n')),
    tell: async (line) => {
      const before = output.stdout.length;
      child.stdin.write(`${line}\n`);
      await until(child.stdout, 'data', () => output.stdout.slice(before).includes(`${line}: done\n`));
    },
    end: async () => {
      child.stdin.end();
      return (await closed)[0];
    },
  };
}

const namesAt = async (url) => (await (await fetch(`${url}/api/pools`)).json()).pools.map(({ name }) => name);

test('a program that knows nothing of it is served by THREADWISE_CONTROL alone', async () => {
  const program = unaware('0');
  await program.warned();
  const [, url, token] = /^threadwise control: (\S+)\/#token=(\S+)\n$/.exec(program.output.stderr);
  assert.deepEqual(await namesAt(url), ['own']);
  const { status, json } = await patch({ url, token }, 'own', { threads: 2 });
  assert.deepEqual([status, json.threads.max], [200, 2]);
  assert.equal(await program.end(), 0);
  assert.equal(program.output.stdout, 'ended\n');
});

test('by THREADWISE_CONTROL, one server has all pools of the program: those that come, and not those that go', async () => {
  const program = unaware('0');
  await program.warned();
  const [, url] = /^threadwise control: (\S+)\/#/.exec(program.output.stderr);
  await program.tell('second');
  assert.deepEqual(await namesAt(url), ['own', 'second']);
  await program.tell('close');
  assert.deepEqual(await namesAt(url), ['second']);
  await program.tell('close');
  assert.deepEqual(await namesAt(url), []);
  await program.tell('third');
  assert.deepEqual(await namesAt(url), ['third']);
  assert.equal(await program.end(), 0);
  assert.equal(program.output.stderr.match(/threadwise control/g).length, 1);
});

test('by THREADWISE_CONTROL, the port that it names is the one', async (t) => {
  const port = await takenPort(t, { isFreed: true });
  const program = unaware(`${port}`);
  await program.warned();
  assert.deepEqual(await namesAt(`http://127.0.0.1:${port}`), ['own']);
  assert.equal(await program.end(), 0);
});

test('by THREADWISE_CONTROL, a port that is taken: the program says so, once, and its pools run on', async (t) => {
  const port = await takenPort(t);
  const program = unaware(`${port}`);
  await program.warned();
  await program.tell('run');
  await program.tell('second');
  await program.tell('run');
  assert.equal(await program.end(), 0);
  const { stdout, stderr } = program.output;
  assert.equal(stdout, 'run: done\nsecond: done\nrun: done\nended\n');
  assert.match(
    stderr,
    /\[ERR_CONTROL_PORT\] ThreadwiseWarning: THREADWISE_CONTROL=\d+: .*taken.*the pools run on/,
  );
  assert.equal(stderr.match(/ThreadwiseWarning/g).length, 1);
});

test('by THREADWISE_CONTROL, without this package: the program says so, and its pools run on', async (t) => {
  const alone = mkdtempSync(join(tmpdir(), 'threadwise-alone-'));
  t.after(() => rmSync(alone, { recursive: true }));
  const library = dirname(dirname(fileURLToPath(import.meta.resolve('threadwise'))));
  for (const name of ['package.json', 'dist'])
    cpSync(join(library, name), join(alone, name), { recursive: true });
  const source = `
    import { once } from 'node:events';
    import { createPool } from ${JSON.stringify(pathToFileURL(join(alone, 'dist/index.js')))};
    const pool = createPool('data:text/javascript,export const one = () => 1', { threads: 1 });
    const [{ message }] = await once(process, 'warning');
    console.log(message, await pool.run('one', []));
    await pool.close();`;
  const args = ['--no-warnings', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, THREADWISE_CONTROL: '9464' },
    cwd: alone,
    timeout: DEADLINE_MS,
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  const [code] = await once(child, 'close');
  const why = 'it needs the package @threadwise/control, which is not installed';
  assert.deepEqual([code, stdout], [0, `THREADWISE_CONTROL=9464 has no effect: ${why} 1\n`]);
});

/** What is written from now on, instead of being written. */
function writtenToStderr(t) {
  const written = [];
  const { write } = process.stderr;
  process.stderr.write = (text) => {
    written.push(text);
    return true;
  };
  t.after(() => {
    process.stderr.write = write;
  });
  return written;
}
