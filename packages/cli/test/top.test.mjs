/** `threadwise top` without a terminal: one snapshot as text, and how it says that there is none. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { run } from './command.mjs';
import { startServer, TOKEN } from './fixtures/control/server.mjs';
import { pool } from './fixtures/control/stats.mjs';

const NOWHERE = { THREADWISE_CONTROL: '', THREADWISE_CONTROL_TOKEN: '', COLUMNS: '' };

async function serve(t, options) {
  const server = await startServer([pool('images'), pool('mail', { state: 'paused' })], options);
  t.after(() => server.close());
  return server;
}

for (const args of [[], ['--once']]) {
  test(`prints every pool with its details once, without codes for a terminal (top ${args})`, async (t) => {
    const server = await serve(t);
    const { code, stdout, stderr } = await run(['top', server.url, ...args], { env: NOWHERE });
    assert.deepEqual([code, stderr], [0, '']);
    const lines = stdout.split('\n');
    assert.equal(lines[0], `${server.url}  pid 4242  up 1h02m  image-server  Node 20.19.0  120MiB resident`);
    assert.match(
      lines[2],
      /^ {2}images +open +2\/2 +37 +1\.53s +81\.4 +0 +12\.3ms +240ms +1\.5ms +33ms +7%$/,
    );
    assert.match(lines[3], /^ {2}mail +paused /);
    assert.equal(lines.filter((line) => /^2 +ready +3 +580 +93%/.test(line)).length, 2, 'a worker of each');
    assert.equal(
      lines.filter((line) => /^label +inline +90 +88 +- +0\.01ms takes 0\.01 ms$/.test(line)).length,
      2,
    );
    assert.equal(
      lines.filter((line) => /ago +1 to 2 +3 +0 pool +3 tasks wait for a worker$/.test(line)).length,
      2,
    );
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u);
  });
}

test('COLUMNS says how wide', async (t) => {
  const server = await serve(t);
  const { stdout } = await run(['top', server.url], { env: { ...NOWHERE, COLUMNS: '40' } });
  assert.equal(stdout.split('\n')[2], '  images     open         2/2     37');
});

test('without an argument the environment says where', async (t) => {
  const server = await serve(t);
  const { code, stdout } = await run(['top'], {
    env: { ...NOWHERE, THREADWISE_CONTROL: String(server.port) },
  });
  assert.equal(code, 0);
  assert.ok(stdout.startsWith(server.url));
});

test('without either it says what is expected: exit code 2', async () => {
  const { code, stdout, stderr } = await run(['top'], { env: NOWHERE });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /Which program\? .*THREADWISE_CONTROL, which is not set/);
});

test('nothing answers: exit code 5', async (t) => {
  const server = await serve(t);
  await server.close();
  const { code, stdout, stderr } = await run(['top', server.url], { env: NOWHERE });
  assert.deepEqual([code, stdout], [5, '']);
  assert.match(stderr, new RegExp(`Is the program running with THREADWISE_CONTROL=${server.port}\\?`));
});

test('whoever closes each connection at once is told, within the time that an answer has', async (t) => {
  // A tunnel does the same once the program at its far end has gone.
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = String(server.address().port);
  const asked = [
    ['ctl', address, 'pools', '--timeout', '1s'],
    ['top', address, '--once'],
  ];
  for (const { code, stdout, stderr } of await Promise.all(
    asked.map((args) => run(args, { env: NOWHERE })),
  )) {
    // Which of the two depends on whether the request was written before the connection ended.
    assert.ok(code === 5 || code === 7, `exit code ${code}`);
    assert.equal(stdout, '');
    assert.match(stderr, /^threadwise: (The connection to .* was lost|No answer from) /);
  }
});

test('a token is needed: exit code 4, and with it, all is well', async (t) => {
  const server = await serve(t, { needsToken: true });
  const { code, stderr } = await run(['top', server.url], { env: NOWHERE });
  assert.equal(code, 4);
  assert.match(stderr, /Set THREADWISE_CONTROL_TOKEN/);
  const env = { ...NOWHERE, THREADWISE_CONTROL_TOKEN: TOKEN };
  assert.equal((await run(['top', server.url], { env })).code, 0);
});
