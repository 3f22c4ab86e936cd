/** Options of the readers: what is refused, with which words, and what the place decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveReadFile, resolveReadFiles } from './options.js';
import { readFiles } from './read-files.js';

test('what is not given is decided by the place', () => {
  const main = resolveReadFiles(undefined, true);
  const worker = resolveReadFiles({}, false);
  assert.equal(main.loopBudgetMs, 5);
  assert.ok(worker.loopBudgetMs > main.loopBudgetMs);
  assert.ok(worker.syncBytes > main.syncBytes);
  assert.deepEqual([main.onError, main.concurrency, main.signal], ['throw', 4, undefined]);
  assert.deepEqual(resolveReadFiles({ syncBytes: undefined, onError: undefined }, true), main);
});

test('what is given holds in both places', () => {
  const given = { syncBytes: 7, loopBudgetMs: 2, concurrency: 3, aheadBytes: 0, onError: 'yield' };
  const expected = { ...given, signal: undefined };
  assert.deepEqual([resolveReadFiles(given, true), resolveReadFiles(given, false)], [expected, expected]);
});

for (const [given, message] of [
  [{ syncBytes: -1 }, /'syncBytes': expected a whole number from 0 to 1073741824, got -1/],
  [{ syncBytes: '1' }, /'syncBytes': expected a whole number .*got "1"/],
  [{ loopBudgetMs: 0 }, /'loopBudgetMs': expected milliseconds above 0, up to 1000, got 0/],
  [{ concurrency: 0 }, /'concurrency': expected a whole number from 1 to 1024, got 0/],
  [{ aheadBytes: -1 }, /'aheadBytes': expected a whole number of at least 0, got -1/],
  [{ onError: 'skip' }, /'onError': expected 'throw' or 'yield', got "skip"/],
  [{ signal: {} }, /'signal': expected an AbortSignal, got an object/],
  [{ synBytes: 1 }, /Unknown option 'synBytes'\. Did you mean 'syncBytes'\?/],
  ['utf8', /'options': expected an object, got "utf8"/],
  [null, /'options': expected an object, got null/],
] as const) {
  test(`refused at once: ${JSON.stringify(given)}`, () => {
    assert.throws(() => readFiles([], given as never), { code: 'ERR_OPTION', name: 'TypeError', message });
  });
}

test('one file has no options of many', () => {
  assert.throws(() => resolveReadFile({ concurrency: 1 }), /Unknown option 'concurrency'/);
});
