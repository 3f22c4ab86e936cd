import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { load, openConnections } from './generator.js';

/** Loads a server over three connections. `answer(request, response, page)`: page is the right answer. */
async function loaded(answer, { loadMs = 0, now = undefined, repetitions = 2 } = {}) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    const guest = new URLSearchParams(request.url.slice(2)).get('guest');
    answer(request, response, `Ada will meet ${guest}.\n`.repeat(repetitions));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections = await openConnections({ port: server.address().port, connections: 3, repetitions });
  try {
    return { seen, ...(await load(connections, loadMs, now)) };
  } finally {
    for (const connection of connections) connection.close();
    server.close();
  }
}

test('every connection asks its own question, at least once', async () => {
  const { seen, requests, elapsedMs, latencyP99Ms } = await loaded((_request, response, page) =>
    response.end(page),
  );
  assert.deepEqual(
    seen.toSorted(),
    [0, 1, 2].map((i) => `/?name=Ada&guest=guest-${i}`),
  );
  assert.equal(requests, 3);
  assert.ok(latencyP99Ms > 0 && latencyP99Ms <= elapsedMs);
});

test('asks again and again until the time is over, over the same connections', async () => {
  const sockets = new Set();
  let time = 0;
  const { seen, requests, elapsedMs } = await loaded(
    (request, response, page) => {
      sockets.add(request.socket);
      response.end(page);
    },
    { loadMs: 10, now: () => time++ },
  );
  // The clock is read at the beginning, after each answer, and at the end. The tenth answer is the last of its connection,
  // and two others are on their way.
  assert.equal(requests, 12);
  assert.equal(elapsedMs, 13);
  assert.equal(seen.length, requests);
  assert.equal(sockets.size, 3);
});

test('an answer that comes in pieces is put together', async () => {
  const { requests } = await loaded((_request, response, page) => response.end(page), {
    repetitions: 20_000, // half a megabyte: more than a socket gives at a time
  });
  assert.equal(requests, 3);
});

for (const [what, answer] of [
  ['of another connection', (_request, response) => response.end('Ada will meet guest-9.\n'.repeat(2))],
  ['that is too short', (_request, response, page) => response.end(page.slice(1))],
  ['that is too long', (_request, response, page) => response.end(`${page}.`)],
  ['that is an error', (_request, response, page) => response.writeHead(500).end(page)],
]) {
  test(`an answer ${what} fails the load`, async () => {
    await assert.rejects(loaded(answer), /a wrong answer: HTTP\/1\.1/);
  });
}

test('a connection that is closed instead of an answer fails the load', async () => {
  await assert.rejects(
    loaded((request) => request.socket.end()),
    /closed a connection/,
  );
});
