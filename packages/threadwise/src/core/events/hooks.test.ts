/** Events: who is told, in which order, and what a listener's mistake may break (nothing). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentSink } from '../fake-platform.case.js';
import { type EventSink, Hooks, type PoolEvents } from './hooks.js';

const event: PoolEvents['task:submit'] = { pool: 'p', taskId: 1, name: 'work' };

/** A sink that wants one kind of event. */
function sinkFor(wanted: string, publish: (name: string, event: unknown) => void): EventSink {
  return {
    channel: (name) => ({ hasSubscribers: name === wanted, publish: (event) => publish(name, event) }),
  };
}

describe('Hooks', () => {
  test('tell every listener of an event, in the order in which they came', () => {
    const hooks = new Hooks(silentSink, 'p');
    const told: unknown[] = [];
    hooks.on('task:submit', (e) => told.push(['first', e]));
    hooks.on('task:submit', (e) => told.push(['second', e]));
    hooks.on('pool:close', () => assert.fail('another event'));
    hooks.emit('task:submit', event);
    assert.deepEqual(told, [
      ['first', event],
      ['second', event],
    ]);
  });

  test('tell a listener no more once it is off, and leave the others on', () => {
    const hooks = new Hooks(silentSink, 'p');
    const told: string[] = [];
    const off = () => told.push('off');
    hooks.on('task:submit', off);
    hooks.on('task:submit', () => told.push('on'));
    hooks.off('task:submit', off);
    hooks.off('pool:close', off);
    hooks.emit('task:submit', event);
    assert.deepEqual(told, ['on']);
  });

  test('refuse a listener that is no function', () => {
    const hooks = new Hooks(silentSink, 'p');
    for (const listener of [undefined, null, {}]) {
      const add = () => hooks.on('task:settle', listener as never);
      assert.throws(add, { code: 'ERR_OPTION', message: /'listener': expected a function/ });
    }
    assert.equal(hooks.areCallsHeard, false);
  });

  test('refuse an event that does not exist: its listener would never be called', () => {
    const hooks = new Hooks(silentSink, 'p');
    for (const name of ['task:settled', 'toString', undefined]) {
      const add = () => hooks.on(name as never, () => undefined);
      assert.throws(add, { code: 'ERR_OPTION', message: /'event': expected 'task:submit' or / });
    }
  });

  test('tell a listener once though it was added twice', () => {
    const hooks = new Hooks(silentSink, 'p');
    let told = 0;
    const listener = () => void told++;
    hooks.on('task:submit', listener);
    hooks.on('task:submit', listener);
    hooks.emit('task:submit', event);
    assert.equal(told, 1);
  });

  test('tell the others although a listener throws, and make an error event of what it threw', () => {
    const hooks = new Hooks(silentSink, 'p');
    const told: unknown[] = [];
    const mistake = new Error('mistake');
    hooks.on('error', (e) => told.push(e));
    hooks.on('task:submit', () => {
      throw mistake;
    });
    hooks.on('task:submit', () => told.push('other'));
    hooks.emit('task:submit', event);
    assert.deepEqual(told, [{ pool: 'p', error: mistake }, 'other']);
  });

  test('swallow what an error listener throws, and tell the other error listeners', () => {
    const hooks = new Hooks(silentSink, 'p');
    let told = 0;
    hooks.on('error', () => {
      told++;
      throw new Error('mistake');
    });
    hooks.on('error', () => void told++);
    hooks.emit('error', { error: new Error('first') });
    assert.equal(told, 2);
  });

  test('let a listener take itself off while it is told', () => {
    const hooks = new Hooks(silentSink, 'p');
    const told: string[] = [];
    const once = () => {
      told.push('once');
      hooks.off('task:submit', once);
    };
    hooks.on('task:submit', once);
    hooks.on('task:submit', () => told.push('always'));
    hooks.emit('task:submit', event);
    hooks.emit('task:submit', event);
    assert.deepEqual(told, ['once', 'always', 'always']);
  });

  test('tell who is added while an event is told of the next one', () => {
    const hooks = new Hooks(silentSink, 'p');
    const told: string[] = [];
    const add = (n: number) => {
      hooks.on('task:submit', () => {
        told.push(String(n));
        if (n < 100) add(n + 1);
      });
    };
    add(1);
    hooks.emit('task:submit', event);
    hooks.emit('task:submit', event);
    assert.deepEqual(told, ['1', '1', '2']);
  });

  test('tell who is taken off while an event is told no more, though he is added again', () => {
    const hooks = new Hooks(silentSink, 'p');
    const told: string[] = [];
    const [gone, back] = [() => told.push('gone'), () => told.push('back')];
    hooks.on('task:submit', () => {
      for (const listener of [gone, back]) hooks.off('task:submit', listener);
      hooks.on('task:submit', back);
      hooks.on('task:submit', last); // it is on already
    });
    const last = () => told.push('last');
    for (const listener of [gone, back, last]) hooks.on('task:submit', listener);
    hooks.emit('task:submit', event);
    assert.deepEqual(told, ['last']);
  });

  test('publish to the sink exactly the events that it wants', () => {
    const published: unknown[] = [];
    const hooks = new Hooks(
      sinkFor('pool:close', (name, e) => published.push([name, e])),
      'p',
    );
    hooks.emit('task:submit', event);
    hooks.emit('pool:close', {});
    assert.deepEqual(published, [['pool:close', { pool: 'p' }]]);
  });

  test('want an event while there is a listener or the sink wants it', () => {
    const hooks = new Hooks(
      sinkFor('pool:close', () => undefined),
      'p',
    );
    const listener = () => undefined;
    assert.equal(hooks.wants('pool:close'), true);
    assert.equal(hooks.wants('task:submit'), false);
    hooks.on('task:submit', listener);
    assert.equal(hooks.wants('task:submit'), true);
    hooks.off('task:submit', listener);
    assert.equal(hooks.wants('task:submit'), false);
  });

  test('tell nobody after clear', () => {
    const hooks = new Hooks(silentSink, 'p');
    hooks.on('task:submit', () => assert.fail('told'));
    hooks.clear();
    hooks.emit('task:submit', event);
    assert.equal(hooks.wants('task:submit'), false);
  });
});
