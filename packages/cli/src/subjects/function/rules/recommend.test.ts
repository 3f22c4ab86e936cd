import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Samples } from './samples.js';
import { type Model, model, simulate, WELL_BEHAVED } from './simulated.test.fake.js';

function recommended(changes: Partial<Model>, other: Partial<Samples> = {}) {
  return analyze(simulate(model(changes), other)).recommended;
}

/** A variant with automatic placement and this gain over no pool. */
function auto(changes: Partial<Model>, gain: number): Samples['variants'] {
  const { threads, inline } = simulate(model(changes));
  return [{ ...threads.at(-1)!, name: 'auto', rate: inline.rate.map((rate) => rate * gain) }];
}

const FAST = { gainWith: (threads: number) => 1.8 * Math.min(2, threads), threads: [1, 2, 4], cores: 4 };
const SLOW = { gainWith: (threads: number) => 0.3 * threads, threads: [1, 2] };

test('the fewest threads that do as well as the best, where threads pay', () => {
  assert.deepEqual(recommended(FAST), { threads: 2 });
});

test('automatic placement only where it does clearly more than the threads alone', () => {
  assert.deepEqual(recommended(FAST, { variants: auto(FAST, 3.7) }), { threads: 2 });
  assert.deepEqual(recommended(FAST, { variants: auto(FAST, 4) }), { placement: 'auto', threads: 4 });
});

test('where threads do not pay, none of them: what loses is not recommended', () => {
  assert.deepEqual(recommended(SLOW), { placement: 'inline' });
  assert.deepEqual(recommended(SLOW, { variants: auto(SLOW, 0.9) }), { placement: 'inline' });
});

test('calls that await, and pay, are given so many at a time that they fill their worker', () => {
  const mixed = { runMs: 20, isPromise: true, cores: 8, threads: [1, 2, 4, 8], computing: 0.4 };
  assert.deepEqual(recommended(mixed), { threads: 8, tasksPerWorker: 3 });
});

test('no thread where none can run it, or it only waits', () => {
  const inline = { placement: 'inline' };
  assert.deepEqual(recommended({ isPromise: true, computing: 0.01 }), inline);
  const uncloneable = { argument: undefined, result: 'a Socket' };
  assert.deepEqual(recommended({}, { behaviour: { ...WELL_BEHAVED, uncloneable } }), inline);
  const endedInWorker = { exitCode: null, signal: 'SIGSEGV' };
  assert.deepEqual(recommended({}, { behaviour: { ...WELL_BEHAVED, endedInWorker } }), inline);
  assert.deepEqual(recommended({}, { threads: [] }), {});
});

test('no more threads than memory has room for', () => {
  const { machine } = simulate(model(FAST));
  // Three quarters of 100 MiB have room for one worker of 64.
  assert.deepEqual(recommended(FAST, { machine: { ...machine, memoryBytes: 100 * 2 ** 20 } }), {
    threads: 1,
  });
  assert.deepEqual(
    recommended(FAST, { machine: { ...machine, memoryBytes: 0 } }),
    { threads: 2 },
    'not known',
  );
});

test('nothing, where noise forbids a verdict', () => {
  const noisy = simulate(model({ rounds: 6, gainWith: () => 1.2 }));
  const threads = noisy.threads.map((of, i) => ({
    ...of,
    rate: of.rate.map((rate, round) => rate * (0.5 + round / 5 + i)),
  }));
  const { verdict, recommended: options } = analyze({ ...noisy, threads: threads.slice(0, 1) });
  assert.equal(verdict.answer, 'unknown');
  assert.deepEqual(options, {});
});

test('with memory for two threads, two, however many cores there are', () => {
  const eight = { cores: 8, threads: [1, 2, 4, 8] };
  const { machine } = simulate(model(eight));
  const memoryBytes = (2 * 64 * 2 ** 20) / 0.75;
  assert.deepEqual(recommended(eight, { machine: { ...machine, memoryBytes } }), { threads: 2 });
});
