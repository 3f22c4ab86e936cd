// Several workers in each process: faults that end one worker, and faults that end all of its process.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { event, moduleUrl, outcome, poolFor, runScript } from './fixtures/helpers.mjs';

const url = moduleUrl('apart.mjs');

/** A pool of two processes with two workers each. Its `hold` tasks run until the returned `open` is called. */
async function poolOf(t, options = {}) {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  const host = { opened: (pid) => opened.then(() => pid) };
  const settings = { threads: undefined, isolation: { processes: 2, threads: 2 }, host, ...options };
  const pool = poolFor(t, settings, url);
  await pool.ready;
  return { pool, open };
}

/** Starts `count` tasks that hold. Resolves when all of them run, with the process id of each and a promise of its outcome. */
function holding(pool, count) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      let onProgress;
      const pid = new Promise((resolve) => {
        onProgress = resolve;
      });
      const ended = outcome(pool.run('hold', [], { onProgress }));
      return { pid: await pid, ended };
    }),
  );
}

function begunFile(t) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-isolation-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return join(dir, 'begun');
}

function countsOf(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()];
}

describe('processes for several workers: where the workers are', () => {
  test('each process has as many as were asked for; a broadcast reaches all', async (t) => {
    const { pool } = await poolOf(t);
    assert.deepEqual(countsOf(await pool.broadcast('pid', [])), [2, 2]);
    const { threads, workers } = pool.stats();
    assert.deepEqual([threads.min, threads.max, workers.length], [4, 4, 4]);
  });

  test('without a number of processes there are as many as it takes', async (t) => {
    const { pool } = await poolOf(t, { threads: 5, isolation: { threads: 2 } });
    assert.deepEqual(countsOf(await pool.broadcast('pid', [])).sort(), [1, 2, 2]);
    pool.resize(6);
    const sixth = await event(pool, 'worker:ready');
    assert.equal(sixth.workerId, 6);
    assert.deepEqual(countsOf(await pool.broadcast('pid', [])), [2, 2, 2]);
  });

  test('one worker each is what isolation: process gives', async (t) => {
    const { pool } = await poolOf(t, { isolation: { processes: 2, threads: 1 } });
    assert.deepEqual(countsOf(await pool.broadcast('pid', [])), [1, 1]);
  });

  test('all workers replaced one after another: as many as before, in no more processes', async (t) => {
    const { pool } = await poolOf(t);
    const before = await pool.broadcast('pid', []);
    const { workers } = pool.stats();
    await pool.recycle();
    const ids = pool.stats().workers.map(({ id }) => id);
    assert.ok(Math.min(...ids) > Math.max(...workers.map(({ id }) => id)));
    const after = await pool.broadcast('pid', []);
    assert.deepEqual(new Set(after), new Set(before));
    assert.deepEqual(countsOf(after), [2, 2]);
  });

  test('without a number of processes, too, replaced workers need no more processes', async (t) => {
    const { pool } = await poolOf(t, { threads: 4, isolation: { threads: 2 } });
    await pool.recycle();
    assert.deepEqual(countsOf(await pool.broadcast('pid', [])), [2, 2]);
  });

  test('messages about as long as the memory that they are written to, more than the ring has room for', async (t) => {
    const { pool } = await poolOf(t, { isolation: { processes: 1, threads: 2 }, tasksPerWorker: 8 });
    for (const less of [40, 50, 60]) {
      const bytes = new Uint8Array(2 ** 22 - less).fill(255);
      const lengths = await Promise.all(Array.from({ length: 12 }, () => pool.run('lengthOf', [bytes])));
      assert.deepEqual(new Set(lengths), new Set([bytes.length]));
    }
  });

  test('the size is that of the processes, and stays', async (t) => {
    const { pool } = await poolOf(t);
    for (const change of [() => pool.resize(2), () => pool.configure({ threads: { min: 1, max: 8 } })])
      assert.throws(change, { code: 'ERR_OPTION', message: /'threads': expected nothing with isolation/ });
  });
});

