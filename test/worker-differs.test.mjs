// How a worker differs from the main thread: tests the table in docs/when.md, as far as it concerns Node.js.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { moduleUrl, poolFor } from './fixtures/helpers.mjs';

const made = (t, options) => poolFor(t, { threads: 1, ...options }, moduleUrl('differs.cjs'));

test('what would change the whole process is refused', async (t) => {
  const pool = made(t, { isolation: 'thread' });
  for (const call of [['chdir', '/'], ['abort'], ['umask', 0o22], ['setuid', 0]]) {
    assert.equal(await pool.run('refused', call), 'ERR_WORKER_UNSUPPORTED_OPERATION', call[0]);
  }
});

test('title, environment and globals are its own', async (t) => {
  const { title } = process;
  const pool = made(t);
  globalThis.ofMain = () => 1;
  t.after(() => delete globalThis.ofMain);
  await pool.run('setTitle', ['another']);
  await pool.run('setEnv', ['OF_WORKER', 'x']);
  assert.equal(process.title, title);
  assert.equal(process.env.OF_WORKER, undefined);
  assert.equal(await pool.run('global', ['ofMain']), 'undefined');
  assert.equal(await pool.run('global', ['document']), 'undefined');
});

test('a task module is no main program, and its input is empty', async (t) => {
  const pool = made(t);
  assert.equal(await pool.run('isMain', []), false);
  assert.equal(await pool.run('readInput', []), '');
});

test('in an ES module the names of CommonJS mean nothing', async (t) => {
  const names = ['require', 'exports', '__filename', '__dirname'];
  const source = `export const found = () => [${names.map((name) => `typeof ${name}`)}];`;
  for (const isolation of ['thread', 'process', { threads: 1 }]) {
    const pool = poolFor(t, { threads: 1, isolation }, `data:text/javascript,${source}`);
    const found = await pool.run('found', []);
    assert.deepEqual(new Set(found), new Set(['undefined']), JSON.stringify(isolation));
  }
});

test('signals are heard on the main thread alone', { skip: process.platform === 'win32' }, async (t) => {
  const pool = made(t);
  await pool.ready;
  const keepAlive = setInterval(() => undefined, 1000);
  t.after(() => clearInterval(keepAlive));
  const heard = once(process, 'SIGCONT');
  process.kill(process.pid, 'SIGCONT');
  await heard;
  assert.deepEqual(await pool.run('heard', []), []);
});
