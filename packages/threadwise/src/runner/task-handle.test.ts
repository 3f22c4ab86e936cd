/** `task` outside of a task: a function that uses it can be called directly, in a test or without a pool. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTransferred, seats } from './current.js';
import { task, transfer } from './task-handle.js';

describe('task, outside of a task', () => {
  test('its signal is never aborted, and always the same', () => {
    assert.equal(task.signal.aborted, false);
    assert.equal(task.signal, task.signal);
  });

  test('progress tells nobody', () => {
    assert.equal(task.progress({ any: 'thing' }), undefined);
  });

  test('the thread is no worker: its number is 0', () => {
    assert.equal(task.workerId, 0);
  });

  test('a host function throws ERR_OUTSIDE_TASK that names it', () => {
    assert.throws(() => task.host.lookUp!('x'), { code: 'ERR_OUTSIDE_TASK', message: /lookUp/ });
  });

  test('no task can be run', () => {
    assert.throws(() => task.run('part', []), { code: 'ERR_OUTSIDE_TASK' });
  });

  test('neither task nor its host is taken for a promise', async () => {
    assert.equal((task.host as { then?: unknown }).then, undefined);
    assert.equal(await task.host, task.host);
  });

  test('it can be written as JSON, as a logger does: no host function is called for that', () => {
    assert.equal(JSON.stringify(task), '{"signal":{},"host":{},"workerId":0}');
  });

  test('nothing of it can be changed', () => {
    assert.equal(Object.isFrozen(task), true);
    assert.throws(() => Object.assign(task.host, { mine: () => 1 }), TypeError);
  });
});

describe('task, with runners on this thread', () => {
  const context = (id: number, workerId: number, order = 0) => ({
    id,
    order,
    workerId,
    context: { traceparent: 'x' },
    signal: { aborted: true },
    progress: () => undefined,
    callHost: async (name: string) => `${name} of ${id}`,
    run: async (name: string) => `task ${name} of ${id}`,
    copy: (value: unknown) => value,
  });

  test('speaks for the runner whose task it is, of however many', async (t) => {
    const [idle, busy] = [
      { workerId: 4, current: () => undefined },
      { workerId: 5, current: () => context(1, 5) },
    ];
    for (const seat of [idle, busy]) {
      seats.add(seat);
      t.after(() => seats.delete(seat));
    }
    assert.equal(task.workerId, 5);
    assert.equal(task.signal.aborted, true);
    assert.equal(await task.host.lookUp!(), 'lookUp of 1');
    assert.equal(await task.run('part', []), 'task part of 1');
  });

  test('speaks for the innermost of the tasks that its code belongs to, whichever runner came first', async (t) => {
    for (const order of [0, 3, 2]) {
      const seat = { workerId: 5, current: () => context(order, 5, order) };
      seats.add(seat);
      t.after(() => seats.delete(seat));
    }
    assert.equal(await task.host.lookUp!(), 'lookUp of 3');
  });

  test('is nobody’s again when the runner has left', () => {
    const seat = { workerId: 9, current: () => context(1, 9) };
    seats.add(seat);
    seats.delete(seat);
    assert.equal(task.workerId, 0);
    assert.equal(task.signal.aborted, false);
  });
});

describe('transfer', () => {
  test('marks a value and what of it moves', () => {
    const bytes = new Uint8Array(3);
    const marked: unknown = transfer(bytes, [bytes.buffer]);
    assert.ok(isTransferred(marked));
    assert.equal(marked.value, bytes);
    assert.deepEqual(marked.list, [bytes.buffer]);
  });

  test('nothing else is taken for a marked value', () => {
    for (const value of [undefined, null, 0, '', {}, [], { value: 1, list: [] }]) {
      assert.equal(isTransferred(value), false);
    }
  });
});
