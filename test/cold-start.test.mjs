// How a process begins: an import loads little, and the threads of the first pool start before the rest of the library is loaded.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';

/** Runs a script that records each thread at its start: `log` has its name, and whether the library was loaded in full by then. */
function run(script, [command, ...args] = [process.execPath]) {
  const program = `
    import { createRequire, syncBuiltinESMExports } from 'node:module';
    import { once } from 'node:events';
    const require = createRequire(import.meta.url);
    const wt = require('node:worker_threads');
    const isLoaded = (name = 'engine') => Object.keys(require.cache).some((path) => path.endsWith(name + '.cjs'));
    const [log, threads, exits] = [[], [], []];
    wt.Worker = class extends wt.Worker {
      constructor(code, options) {
        super(code, options);
        log.push([options.name, isLoaded()]);
        threads.push(this);
        exits.push(once(this, 'exit'));
      }
    };
    syncBuiltinESMExports();
    const { createPool } = await import('${import.meta.resolve('threadwise')}');
    const module = 'data:text/javascript,export const f = (x) => x + 1';
    ${script}`;
  const { stdout, stderr, status } = spawnSync(command, [...args, '--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const cores = availableParallelism();

test('an import loads a part of the library, and starts no thread', () => {
  assert.deepEqual(run('console.log(JSON.stringify([isLoaded(), log]));'), [false, []]);
});

test('the first pool starts a thread for each core but one before the rest is loaded; each runs tasks under its own name', () => {
  const { log, results } = run(`
    const [pool, named] = [createPool(module, { threads: 2 }), createPool(module, { name: 'mine' })];
    const results = await Promise.all([pool.broadcast('f', [1]), named.run('f', [2])]);
    await Promise.all([pool.close(), named.close()]);
    console.log(JSON.stringify({ log, results }));`);
  assert.deepEqual(log, [
    ['pool-1/1', false],
    ['pool-1/2', cores < 3],
    ['mine/1', true],
  ]);
  assert.deepEqual(results, [[2, 2], 3]);
});

for (const [options, isLoaded] of Object.entries({
  "{ worker: { argv: ['x'] } }": true,
  "{ placement: 'auto' }": false,
  "{ dispatch: 'direct' }": false,
  '{ worker: { data: { a: 1 }, recycle: { afterTasks: 2 } } }': false,
})) {
  test(`${isLoaded ? 'the options are checked before' : 'nothing is loaded before'} a pool with ${options} starts its thread`, () => {
    const log = run(`
      await createPool(module, { threads: 1, ...${options} }).close();
      console.log(JSON.stringify(log));`);
    assert.deepEqual(log, [['pool-1/1', isLoaded]]);
  });
}

test('what only some pools need is loaded when one needs it, once', () => {
  const loaded = run(`
    const pool = createPool(module, { threads: 1, name: 'plain' });
    const loaded = [await pool.run('f', [1]), await pool.run('f', ['a']), isLoaded('later')];
    for await (const value of pool.map('f', [2])) loaded.push(value, isLoaded('later'));
    const inline = createPool(module, { placement: 'inline' });
    loaded.push(await inline.run('f', [3]), pool.stats().tasks.completed);
    await Promise.all([pool.close(), inline.close()]);
    console.log(JSON.stringify(loaded));`);
  assert.deepEqual(loaded, [2, 'a1', false, 3, true, 4, 3]);
});

test(
  'a process that has no file descriptor left is told what becomes of its calls, and the statistics',
  { skip: process.platform === 'win32' && 'there is no ulimit' },
  () => {
    const script = `
      const { closeSync, openSync } = require('node:fs');
      const pool = createPool(module, { threads: 1, isolation: 'thread' });
      await pool.run('f', [1]);
      const opened = [];
      const told = [];
      try {
        for (;;) opened.push(openSync('.'));
      } catch ({ code }) {
        told.push(code);
      }
      await pool.run('g', [1]).catch(({ code }) => told.push(code));
      const { tasks, process: { residentBytes } } = pool.stats();
      told.push(tasks.failed, typeof residentBytes);
      for await (const value of pool.map('f', [1])) told.push(value);
      for (const descriptor of opened) closeSync(descriptor);
      await pool.close();
      console.log(JSON.stringify(told));`;
    const told = run(script, ['sh', '-c', 'ulimit -n 100 && exec "$0" "$@"', process.execPath]);
    assert.deepEqual(told, ['EMFILE', 'ERR_TASK_NOT_FOUND', 1, 'number', 2]);
  },
);

test('a pool that has no threads starts none', () => {
  const log = run(`
    const pool = createPool(module, { placement: 'inline' });
    const processes = createPool(module, { isolation: 'process', threads: 1 });
    await Promise.all([pool.close(), processes.close()]);
    console.log(JSON.stringify(log));`);
  assert.deepEqual(log, []);
});

for (const wrong of ['{ threads: 1, timeoutMs: -1 }', '{ threads: 0.5 }', '{ name: Symbol() }', '[]', '1']) {
  test(`a pool that is refused for its options ${wrong} leaves no thread`, () => {
    const code = run(`
      let error;
      try { createPool(module, ${wrong}); } catch (thrown) { error = thrown; }
      for (const thread of threads) thread.ref();
      await Promise.all(exits);
      console.log(JSON.stringify(error.code));`);
    assert.equal(code, 'ERR_OPTION');
  });
}

test('what main has compiled while the first thread starts is what later threads run; one that starts before compiles by itself', () => {
  // It sees the script that the worker's thread makes of its code, and says so to main, which has no turn meanwhile.
  const preload = `data:text/javascript,${encodeURIComponent(`
    const vm = process.getBuiltinModule('node:vm');
    vm.Script = class extends vm.Script {
      constructor(...args) {
        super(...args);
        globalThis.isRejected ??= [this.cachedDataRejected];
        process.env.HAS_BEGUN = 'yes';
      }
    };`)}`;
  const found = run(`
    const seen = 'data:text/javascript,export const f = () => globalThis.isRejected';
    const worker = { env: wt.SHARE_ENV, execArgv: ['--import', ${JSON.stringify(preload)}] };
    const before = createPool(seen, { threads: 1, worker });
    while (process.env.HAS_BEGUN === undefined);
    const first = await before.run('f', []);
    const after = createPool(seen, { threads: 1, worker });
    const second = await after.run('f', []);
    await Promise.all([before.close(), after.close()]);
    console.log(JSON.stringify([first, second]));`);
  assert.deepEqual(found, [[null], [false]]);
});
