// Task modules that do not load, print, crash again and again, or are not there yet.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPool } from 'threadwise';
import {
  apart,
  badUrl,
  event,
  moduleUrl,
  outcome,
  poolFor,
  runScript,
  tasksUrl,
  ways,
} from '../fixtures/helpers.mjs';

describe('modules', () => {
  const cases = [
    ['a missing file', new URL('../fixtures/none.mjs', import.meta.url), /Cannot find module/],
    ['a syntax error', badUrl('syntax.mjs'), /Unexpected token/],
    [
      'one that throws',
      badUrl('throws.mjs'),
      /Cannot load.*thrown while loading \(file:.*throws\.mjs:1:7\)$/,
    ],
    ['one that exports no function', badUrl('no-function.mjs'), /exports no function.*answer$/],
    ['one that exits', badUrl('exits.mjs'), /exit code 9 while it was starting$/],
    [
      'one whose setup throws',
      badUrl('setup-throws.mjs'),
      /^setup\(\) of the task module .* failed: Error: setup failed \(file:.*setup-throws\.mjs:1:36\)$/,
    ],
    ['one with a missing import', badUrl('missing-import.mjs'), /does-not-exist/],
  ];
  for (const [name, url, message] of cases) {
    test(`${name}: ready and every call are rejected with ERR_MODULE_LOAD and its cause`, async (t) => {
      const pool = poolFor(t, {}, url);
      const calls = [pool.ready, pool.run('f', []), pool.run('g', [])];
      const errors = (await Promise.all(calls.map(outcome))).map(({ error }) => error);
      errors.push((await outcome(pool.run('f', []))).error);
      for (const error of errors) {
        assert.equal(error.code, 'ERR_MODULE_LOAD');
        assert.match(error.message, message);
        assert.ok(error.cause instanceof Error);
      }
      await pool.close();
    });
  }

  for (const placement of ['threads', 'inline']) {
    for (const isClosing of [false, true]) {
      const when = isClosing ? 'while the pool closes' : 'while the pool is open';
      test(`a worker that cannot load the module ${when}: its exit is told after its calls, with the error, placement ${placement}`, async (t) => {
        const pool = poolFor(t, { threads: 1, placement }, badUrl('throws.mjs'));
        const told = [];
        pool.on('task:settle', ({ error }) => told.push(error.code));
        const exited = event(pool, 'worker:exit', ({ reason }) => told.push(reason));
        const call = outcome(pool.run('f', []));
        if (isClosing) await pool.close();
        await call;
        assert.equal((await exited).error?.message, 'thrown while loading');
        assert.deepEqual(told, ['ERR_MODULE_LOAD', 'load-failed']);
      });
    }
  }

  test('of an error that the library or Node.js found in the module or the options, no place in the library is named', async (t) => {
    for (const [source, options] of [
      ['export const answer = 42'],
      ['export const answer = 42', { placement: 'inline' }],
      ['export const f = () => 1, threadwise = { pure: 5 }', { placement: 'inline' }],
      ['export const f = () => 1', { worker: { execArgv: ['--no-such-option'] } }],
    ]) {
      const pool = poolFor(t, options, new URL(`data:text/javascript,${source}`));
      const { error } = await outcome(pool.ready);
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.doesNotMatch(error.message, /\(\S+:\d+:\d+\)/);
    }
  });

  for (const [name, setup, message] of [
    ['throws no error', '() => { throw "no license"; }', /^ failed: no license$/],
    ['rejects with what is no error', '() => Promise.reject({ code: 5 })', /^ failed: /],
    [
      'has another name',
      'function connect() { throw new RangeError("no host"); }',
      /^ failed: RangeError: no host$/,
    ],
    [
      'exits',
      '() => process.exit(7)',
      /^ failed: Error: The worker ended with exit code 7 while it was starting$/,
    ],
  ]) {
    test(`one whose setup ${name}: the error says that it was setup`, async (t) => {
      const source = `export const f = () => 1; export const setup = ${setup};`;
      for (const placement of name === 'exits' ? ['threads'] : ['threads', 'inline']) {
        const pool = poolFor(t, { placement }, new URL(`data:text/javascript,${source}`));
        const { error } = await outcome(pool.run('f', []));
        assert.equal(error.code, 'ERR_MODULE_LOAD');
        assert.match(error.message, /^setup\(\) of the task module data:/);
        assert.match(error.message.slice(error.message.indexOf(' failed: ')), message);
      }
    });
  }

  for (const [name, placement] of [
    ['blocks.mjs', 'threads'],
    ['waits.mjs', 'threads'],
    ['waits.mjs', 'inline'],
  ]) {
    test(`one that never ends loading (${name}) is given up after worker.startTimeoutMs, placement ${placement}`, async (t) => {
      const pool = poolFor(t, { placement, worker: { startTimeoutMs: 200 } }, badUrl(name));
      const { error } = await outcome(pool.run('f', []));
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.match(error.message, /did not load within 200 ms \(option worker\.startTimeoutMs\)$/);
      assert.equal((await outcome(pool.ready)).error.code, 'ERR_MODULE_LOAD');
    });
  }

  test('on the calling thread, the time in which that is blocked does not count among worker.startTimeoutMs', async (t) => {
    const source = `
      export const setup = () => new Promise((done) => setTimeout(done, 1));
      export const f = () => 1;`;
    const options = { placement: 'inline', worker: { startTimeoutMs: 500 } };
    const pool = poolFor(t, options, `data:text/javascript,${source}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    assert.equal(await pool.run('f', []), 1);
  });

  test(
    'where the permission model allows no workers, the error names the option that does',
    { skip: apart },
    async () => {
      const isOld = !process.allowedNodeEnvironmentFlags.has('--permission');
      const args = [
        isOld ? '--experimental-permission' : '--permission',
        '--allow-fs-read=*',
        '--no-warnings',
      ];
      const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(tasksUrl)});
      await pool.ready.catch(({ code, message }) => console.log(code, message));`;
      const { stdout } = await runScript(source, { args });
      assert.match(
        stdout,
        /^ERR_MODULE_LOAD .*\nNode's permission model refuses it: workers need --allow-worker,/s,
      );
    },
  );

  const noProcesses = process.platform === 'win32' && 'there are no processes for workers';
  test(
    "where the permission model allows no processes, the error names all that isolation 'process' needs",
    { skip: noProcesses },
    async () => {
      const isOld = !process.allowedNodeEnvironmentFlags.has('--permission');
      const model = [isOld ? '--experimental-permission' : '--permission', '--no-warnings'];
      const given = ['--allow-worker', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-child-process'];
      const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(tasksUrl)}, { isolation: 'process' });
      await pool.ready.then(() => console.log('ready'), ({ message }) => console.log(message));
      await pool.close();`;
      assert.equal((await runScript(source, { args: [...model, ...given] })).stdout.trim(), 'ready');
      for (const missing of given.slice(2)) {
        const args = [...model, ...given.filter((option) => option !== missing)];
        const { stdout } = await runScript(source, { args });
        const [, advice = stdout] = stdout.split("Node's permission model refuses it: ");
        for (const option of given)
          assert.ok(advice.includes(option.replace('=*', '')), `${option}: ${advice}`);
      }
    },
  );

  test('a pool that is closing when its module does not load still ends, and its calls with it', async () => {
    const pool = createPool(badUrl('throws.mjs'), { threads: 2 });
    let starts = 0;
    pool.on('worker:start', () => starts++);
    const call = outcome(pool.run('f', []));
    await pool.close();
    assert.equal((await call).error.code, 'ERR_MODULE_LOAD');
    assert.equal(starts, 0, 'and none is started again');
  });

  test('destroy while it loads: ready and calls are rejected with ERR_POOL_CLOSED', async () => {
    const pool = createPool(badUrl('blocks.mjs'), { threads: 2 });
    const calls = [outcome(pool.ready), outcome(pool.run('f', []))];
    await pool.destroy();
    for (const { error } of await Promise.all(calls)) assert.equal(error.code, 'ERR_POOL_CLOSED');
  });

  test('TypeScript loads where the runtime strips types; elsewhere the error names the ways out', async (t) => {
    const pool = poolFor(t, {}, moduleUrl('typed.ts'));
    const { value, error } = await outcome(pool.run('triple', [2]));
    if (process.features.typescript) {
      assert.equal(value, 6);
    } else {
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.match(error.message, /Node\.js 22\.18.*compile.*'--import', '\.\/loader\.mjs'.*register\(\);$/s);
      assert.equal(error.cause.code, 'ERR_UNKNOWN_FILE_EXTENSION');
    }
  });

  test(
    'TypeScript that Node.js cannot strip: the error names the way out',
    { skip: !process.features.typescript && 'this Node.js strips no types' },
    async (t) => {
      const dir = mkdtempSync(join(tmpdir(), 'threadwise-typed-'));
      t.after(() => rmSync(dir, { recursive: true }));
      mkdirSync(join(dir, 'node_modules'));
      for (const [file, source, code, wayOut] of [
        [
          'enum.ts',
          'export enum Color { Red }',
          'SYNTAX',
          /an enum, .* has to be compiled, or .*register\(\);$/,
        ],
        [
          'node_modules/typed.ts',
          'export const f = 1;',
          'NODE_MODULES_TYPE_STRIPPING',
          /publish .* as JavaScript$/,
        ],
      ]) {
        const path = join(dir, file);
        writeFileSync(path, source);
        const { error } = await outcome(poolFor(t, {}, path).ready);
        assert.equal(error.code, 'ERR_MODULE_LOAD');
        assert.match(error.cause.code, new RegExp(`^ERR_UNSUPPORTED_.*${code}$`));
        assert.match(error.message.split('\n').at(-1), wayOut);
      }
    },
  );

  test('CommonJS, default exports and data: URLs', async (t) => {
    const named = poolFor(t, {}, moduleUrl('named.cjs'));
    assert.equal(await named.run('double', [4]), 8);
    assert.equal(await named.run('computedName', []), 'found');
    assert.equal(await poolFor(t, {}, moduleUrl('function.cjs')).run('default', [4]), 12);
    assert.equal(await poolFor(t, {}, moduleUrl('default.mjs')).run('default', [4]), 16);
    const dataUrl = 'data:text/javascript,export const half = (x) => x / 2';
    assert.equal(await poolFor(t, {}, dataUrl).run('half', [4]), 2);
  });

  test('setup is awaited before the first task, teardown at the end', { skip: apart }, async (t) => {
    const shared = new SharedArrayBuffer(12);
    const options = { name: 'lifecycle', threads: 2, worker: { data: { shared } } };
    const pool = poolFor(t, options, moduleUrl('lifecycle.mjs'));
    await pool.ready;
    assert.deepEqual(await Promise.all([pool.run('work', []), pool.run('work', [])]), [true, true]);
    assert.equal((await outcome(pool.run('setup', []))).error.code, 'ERR_TASK_NOT_FOUND');
    await pool.close();
    assert.deepEqual([...new Int32Array(shared)], [2, 2, 0]);
  });
});

describe('what a worker prints before it ends is not lost', () => {
  for (const [name, way] of Object.entries(ways)) {
    test(name, async () => {
      const { stdout, stderr } = await runScript(`
        import { createPool } from 'threadwise';
        const way = ${JSON.stringify(way)};
        const pool = createPool(${JSON.stringify(moduleUrl('prints.mjs'))}, { threads: 1, ...way });
        await pool.run('work', []);
        await pool.close();`);
      const lines = ['work', 'teardown'].flatMap((what) =>
        Array.from({ length: 20 }, (_, i) => `${what} ${i}`),
      );
      assert.deepEqual(stdout.trim().split('\n'), lines);
      assert.deepEqual(stderr.trim().split('\n'), lines);
    });
  }
});

describe('crash loops', () => {
  test('a worker that dies idle again and again is given up, with the reason', async (t) => {
    const pool = poolFor(t, { threads: 1 }, moduleUrl('crash-when-idle.mjs'));
    let starts = 0;
    pool.on('worker:start', () => starts++);
    while (pool.stats().state !== 'broken') await event(pool, 'error');
    assert.ok(starts < 10, `${starts} workers were started`);
    const { error } = await outcome(pool.run('increment', [1]));
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    assert.match(error.message, /^A worker that had loaded the task module .* ended: Error: idle crash \(/);
  });

  test(
    'a module that stops loading later does not take down the pool: the other workers go on',
    { skip: apart },
    async (t) => {
      const shared = new SharedArrayBuffer(4);
      const options = { threads: 2, worker: { data: { shared } } };
      const pool = poolFor(t, options, moduleUrl('flaky-load.mjs'));
      await pool.ready;
      new Int32Array(shared)[0] = 1;
      const reported = event(pool, 'error');
      assert.equal((await outcome(pool.run('exit', []))).error.code, 'ERR_WORKER_CRASHED');
      assert.match((await reported).error.message, /does not load/);
      assert.equal(await pool.run('increment', [1]), 2);
      new Int32Array(shared)[0] = 0;
    },
  );
});
