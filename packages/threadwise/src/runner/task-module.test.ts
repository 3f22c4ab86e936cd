/** Which exports are tasks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTaskModule } from './task-module.js';

const f = () => 'f';
const g = () => 'g';

describe('readTaskModule', () => {
  test('exported functions are tasks, by their names, in order; other exports are none', () => {
    const { names, find } = readTaskModule({ hash: f, default: g, version: '1', Class: undefined });
    assert.deepEqual(names, ['default', 'hash']);
    assert.equal(find('hash'), f);
    assert.equal(find('default'), g);
  });

  test('setup and teardown are kept apart and cannot be called as tasks', () => {
    const module = readTaskModule({ hash: f, setup: f, teardown: g });
    assert.equal(module.setup, f);
    assert.equal(module.teardown, g);
    assert.deepEqual(module.names, ['hash']);
    for (const name of ['setup', 'teardown']) {
      assert.throws(() => module.find(name), { code: 'ERR_TASK_NOT_FOUND' });
    }
  });

  test('of a CommonJS module, what its lexer did not find is on the default export', () => {
    const exported = { hash: f, other: g, setup: g };
    const module = readTaskModule({ default: exported, 'module.exports': exported, hash: f });
    assert.deepEqual(module.names, ['hash', 'other']);
    assert.equal(module.setup, g);
  });

  test('an export whose getter throws is no task, nor is one without a name', () => {
    const exported = {
      get gone() {
        throw new Error('not any more');
      },
      hash: f,
    };
    const module = readTaskModule({ default: exported, gone: undefined, hash: f, '': g });
    assert.deepEqual(module.names, ['hash']);
  });

  test('a CommonJS module that is a function is the task default', () => {
    const module = readTaskModule({ default: f, 'module.exports': f });
    assert.deepEqual(module.names, ['default']);
    assert.equal(module.find('default'), f);
  });

  test('a name that is missing or inherited is not found; the message lists what exists and what was meant', () => {
    const { find } = readTaskModule({ hash: f, digest: g });
    for (const name of ['toString', '__proto__', 'constructor', 'valueOf', '']) {
      assert.throws(() => find(name), { code: 'ERR_TASK_NOT_FOUND', message: /Tasks: digest, hash/ });
    }
    assert.throws(() => find('hsah'), { message: /Did you mean 'hash'\?/ });
  });

  test('a module without a function is refused, with what it does export', () => {
    assert.throws(() => readTaskModule({ a: 1, b: 'x' }), { name: 'TypeError', message: /a, b/ });
    assert.throws(() => readTaskModule({}), { name: 'TypeError', message: /nothing/ });
    assert.throws(() => readTaskModule({ setup: f }), TypeError);
  });
});
