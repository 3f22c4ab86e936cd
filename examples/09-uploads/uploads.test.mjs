import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { createPool } from 'threadwise';
import { compare } from './compare.js';
import { compressFile } from './compress.js';
import { buildServer } from './server.js';

/** Starts a server with a folder of its own; both are removed when the test ends. */
async function serve(t, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'uploads-test-'));
  const server = buildServer({ folder, compress: compressFile, ...options });
  t.after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { folder, url: `http://127.0.0.1:${server.address().port}/uploads` };
}

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body });
  return { status: response.status, ...(await response.json()) };
}

async function until(isTrue) {
  while (!isTrue()) await setImmediate();
}

test('what was sent comes back, compressed by a worker; the file that was sent is gone', async (t) => {
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads: 1 });
  t.after(() => pool.close());
  const { folder, url } = await serve(t, { compress: (from, to) => pool.run('compressFile', [from, to]) });
  const body = 'the same words, '.repeat(1000);
  const { status, id } = await post(url, body);
  assert.equal(status, 202);
  const response = await fetch(`${url}/${id}`);
  assert.equal(response.headers.get('content-encoding'), 'br');
  assert.equal(await response.text(), body);
  assert.deepEqual(readdirSync(folder), [`${id}.br`]);
  const compressed = readFileSync(join(folder, `${id}.br`));
  assert.ok(compressed.length < body.length / 10);
  assert.equal(brotliDecompressSync(compressed).toString(), body);
});

test('an upload that cannot be compressed is told to who asks for it, and the others are whole', async (t) => {
  const compress = async (from, to) => {
    if (readFileSync(from, 'utf8') === 'bad') throw new Error('no space left');
    compressFile(from, to);
  };
  const { folder, url } = await serve(t, { compress });
  const [bad, good] = [await post(url, 'bad'), await post(url, 'good')];
  const [failed, whole] = await Promise.all([fetch(`${url}/${bad.id}`), fetch(`${url}/${good.id}`)]);
  assert.deepEqual([failed.status, await failed.json()], [500, { error: 'no space left' }]);
  assert.equal(await whole.text(), 'good');
  assert.deepEqual(readdirSync(folder), [`${good.id}.br`]);
});

test('a client that leaves in the middle leaves no file', async (t) => {
  const { folder, url } = await serve(t);
  const client = request(url, { method: 'POST' });
  client.on('error', () => {}); // the client itself hangs up
  client.write('the beginning');
  await until(() => readdirSync(folder).some((name) => statSync(join(folder, name)).size > 0));
  client.destroy();
  await until(() => readdirSync(folder).length === 0);
});

test('what is too large is refused, by its length or as soon as it is', async (t) => {
  const { folder, url } = await serve(t, { maxBytes: 10 });
  assert.equal((await post(url, 'x'.repeat(10))).status, 202);
  assert.deepEqual(await post(url, 'x'.repeat(11)), { status: 413, error: 'More than 10 bytes' });
  const refused = async () => {
    const client = request(url, { method: 'POST' });
    client.write('x'.repeat(11)); // sent without a content-length
    const [response] = await once(client, 'response');
    assert.equal(response.statusCode, 413);
    await once(response.resume(), 'end');
    client.destroy();
  };
  // Many at once: a file that is opened late must not outlive its removal.
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 50 }, refused));
  await until(() => readdirSync(folder).length === 1);
});

test('what is not there is 404', async (t) => {
  const { url } = await serve(t);
  for (const path of [`${url}/none`, `${url}/`, url.replace('uploads', 'else')]) {
    assert.equal((await fetch(path)).status, 404, path);
  }
});

test('three servers, one result', async () => {
  const ways = await compare({ uploads: 3, kib: 20, threads: 2, seed: 1 });
  assert.deepEqual(Object.keys(ways), ['main', 'zlib', 'pool']);
});

test('main.js runs, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const args = [main, '--uploads', '2', '--kib', '10', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(
    stdout,
    /^2 uploads of 10 KiB.* as they were sent\.\nOn 2 threads .* times as fast\. The event loop /,
  );
});
