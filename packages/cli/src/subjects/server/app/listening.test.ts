/** Which servers listen, and where, once `listen` is replaced in this process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { listenOnLoopback } from './listening.js';

const original = net.Server.prototype.listen;
after(() => {
  net.Server.prototype.listen = original;
});

/** What a request to the server is answered. */
async function answerOf(origin: string): Promise<string> {
  return (await fetch(origin, { headers: { connection: 'close' } })).text();
}

/** A server that listens, and what is known of the servers of this process. */
async function listeningServer() {
  net.Server.prototype.listen = original;
  const listening = listenOnLoopback(undefined);
  const server = http.createServer((_, response) => response.end('hello'));
  after(() => server.close());
  server.listen(1);
  await once(server, 'listening');
  return { server, listening };
}

test('a server that was closed listens again, where it listened before', async () => {
  const { server, listening } = await listeningServer();
  const origin = await listening.origin();
  server.close();
  await once(server, 'close');
  server.listen(1);
  await once(server, 'listening');
  assert.equal(await answerOf(origin), 'hello');
});

test('a server that listens again before it has said that it is closed does so', async () => {
  const { server, listening } = await listeningServer();
  server.close();
  server.listen(1);
  assert.equal(await answerOf(await listening.origin()), 'hello');
});

test('a server that is closed as soon as it listens is waited for until it listens again', async () => {
  const listening = listenOnLoopback(undefined);
  const server = http.createServer((_, response) => response.end('hello'));
  after(() => server.close());
  server.listen(1, () => server.close(() => server.listen(1)));
  assert.equal(await answerOf(await listening.origin()), 'hello');
});

test('a server that is told twice to listen does so once, and calls back both times', async () => {
  const listening = listenOnLoopback(undefined);
  const server = http.createServer();
  after(() => server.close());
  const called: number[] = [];
  server.listen(1, () => called.push(1)).listen(2, () => called.push(2));
  await listening.origin();
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.listen(3, resolve));
  assert.deepEqual(called, [1, 2]);
  assert.equal((server.address() as AddressInfo).port, port);
});

test('a server that is given a port and a path listens on a free port, as it would on that port', async () => {
  for (const other of [{ path: undefined }, { path: 'app.sock' }, { fd: undefined }]) {
    net.Server.prototype.listen = original;
    const listening = listenOnLoopback(undefined);
    const server = http.createServer((_, response) => response.end('hello'));
    after(() => server.close());
    server.listen({ port: 1, ...other });
    assert.ok(listening.isExpected, JSON.stringify(Object.keys(other)));
    assert.equal(await answerOf(await listening.origin()), 'hello');
  }
});