describe('processes for several workers: the end of a process', () => {
  for (const [name, end] of [
    ['killed from outside', (pool, pid) => process.kill(pid, 'SIGKILL')],
    ['that a debugger or a shell has stopped', (pool, pid) => process.kill(pid, 'SIGSTOP')],
  ]) {
    test(`${name}: the calls on all of its workers are rejected, what waits runs elsewhere, once`, async (t) => {
      const { pool, open } = await poolOf(t);
      const file = begunFile(t);
      const held = await holding(pool, 4);
      const waiting = Array.from({ length: 40 }, (_, i) => pool.run('note', [file, i, 'work']));
      const { pid } = held[0];
      end(pool, pid);
      const values = await Promise.all(waiting);
      assert.deepEqual(values, [...values.keys()]);
      const begun = readFileSync(file, 'utf8').trim().split('\n').map(Number);
      assert.deepEqual(
        begun.sort((a, b) => a - b),
        values,
      );
      open();
      for (const each of held) {
        const { value, error } = await each.ended;
        if (each.pid !== pid) assert.equal(value, each.pid);
        else {
          assert.equal(error.code, 'ERR_WORKER_CRASHED');
          assert.match(error.message, new RegExp(`process ${pid} (was killed by SIGKILL|had been stopped)`));
        }
      }
      assert.equal(held.filter((each) => each.pid === pid).length, 2);
      const pids = await pool.broadcast('pid', []);
      assert.deepEqual(countsOf(pids), [2, 2]);
      assert.ok(!pids.includes(pid));
    });
  }

  test('nothing is handed to a worker whose process is gone, while the others of that process are told of', async (t) => {
    const { pool } = await poolOf(t);
    const [pid] = await pool.broadcast('pid', []);
    const calls = [];
    const seen = event(pool, 'worker:exit', () => {
      // A call that moves its arguments cannot be sent again, so it would fail if it went to a worker that is gone.
      const buffers = Array.from({ length: 4 }, () => new Uint8Array(1000));
      calls.push(...buffers.map((bytes) => pool.run('fill', [bytes], { transfer: [bytes.buffer] })));
      return calls.length === 8;
    });
    process.kill(pid, 'SIGKILL');
    await seen;
    for (const bytes of await Promise.all(calls)) assert.deepEqual(bytes, new Uint8Array(1000).fill(9));
  });

  test('the end of a process with many workers that have done nothing yet: others take their place', async (t) => {
    const { pool } = await poolOf(t, { isolation: { processes: 1, threads: 7 } });
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ');
    const titles = children.map((pid) => pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    const child = titles.findIndex((title) => title.startsWith(`threadwise ${pool.name}`));
    process.kill(Number(children[child]), 'SIGKILL');
    assert.ok(await pool.run('pid', []));
  });

  test('the crash of a task rejects those beside it, too, and no others', async (t) => {
    const { pool, open } = await poolOf(t);
    const held = await holding(pool, 3);
    const { error } = await outcome(pool.run('kill', ['SIGABRT']));
    assert.equal(error.code, 'ERR_WORKER_CRASHED');
    assert.match(error.message, /killed by SIGABRT/);
    open();
    const ends = await Promise.all(held.map(({ ended }) => ended));
    const codes = ends.map((end) => end.error?.code).sort();
    assert.deepEqual(codes, ['ERR_WORKER_CRASHED', undefined, undefined]);
    assert.equal(pool.stats().crashes, 2);
    assert.deepEqual(countsOf(await pool.broadcast('pid', [])), [2, 2]);
  });
});

describe('processes for several workers: the end of one worker', () => {
  const isolation = { processes: 1, threads: 2 };
  for (const [name, args, options, code] of [
    ['loop', [], { timeoutMs: 50 }, 'ERR_TASK_TIMEOUT'],
    ['throwLater', [], {}, 'ERR_WORKER_CRASHED'],
    ['exit', [3], {}, 'ERR_WORKER_CRASHED'],
    ['exit', [0], {}, 'ERR_WORKER_CRASHED'],
  ]) {
    test(`${name}(${args}) costs that one: the other goes on, and the process has two again`, async (t) => {
      const { pool, open } = await poolOf(t, { isolation });
      const [{ pid, ended }] = await holding(pool, 1);
      const { error } = await outcome(pool.run(name, args, options));
      assert.equal(error.code, code);
      assert.equal(await pool.run('pid', []), pid, 'beside the one that holds');
      open();
      assert.deepEqual(await ended, { value: pid });
      assert.deepEqual(await pool.broadcast('pid', []), [pid, pid]);
    });
  }

  test('a lock that it held goes to the other, which is told that it was abandoned', async (t) => {
    const pool = poolFor(t, { threads: undefined, isolation }, moduleUrl('beside.mjs'));
    await pool.ready;
    const locked = outcome(pool.run('lock', []));
    const { error } = await outcome(pool.run('holdAndExit', []));
    assert.equal(error.exitCode, 7);
    assert.deepEqual(await locked, { value: true });
  });

  test('again and again: each worker that is replaced has a line of its own', async (t) => {
    const { pool, open } = await poolOf(t, { isolation });
    const [{ pid, ended }] = await holding(pool, 1);
    for (let i = 0; i < 20; i++) {
      const { error } = await outcome(pool.run('exit', [i]));
      assert.equal(error.exitCode, i);
      assert.equal(await pool.run('twice', [i]), 2 * i);
    }
    open();
    assert.deepEqual(await ended, { value: pid });
  });

  test('while the program is blocked for long: the other goes on', { timeout: 60_000 }, async (t) => {
    const { pool, open } = await poolOf(t, { isolation });
    const [{ pid, ended }] = await holding(pool, 1);
    const { error } = await outcome(pool.run('loop', [], { timeoutMs: 50 }));
    assert.equal(error.code, 'ERR_TASK_TIMEOUT');
    // Blocks main for longer than a thread may take to end.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000);
    assert.equal(await pool.run('pid', []), pid);
    open();
    assert.deepEqual(await ended, { value: pid });
  });

  test('while native code blocks it, its process is ended', { timeout: 60_000 }, async (t) => {
    const { pool } = await poolOf(t, { isolation });
    const [{ pid, ended }] = await holding(pool, 1);
    const controller = new AbortController();
    const { signal } = controller;
    const { error } = await outcome(
      pool.run('blockForEver', [], { signal, onProgress: () => controller.abort() }),
    );
    assert.equal(error.code, 'ERR_TASK_ABORTED');
    const { error: beside } = await ended;
    assert.equal(beside.code, 'ERR_WORKER_CRASHED');
    assert.match(beside.message, /another of its threads could not be ended/);
    assert.ok(!(await pool.broadcast('pid', [])).includes(pid));
  });
});

test('processes for several workers: what a task prints is there, also where the pool is closed at once', async () => {
  for (const length of [7, 2 ** 23]) {
    const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(url.href)}, { isolation: { processes: 1, threads: 2 } });
      await pool.run('print', ['p'.repeat(${length})]);
      await pool.close();`;
    const { stdout, stderr } = await runScript(source);
    assert.equal(stdout.length, length + 1, stderr);
  }
});

test('processes for several workers: close and destroy leave none', async (t) => {
  for (const end of ['close', 'destroy']) {
    const { pool } = await poolOf(t);
    const pids = await pool.broadcast('pid', []);
    if (end === 'destroy') outcome(pool.run('loop', []));
    await pool[end]();
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, end);
  }
});

test('processes: the time that main takes to start one does not count among worker.startTimeoutMs', async (t) => {
  const childProcess = process.getBuiltinModule('node:child_process');
  const { spawn } = childProcess;
  const startTimeoutMs = 3000;
  const slow = (...args) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, startTimeoutMs);
    return spawn(...args);
  };
  t.mock.method(childProcess, 'spawn', slow, { times: 1 });
  const pool = poolFor(t, { threads: 1, isolation: 'process', worker: { startTimeoutMs } }, url);
  assert.equal(await pool.run('twice', [4]), 8);
});
