import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControllablePool } from './controllable-pool.js';
import { type Directory, directoryOf } from './directory.js';

const named = (...names: string[]) => names.map((name) => ({ name }) as ControllablePool);
const poolsOf = (pools: Iterable<ControllablePool>) => directoryOf('pool', pools, ({ name }) => name);
const namesOf = (directory: Directory<ControllablePool>) => directory.list().map(({ name }) => name);

test('pools of one name are told apart by a number', () => {
  assert.deepEqual(namesOf(poolsOf(named('a', 'a', 'b', 'a'))), ['a', 'a~2', 'b', 'a~3']);
});

test('a name that looks like a number after a name is a name', () => {
  assert.deepEqual(namesOf(poolsOf(named('a~2', 'a', 'a', 'a~2'))), ['a~2', 'a', 'a~3', 'a~2~2']);
});

test('the pool that is found is the one of that name', () => {
  const pools = named('a', 'a', '__proto__', 'constructor', 'a/b', '💥');
  const directory = poolsOf(pools);
  for (const [i, name] of ['a', 'a~2', '__proto__', 'constructor', 'a/b', '💥'].entries()) {
    assert.equal(directory.find(name).item, pools[i], name);
  }
});

test('an unknown name is an error that lists the known ones', () => {
  const expected = { code: 'ERR_CONTROL_NOT_FOUND', statusCode: 404 };
  for (const name of ['c', 'toString', '']) {
    assert.throws(() => poolsOf(named('a', 'b')).find(name), { ...expected, message: /"a", "b"/ });
  }
  assert.throws(() => poolsOf([]).find('a'), { ...expected, message: /There are: none/ });
});

test('pools that come and go are seen, and the others keep their names', () => {
  const [first, second, third] = named('a', 'a', 'a') as [
    ControllablePool,
    ControllablePool,
    ControllablePool,
  ];
  const pools = new Set([first, second]);
  const directory = poolsOf(pools);
  assert.deepEqual(namesOf(directory), ['a', 'a~2']);
  pools.delete(first);
  assert.deepEqual(namesOf(directory), ['a~2']);
  pools.add(third);
  assert.deepEqual(namesOf(directory), ['a~2', 'a']);
  pools.add(first);
  assert.deepEqual(namesOf(directory), ['a~2', 'a', 'a~3']);
});

test('a pool that comes back takes no name of one that was there, wherever it stands', () => {
  const [first, second] = named('a', 'a') as [ControllablePool, ControllablePool];
  const pools = [first];
  const directory = poolsOf(pools);
  const listed = (...now: ControllablePool[]) => {
    pools.splice(0, pools.length, ...now);
    return namesOf(directory);
  };
  assert.deepEqual(listed(first), ['a']);
  assert.deepEqual(listed(second), ['a']);
  assert.deepEqual(listed(first, second), ['a~2', 'a']);
  assert.deepEqual(listed(first), ['a~2']);
});

test('of two pools that had a name in turn, the one that is there keeps it when the other one comes back', () => {
  const [first, second] = named('a', 'a') as [ControllablePool, ControllablePool];
  const pools = [first];
  const directory = poolsOf(pools);
  for (const only of [first, second, first]) {
    pools.splice(0, 1, only);
    assert.deepEqual(namesOf(directory), ['a']);
  }
  pools.unshift(second);
  assert.deepEqual(namesOf(directory), ['a~2', 'a']);
});

test('a pool that is listed twice is one pool', () => {
  const [pool] = named('a') as [ControllablePool];
  assert.deepEqual(namesOf(poolsOf([pool, pool])), ['a']);
});

test('names that a URL cannot carry get one that it can', () => {
  const names = namesOf(poolsOf(named('', '.', '..', '\ud800', '\udfff')));
  assert.deepEqual(names, ['~2', '.~2', '..~2', '\ufffd', '\ufffd~2']);
  for (const name of names) {
    const { pathname } = new URL(`http://localhost/api/pools/${encodeURIComponent(name)}`);
    assert.equal(decodeURIComponent(pathname), `/api/pools/${name}`);
  }
});
