// Functions of the user that throw, and who hears of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { event, gate, outcome, poolFor, started } from '../fixtures/helpers.mjs';

test('an error that belongs to no call, and that nobody listens for, is a process warning', async (t) => {
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const choose = () => {
    throw new Error('no idea');
  };
  const pool = poolFor(t, { threads: 2, name: 'unwatched', choose });
  await pool.ready;
  assert.equal(await pool.run('increment', [1]), 2);
  const warning = await warned;
  assert.equal(warning.name, 'ThreadwiseWarning');
  assert.match(warning.message, /'unwatched'.*no idea/);
});

test('diagnostics channels tell what happens, by documented names', async (t) => {
  const { subscribe, unsubscribe } = await import('node:diagnostics_channel');
  const seen = [];
  const names = ['task:submit', 'task:settle', 'worker:ready', 'pool:close'];
  const listeners = names.map((name) => {
    const listener = (message) => seen.push([name, message.pool]);
    subscribe(`threadwise:${name}`, listener);
    return () => unsubscribe(`threadwise:${name}`, listener);
  });
  const pool = poolFor(t, { threads: 1, name: 'watched' });
  await pool.run('increment', [1]);
  await pool.close();
  for (const stop of listeners) stop();
  assert.deepEqual(
    seen.filter(([, pool]) => pool === 'watched').map(([name]) => name),
    ['task:submit', 'worker:ready', 'task:settle', 'pool:close'],
  );
});

describe('functions of the user that throw each time', () => {
  const throwing = (message) => () => {
    throw new Error(message);
  };
  const increments = (pool, count) =>
    Promise.all(Array.from({ length: count }, async (_, i) => (await pool.run('increment', [i])) === i + 1));
  const waysToRun = [
    ['shared-queue', { dispatch: 'shared-queue', transport: 'shared' }],
    ['direct', { dispatch: 'direct' }],
    ['coordinator', { dispatch: 'coordinator' }],
    ['inline', { placement: 'inline' }],
  ];

  for (const [what, asChoose] of [
    ['a function', (choose) => choose],
    ['an object', (choose) => ({ name: 'mine', choose })],
  ]) {
    test(`a strategy, ${what}, that fails after a while: once reported, never asked again, no call is lost`, async (t) => {
      let asked = 0;
      const choose = asChoose((_task, workers) => {
        if (++asked > 4) throw new Error('no idea any more');
        return workers.at(-1);
      });
      const pool = poolFor(t, { threads: 3, choose });
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error.message));
      await pool.ready;
      // One call after the other, so that all workers are free: where only one is, `choose` is not called.
      for (let i = 0; i < 5; i++) assert.equal(await pool.run('increment', [i]), i + 1);
      assert.deepEqual([asked, errors], [5, ['no idea any more']]);
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      const { shared, open } = gate();
      // Three run at a time only if the default strategy uses all workers.
      const held = await Promise.all([1, 2, 3].map(() => started(pool, 'waitFor', [shared])));
      open();
      assert.equal(new Set(await Promise.all(held.map(({ promise }) => promise))).size, 3);
      assert.deepEqual([asked, errors], [5, ['no idea any more']]);
    });
  }

  for (const [where, options] of waysToRun) {
    test(`both hooks and a listener of every event, ${where}: reported, and each call ends as it should`, async (t) => {
      const hooks = { onTaskStart: throwing('onTaskStart'), onTaskEnd: throwing('onTaskEnd') };
      const pool = poolFor(t, { ...options, ...hooks });
      const reported = new Set();
      pool.on('error', ({ error }) => reported.add(error.message));
      const events = ['task:submit', 'task:settle', 'task:progress', 'pool:close'];
      const ofWorkers = ['worker:start', 'worker:ready', 'worker:exit'];
      for (const name of [...events, ...ofWorkers, 'pool:size']) pool.on(name, throwing(name));
      const aborting = new AbortController();
      const onProgress = throwing('onProgress');
      const ends = [
        [pool.run('report', [[1, 2]], { onProgress }), 2],
        [pool.run('noSuchTask', []), 'ERR_TASK_NOT_FOUND'],
        [pool.run('increment', [() => 1]), 'ERR_NOT_CLONEABLE'],
        [pool.run('fail', ['custom']), 'E_SHAPE'],
        [pool.run('increment', [1], { signal: aborting.signal }), 'ERR_TASK_ABORTED'],
        [pool.run('runUntilAborted', [], { timeoutMs: 20 }), 'ERR_TASK_TIMEOUT'],
      ].map(async ([call, expected]) => {
        const { value, error } = await outcome(call);
        assert.equal(error?.code ?? value, expected);
      });
      aborting.abort();
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      await Promise.all(ends);
      const isInline = options.placement === 'inline';
      if (!isInline) {
        const ready = event(pool, 'worker:ready');
        assert.equal((await outcome(pool.run('exit', [3]))).error.code, 'ERR_WORKER_CRASHED');
        await ready;
      }
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      await pool.close();
      assert.equal(pool.stats().tasks.open, 0);
      const expected = ['onTaskStart', 'onTaskEnd', 'onProgress', ...events, ...(isInline ? [] : ofWorkers)];
      const missing = expected.filter((name) => !reported.has(name));
      assert.deepEqual(missing, []);
    });

    test(`also where the listener of errors throws, ${where}`, async (t) => {
      const hooks = { onTaskStart: throwing('onTaskStart'), onTaskEnd: throwing('onTaskEnd') };
      const pool = poolFor(t, { ...options, ...hooks });
      let heard = 0;
      pool.on('error', () => {
        heard++;
        throw new Error('not even this');
      });
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      assert.ok(heard > 0);
      await pool.close();
    });
  }
});
