// The hooks for a tracer: they run in the caller's context, pass a value to the worker, and learn how the task ended.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';
import { createPool } from 'threadwise';
import { event, outcome, poolFor } from './fixtures/helpers.mjs';

const range = (count) => Array.from({ length: count }, (_, i) => i);

/** A pool that records what its hooks are called with. */
function traced(t, options = {}) {
  const [starts, ends] = [[], []];
  const pool = poolFor(t, {
    threads: 1,
    onTaskStart: (task) => {
      starts.push(task);
      return { traceparent: `00-${task.taskId}` };
    },
    onTaskEnd: (task) => ends.push(task),
    ...options,
  });
  return { pool, starts, ends };
}

describe('onTaskStart and onTaskEnd', () => {
  test('each call begins and ends once, under the same number, with what was returned at the start', async (t) => {
    const { pool, starts, ends } = traced(t);
    await Promise.all(range(20).map((i) => pool.run('increment', [i])));
    assert.deepEqual(
      starts.map(({ name, pool: from }) => [name, from]),
      range(20).map(() => ['increment', pool.name]),
    );
    assert.equal(new Set(starts.map(({ taskId }) => taskId)).size, 20);
    for (const { taskId, context, outcome: how, runMs, waitMs, error } of ends) {
      assert.deepEqual([context, how, error], [{ traceparent: `00-${taskId}` }, 'completed', undefined]);
      assert.ok(runMs >= 0 && waitMs >= 0);
    }
    assert.equal(ends.length, 20);
  });

  test('what is returned arrives in the worker, also after an await; the arguments are the same as ever', async (t) => {
    const { pool, starts } = traced(t);
    for (const name of ['contextOf', 'contextAfterAwait']) {
      assert.deepEqual(await pool.run(name, [1, 2]), {
        context: { traceparent: `00-${starts.at(-1).taskId}` },
        args: [1, 2],
      });
    }
    const bytes = new Uint8Array(5);
    const moved = await pool.run('contextOf', [bytes], { transfer: [bytes.buffer] });
    assert.equal(moved.context.traceparent, `00-${starts.at(-1).taskId}`);
    assert.equal(moved.args.length, 1);
  });

  test('without a return value the task has no context', async (t) => {
    const { pool } = traced(t, { onTaskStart: () => undefined });
    assert.deepEqual(await pool.run('contextOf', []), { context: undefined, args: [] });
  });

  test("the start is told in the caller's own context", async (t) => {
    const storage = new AsyncLocalStorage();
    const seen = [];
    const { pool } = traced(t, { onTaskStart: () => void seen.push(storage.getStore()) });
    await Promise.all(['a', 'b'].map((id) => storage.run(id, () => pool.run('increment', [1]))));
    assert.deepEqual(seen, ['a', 'b']);
  });

  test('however it ends: an error, an abort, a crash, arguments that cannot cross', async (t) => {
    const { pool, starts, ends } = traced(t);
    await pool.ready;
    const aborting = new AbortController();
    const calls = [
      ['failed', outcome(pool.run('noSuchTask', []))],
      ['crashed', outcome(pool.run('exit', [3]))],
      ['rejected', outcome(pool.run('increment', [() => 1]))],
      ['aborted', outcome(pool.run('increment', [1], { signal: aborting.signal }))],
    ];
    aborting.abort();
    for (const [, call] of calls) assert.ok((await call).error);
    assert.deepEqual(ends.map(({ outcome: how }) => how).sort(), calls.map(([how]) => how).sort());
    assert.ok(ends.every(({ error }) => error instanceof Error));
    assert.equal(starts.length, 4);
  });

  test('a hook that throws is reported, and harms no call', async (t) => {
    const { pool } = traced(t, {
      onTaskStart: () => {
        throw new Error('no tracer');
      },
    });
    const reported = event(pool, 'error');
    assert.equal(await pool.run('increment', [1]), 2);
    assert.equal((await reported).error.message, 'no tracer');
  });

  test('a context that cannot cross together with what is moved is reported, and harms no call', async (t) => {
    // Between processes a proxy is read like its object only where nothing is moved.
    const isolation = process.platform === 'win32' ? 'thread' : 'process';
    const { pool, ends } = traced(t, { isolation, onTaskStart: () => new Proxy({}, {}) });
    const reported = event(pool, 'error');
    const { buffer } = new Uint8Array(8);
    assert.equal(await pool.run('byteLength', [buffer], { transfer: [buffer] }), 8);
    assert.match((await reported).error.message, /onTaskStart.*cannot be cloned/);
    assert.equal(ends[0].outcome, 'completed');
  });

  test("placement 'inline' has it, too", async (t) => {
    const { pool, starts } = traced(t, { placement: 'inline' });
    const { context } = await pool.run('contextOf', []);
    assert.equal(context.traceparent, `00-${starts[0].taskId}`);
  });

  for (const placement of ['inline', 'auto']) {
    test(`placement '${placement}' tells of arguments that cannot be cloned, too`, async (t) => {
      const { pool, starts, ends } = traced(t, { placement });
      await pool.ready;
      let calls = 0;
      const count = () => pool.stats().functions.find(({ name }) => name === 'increment')?.inline ?? 0;
      for (; count() === 0; calls++) await pool.run('increment', [1]);
      assert.equal((await outcome(pool.run('increment', [() => 1]))).error.code, 'ERR_NOT_CLONEABLE');
      assert.equal(ends.at(-1).outcome, 'rejected');
      assert.equal(ends.at(-1).error.code, 'ERR_NOT_CLONEABLE');
      assert.deepEqual([starts.length, ends.length], [calls + 1, calls + 1]);
    });
  }

  test('something else than a function is refused', () => {
    const create = (options) => createPool('data:text/javascript,export const f = 1', options);
    assert.throws(() => create({ onTaskStart: 1 }), { code: 'ERR_OPTION', message: /onTaskStart/ });
    assert.throws(() => create({ onTaskEnd: {} }), { code: 'ERR_OPTION', message: /onTaskEnd/ });
  });
});
