import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { ask, endProcess, listen, startProcess } from '../../fixtures/processes.js';
import { askAll, openUsers, Sieve } from '../../fixtures/users.js';
import { countPrimes } from '../../driver/tasks.js';

const singleServer = new URL('../../fixtures/compute-server.js', import.meta.url);
const clusteredServer = new URL('./clustered-server.js', import.meta.url);

test('the task and the sieve count the same primes', () => {
  const sieve = new Sieve(2000);
  const known = { 0: 0, 1: 0, 2: 1, 3: 2, 10: 4, 100: 25, 1000: 168 };
  for (const [limit, count] of Object.entries(known)) {
    assert.equal(countPrimes(Number(limit)), count, limit);
    assert.equal(sieve.countUpTo(Number(limit)), count, limit);
  }
  for (let limit = 0; limit <= 2000; limit++)
    assert.equal(countPrimes(limit), sieve.countUpTo(limit), `${limit}`);
});

for (const [what, module, order] of [
  ['a server with a pool', singleServer, { contender: 'threadwise', threads: 2 }],
  ['a server without a pool', singleServer, { contender: 'inline', threads: 1 }],
  ['a cluster', clusteredServer, { processes: 2 }],
]) {
  test(`${what} answers every user rightly, and its process ends`, async () => {
    const child = startProcess(module);
    const { port } = await ask(child, order);
    const users = await openUsers({ port, users: 3 });
    const { latencies, elapsedMs } = await askAll(users, (answers) => answers === 4);
    assert.equal(latencies.length, 12);
    assert.ok(latencies[0] > 0 && latencies.at(-1) <= elapsedMs);
    for (const user of users) user.close();
    await endProcess(child);
    assert.ok(child.exitCode !== null || child.signalCode !== null);
  });
}

test('every user asks for another limit, so that mixed up answers are seen', async () => {
  const sieve = new Sieve(300_000);
  const seen = new Set();
  const server = createServer(({ url }, response) => {
    seen.add(url);
    response.end(String(sieve.countUpTo(Number(url.slice(1)))));
  });
  const users = await openUsers({ port: await listen(server), users: 3 });
  await askAll(users, () => true);
  assert.equal(seen.size, 3);
  for (const user of users) user.close();
  server.close();
  await once(server, 'close');
});

test('a wrong answer fails the users', async () => {
  const server = createServer((_request, response) => response.end('1'));
  const users = await openUsers({ port: await listen(server), users: 2 });
  await assert.rejects(
    askAll(users, () => true),
    /a wrong answer/,
  );
  for (const user of users) user.close();
  server.close();
  await once(server, 'close');
});

test('a process that cannot do what it is asked for says why, and one that ends is told', async () => {
  const child = startProcess(singleServer);
  await assert.rejects(ask(child, { contender: 'nobody', threads: 1 }), /There is no 'nobody'/);
  const waiting = ask(child, { contender: 'nobody' }).catch(() => {});
  await waiting;
  await endProcess(child);
  await endProcess(child); // has ended already
});
