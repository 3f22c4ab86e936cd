/** What is counted of functions: bounded, and the mean follows recent calls. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FunctionRecords, OTHER_NAMES } from './functions.js';

/** This is a function of its own, so that the stack frame of the test does not keep the text alive. */
function failAtLength(records: FunctionRecords, length: number): void {
  records.ended('f', 'failed', 1, 1, new Error('x'.repeat(length)), false);
  records.ended('g', 'failed', 1, 1, 'y'.repeat(length), false);
}

describe('what is counted of functions', () => {
  test('a module with very many functions has a bounded number of entries, and no call is lost', () => {
    const records = new FunctionRecords();
    for (let i = 0; i < 1000; i++) records.completed(`f${i}`, 2, 1, false);
    const all = records.snapshot();
    assert.equal(all.length, 257);
    assert.equal(
      all.reduce((sum, { calls }) => sum + calls, 0),
      2000,
    );
    assert.equal(all.at(-1)!.name, OTHER_NAMES);
  });

  test('names are taken for functions only when the module is known to have them', () => {
    const records = new FunctionRecords();
    records.ended('early', 'aborted', undefined, 1, undefined, false);
    records.names = ['early', 'known'];
    records.ended('known', 'failed', 2, 1, new Error('no'), false);
    records.ended('unknown', 'failed', undefined, 1, new Error('no'), false);
    const counts = records.snapshot().map(({ name, calls, failures }) => [name, calls, failures]);
    assert.deepEqual(counts, [
      ['known', 1, 1],
      [OTHER_NAMES, 2, 1],
    ]);
  });

  test('the running time is the mean of few calls, and follows the recent ones of many', () => {
    const records = new FunctionRecords();
    records.completed('f', 1, 1, false);
    records.completed('f', 3, 15, false);
    assert.equal(records.snapshot()[0]!.runMs, 4);
    for (let i = 0; i < 1000; i++) records.completed('f', 1, 10, false);
    assert.ok(Math.abs(records.snapshot()[0]!.runMs - 10) < 0.01);
    records.completed('f', 1000, 1000, true);
    assert.equal(records.snapshot()[0]!.runMs, 1);
  });

  test('a long text is not kept in memory for the part of it that is shown', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const records = new FunctionRecords();
    records.names = ['f'];
    const length = 2 ** 25;
    collect();
    const before = process.memoryUsage().heapUsed;
    failAtLength(records, length);
    collect();
    assert.ok(process.memoryUsage().heapUsed - before < length / 2);
    assert.deepEqual(
      records.snapshot().map(({ lastError }) => lastError!.message),
      ['x'.repeat(2048), 'y'.repeat(2048)],
    );
  });

  test('what is thrown may be anything, and is shown in bounded length', () => {
    const trap = Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('trap');
      },
    });
    for (const thrown of [trap, undefined, null, { a: 1 }, Object.create(null), 'x'.repeat(10_000), 7n]) {
      const records = new FunctionRecords();
      records.names = ['f'];
      records.ended('f', 'failed', 1, 1, thrown, false);
      const { lastError } = records.snapshot()[0]!;
      assert.ok(lastError !== null && lastError.message.length <= 2048);
    }
  });
});
