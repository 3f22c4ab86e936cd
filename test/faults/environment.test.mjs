// What workers get of their environment, and what a program does to its globals.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { apart, moduleUrl, outcome, poolFor, runScript, started, ways } from '../fixtures/helpers.mjs';

describe('the environment of tasks', () => {
  test('worker options arrive: data, env, argv, execArgv', async (t) => {
    const env = { ...process.env, THREADWISE_TEST: 'yes' };
    const worker = { env, argv: ['a', 'b'], execArgv: ['--no-warnings'] };
    const seen = await poolFor(t, { threads: 1, worker }).run('environment', []);
    assert.deepEqual([seen.argv, seen.env, seen.execArgv], [['a', 'b'], 'yes', ['--no-warnings']]);
  });

  test('--import and --require run in workers, by execArgv and by NODE_OPTIONS, with and without a coordinator', async (t) => {
    const [esm, cjs] = ['preload.mjs', 'preload.cjs'].map((name) => fileURLToPath(moduleUrl(name)));
    const execArgv = ['--import', moduleUrl('preload.mjs').href, '--require', cjs];
    // Node.js reads a path with a space in quotes, and backslashes there as JSON has them.
    const options = `--import=${pathToFileURL(esm).href} --require=${JSON.stringify(cjs)}`;
    const env = { ...process.env, NODE_OPTIONS: options };
    for (const worker of [{ execArgv }, { env }]) {
      for (const dispatch of ['shared-queue', 'coordinator']) {
        const pool = poolFor(t, { threads: 1, transport: 'shared', dispatch, worker });
        assert.deepEqual(await pool.run('preloaded', []), [true, true]);
        await pool.close();
      }
    }
  });

  test('--import of the process, on its command line or in NODE_OPTIONS, runs in its workers, too', async () => {
    const script = fileURLToPath(new URL('../fixtures/prints-preloaded.mjs', import.meta.url));
    const preload = `--import=${moduleUrl('preload.mjs').href}`;
    for (const [args, env] of [
      [[preload], {}],
      [[], { NODE_OPTIONS: preload }],
    ]) {
      const options = { env: { ...process.env, ...env } };
      const { stdout } = await promisify(execFile)(process.execPath, [...args, script], options);
      assert.equal(stdout.trim(), '[true,false]');
    }
  });

  test('what --import cannot load is a module load error with its reason', async (t) => {
    const execArgv = ['--import', moduleUrl('there-is-none.mjs').href];
    const { error } = await outcome(poolFor(t, { threads: 1, worker: { execArgv } }).run('increment', [1]));
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    assert.match(String(error.cause), /there-is-none/);
  });

  test('stacks end with the task also where --import is used', async (t) => {
    const execArgv = ['--import', moduleUrl('preload.mjs').href];
    const { error } = await outcome(poolFor(t, { threads: 1, worker: { execArgv } }).run('fail', ['custom']));
    assert.doesNotMatch(error.stack, /worker eval|data:text/);
  });

  test('what is put on Object.prototype is no option of anything', async () => {
    const source = `
      import { createPool } from 'threadwise';
      import { readFile } from 'threadwise/files';
      import { fileURLToPath } from 'node:url';
      const names = ['name', 'threads', 'transport', 'dispatch', 'placement', 'loopBudgetMs', 'isolation', 'choose', 'tasksPerWorker', 'queue',
        'timeoutMs', 'retries', 'worker', 'idleTimeoutMs', 'host', 'onTaskStart', 'onTaskEnd', 'data', 'env', 'argv', 'execArgv', 'resourceLimits',
        'recycle', 'startTimeoutMs', 'afterTasks', 'aboveMemoryMiB', 'limit', 'min', 'max', 'priority', 'key', 'transfer', 'onProgress',
        'concurrency', 'ordered', 'eval', 'stdin', 'stdout', 'stderr', 'trackUnmanagedFds', 'workerData', 'transferList', 'maxOldGenerationSizeMb',
        'syncBytes', 'aheadBytes', 'onError', 'cause', 'list', 'processes'];
      for (const name of names) Object.prototype[name] = ['--polluted'];
      const { signal } = new AbortController();
      const transport = 'shared';
      for (const way of [{ transport, dispatch: 'shared-queue' }, { transport, dispatch: 'coordinator' }, { transport, dispatch: 'direct' },
        { isolation: 'process' }, { isolation: { threads: 2 } }]) {
        const pool = createPool('./tasks.mjs', { ...way, threads: { min: 1, max: 1 }, queue: {}, worker: { recycle: {}, resourceLimits: {} } });
        await pool.run('increment', [1]);
        await pool.run('increment', [1], { signal });
        for await (const _ of pool.map('increment', [1], {}));
        await pool.broadcast('increment', [1]);
        pool.configure({ queue: {} });
        await pool.recycle();
        const moved = new ArrayBuffer(8);
        await pool.run('byteLength', [moved], { transfer: [moved] });
        await pool.close({});
      }
      await readFile(fileURLToPath(new URL('./tasks.mjs', 'file://' + process.cwd() + '/')), {});
      for (const name of names) delete Object.prototype[name];
      console.log('all of it works');`;
    const { stdout, stderr } = await runScript(source);
    assert.equal(stdout.trim(), 'all of it works', stderr);
  });

  for (const placement of ['threads', 'inline']) {
    test(`an Error.prepareStackTrace that throws hides no error: placement '${placement}'`, async () => {
      const source = `
        import { createPool } from 'threadwise';
        const pool = createPool('./tasks.mjs', { threads: 1, placement: '${placement}' });
        await pool.ready;
        Error.prepareStackTrace = () => { throw new Error('it makes none'); };
        const calls = [pool.run('none', []), pool.broadcast('none', []), pool.map('none', [1]).next(), pool.stream('none', []).next(),
          pool.run('increment', [() => 1])];
        const codes = await Promise.all(calls.map((call) => call.catch(({ code }) => code)));
        console.log(codes.join(' '));
        await pool.close();`;
      const { stdout, stderr } = await runScript(source);
      const found = 'ERR_TASK_NOT_FOUND';
      assert.equal(stdout.trim(), `${found} ${found} ${found} ${found} ERR_NOT_CLONEABLE`, stderr);
    });
  }

  test('timers of a test that never go off do no harm to pools', async () => {
    const source = `
      import { createPool } from 'threadwise';
      import { readFile } from 'threadwise/files';
      import timers from 'node:timers';
      import { fileURLToPath } from 'node:url';
      const real = { ...timers };
      const fake = () => ({ ref() {}, unref() {} });
      for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'queueMicrotask'])
        globalThis[name] = timers[name] = fake;
      const transport = 'shared';
      for (const way of [{ transport, dispatch: 'shared-queue' }, { transport, dispatch: 'coordinator' }, { transport, dispatch: 'direct' },
        { transport: 'message' }, { isolation: 'process' }, { placement: 'inline' }]) {
        const pool = createPool('./tasks.mjs', { ...way, threads: 1 });
        await Promise.all(Array.from({ length: 3000 }, (_, i) => pool.run('increment', [i])));
        for await (const _ of pool.map('increment', [1, 2, 3]));
        if (way.placement === undefined) {
          await pool.broadcast('increment', [1]);
          const { code } = await pool.run('loopPolitely', [], { timeoutMs: 1 }).catch((error) => error);
          if (code !== 'ERR_TASK_TIMEOUT') throw new Error(code);
          await pool.recycle();
        }
        await pool.close();
      }
      const path = fileURLToPath(new URL('./tasks.mjs', 'file://' + process.cwd() + '/'));
      for (let i = 0; i < 3; i++) await readFile(path, { loopBudgetMs: 1e-6 });
      Object.assign(globalThis, real);
      console.log('all of it works');`;
    const { stdout, stderr } = await runScript(source);
    assert.equal(stdout.trim(), 'all of it works', stderr);
  });

  test('a timeout or a signal on Object.prototype is none of a call, of a map or of a stream', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    Object.prototype.timeoutMs = 1;
    Object.prototype.signal = AbortSignal.abort();
    const call = pool.run('spin', [100], {});
    const results = pool.map('spin', [100], {});
    const values = pool.stream('spin', [100], {});
    const firsts = Promise.allSettled([call, results.next(), values.next()]);
    delete Object.prototype.timeoutMs;
    delete Object.prototype.signal;
    const [ran, mapped, streamed] = await firsts;
    assert.deepEqual([ran.status, mapped.status], ['fulfilled', 'fulfilled']);
    assert.equal(streamed.reason.code, 'ERR_NOT_ITERABLE', 'it ran');
  });

  for (const [way, options] of Object.entries(ways)) {
    test(`a task that replaces every global does no harm to the worker that runs it: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options });
      await pool.run('replaceGlobals', []);
      assert.equal(await pool.run('increment', [1]), 2);
      assert.deepEqual(await pool.run('echo', [{ text: 'x'.repeat(5000), bytes: new Uint8Array(5000) }]), {
        text: 'x'.repeat(5000),
        bytes: new Uint8Array(5000),
      });
      assert.equal((await outcome(pool.run('nobody', []))).error.code, 'ERR_TASK_NOT_FOUND');
      const running = await started(pool, 'loopPolitely', [], { timeoutMs: 100 });
      assert.equal((await outcome(running.promise)).error.code, 'ERR_TASK_TIMEOUT');
      assert.equal(await pool.run('increment', [1]), 2);
      assert.equal(pool.stats().crashes, 0);
      await pool.close();
    });
  }

  const noProcesses = process.platform === 'win32' && 'there are no processes for workers';
  test(
    'a folder for temporary files that is not there: the error names it, and no file of the library',
    { skip: noProcesses },
    async () => {
      const source = `
      import { createPool } from 'threadwise';
      import fs, { openSync } from 'node:fs';
      fs.openSync = (path, ...rest) => openSync(path.replace(/^.dev.shm|^.tmp/, '/nowhere'), ...rest);
      const pool = createPool('data:text/javascript,export const one = () => 1', { isolation: 'process' });
      await pool.run('one', []).catch(({ code, message }) => console.log(code, message));`;
      const { stdout } = await runScript(source, { env: { TMPDIR: '/tmp' } });
      assert.match(
        stdout,
        /^ERR_MODULE_LOAD Cannot load .*: ENOENT: no such file .*'\/nowhere\/threadwise-[^()]*$/,
      );
    },
  );

  test('execArgv that Node refuses is a module load error with its reason', async (t) => {
    const pool = poolFor(t, {
      worker: { execArgv: [apart ? '--no-such-option' : '--max-old-space-size=100'] },
    });
    const { error } = await outcome(pool.ready);
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    if (apart) assert.match(error.message, /bad option: --no-such-option/);
    else assert.equal(error.cause.code, 'ERR_WORKER_INVALID_EXEC_ARGV');
  });
});
