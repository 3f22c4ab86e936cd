import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpectedError, UsageError } from '../exit-code.js';
import { createReducer } from './delivery.js';
import type { TaskFunction } from './work/task-module.js';

async function fold(reduce: (...args: never[]) => unknown, values: readonly unknown[]): Promise<unknown> {
  const reducer = createReducer(reduce as TaskFunction, 'fold');
  for (const value of values) await reducer.add(value);
  return reducer.text((value) => value, false);
}

test('without a default the first result is the initial value', async () => {
  assert.equal(await fold((a: number, b: number) => Math.max(a, b), [3, 9, 4]), 9);
  assert.equal(await fold(() => assert.fail('not called for one value') as never, []), undefined);
  let calls = 0;
  await fold(
    (a: number, _b: number) => {
      calls += 1;
      return a;
    },
    [1, 2, 3],
  );
  assert.equal(calls, 2);
});

test('with a default the fold starts from it', async () => {
  assert.equal(await fold((sum = 100, value: number) => sum + value, [1, 2, 3]), 106);
  const group = (all: number[] = [], value: number): number[] => [...all, value];
  assert.deepEqual(await fold(group, [1]), [1]);
  assert.equal(await fold(group, []), undefined);
});

test('may be asynchronous', async () => {
  assert.equal(await fold(async (a: string, b: string) => a + b, ['x', 'y', 'z']), 'xyz');
});

test('nothing to reduce is an error where there is no default', async () => {
  await assert.rejects(
    fold((a: number, b: number) => a + b, []),
    UsageError,
  );
});

test('a reducer that throws is named', async () => {
  const broken = (_a: number, _b: number): never => {
    throw new TypeError('no');
  };
  await assert.rejects(
    fold(broken, [1, 2]),
    (error) => error instanceof ExpectedError && /'fold' failed: TypeError: no/.test(error.message),
  );
});
