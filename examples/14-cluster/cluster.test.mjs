import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { countPrimes } from './primes.js';

const main = fileURLToPath(new URL('./main.js', import.meta.url));
const skip = process.platform === 'win32' && 'it has no signals';
const isThere = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts a cluster that serves, and parses the first line that it prints. The cluster ends with the test. */
async function serve(t, ...args) {
  const child = spawn(process.execPath, [main, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const next = async () => (await once(lines, 'line'))[0];
  const line = await next();
  const pids = (text) => /processes ([\d ]+)$/.exec(text)[1].split(' ').map(Number);
  return { child, next, pids, started: pids(line), url: new URL(line.split(/\?|: /)[0]).origin };
}

const get = async (url) => {
  const response = await fetch(url);
  return [response.status, await response.json()];
};

test('the sieve counts', () => {
  assert.deepEqual([0, 2, 3, 100, 100_000].map(countPrimes), [0, 0, 1, 25, 9592]);
});

test('a cluster answers, refuses what is no number, and leaves nothing behind', { skip }, async (t) => {
  const { child, url, started } = await serve(t, '--processes', '2');
  assert.equal(new Set(started).size, 2);
  assert.deepEqual(await get(`${url}/primes?below=100`), [200, { below: 100, count: 25 }]);
  for (const query of ['', '?below=', '?below=-1', '?below=1.5', '?below=x', '?below=1e9'])
    assert.equal((await get(`${url}/primes${query}`))[0], 400, query);
  assert.equal((await get(`${url}/else`))[0], 404);
  assert.equal((await get(`${url}//`))[0], 400);
  const closed = once(child, 'close');
  child.kill('SIGTERM'); // with connections that are open and idle
  // Its output closes when no process has it open any more.
  assert.deepEqual(await closed, [0, null]);
  assert.deepEqual(started.filter(isThere), []);
});

test('a process that dies is replaced, on the same port', { skip }, async (t) => {
  const { child, next, pids, started, url } = await serve(t, '--processes', '2');
  process.kill(started[0], 'SIGKILL');
  const line = await next();
  assert.match(line, new RegExp(`^process ${started[0]} has died`));
  const now = pids(line);
  assert.equal(now.length, 2);
  assert.ok(now.includes(started[1]) && !now.includes(started[0]));
  assert.deepEqual(await get(`${url}/primes?below=3`), [200, { below: 3, count: 1 }]);
  const closed = once(child, 'close');
  child.kill('SIGINT');
  assert.deepEqual(await closed, [0, null]);
  assert.deepEqual(now.filter(isThere), []);
});

test('where the primary is killed, its processes end by themselves', { skip }, async (t) => {
  const { child } = await serve(t, '--processes', '2');
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  assert.deepEqual(await closed, [null, 'SIGKILL']);
});

test('a port that is taken, or is none, ends all of it with an error', async (t) => {
  const run = (port) =>
    promisify(execFile)(process.execPath, [main, '--port', String(port), '--processes', '2']);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  await assert.rejects(run(other.address().port), /EADDRINUSE[^]*ended before it listened, with exit code 1/);
  await assert.rejects(run(70_000), /--port: a whole number/);
});

test('main.js checks every answer, and ends with what threads brought', async () => {
  const args = [main, '--requests', '30', '--connections', '4', '--below', '1000', '--processes', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(
    stdout,
    /^30 requests to each; every answer was right\.\n(.+ requests\/s, .+\n){4}On 2 threads one /,
  );
});
