import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeCode } from '../report/explanation.js';
import { analyze } from './analyze.js';
import type { VariantName, VariantSamples } from './samples.js';
import { type Model, model, simulate } from './simulated.test.fake.js';

const SLOW = { gainWith: () => 0.5 };

/** @param gains how many times as many calls as without a pool */
function analyzed(changes: Partial<Model>, gains: Partial<Record<VariantName, number>>) {
  const samples = simulate(model(changes));
  const variants = Object.entries(gains).map(([name, gain]): VariantSamples => ({
    ...samples.threads[0]!,
    name: name as VariantName,
    ...(name === 'batch' ? { size: 64 } : {}),
    rate: samples.inline.rate.map((rate) => rate * gain),
  }));
  return analyze({ ...samples, variants });
}

test('tells of what brings more than the pool without it', () => {
  const { alternatives } = analyzed(SLOW, { batch: 0.9, lease: 0.51 });
  assert.deepEqual(
    alternatives.map(({ sentence, changesVerdict }) => ({ sentence, changesVerdict })),
    [
      {
        sentence: 'with 64 inputs in one call: 1.8 x the calls of the plain pool, 0.9 x those without a pool',
        changesVerdict: false,
      },
    ],
  );
});

test('the one that brings the most is the end of the verdict that it changes', () => {
  const { verdict, alternatives } = analyzed(SLOW, { batch: 1.5, lease: 1.7 });
  assert.deepEqual(
    alternatives.map(({ changesVerdict }) => changesVerdict),
    [true, true],
  );
  assert.match(
    verdict.sentence,
    /\. But with the bytes in a lease \(`pool\.lease`\), which are not copied, threads bring 1\.7 x the calls$/,
  );
});

test('the verdict and the code below it name the same way, also where another brings more over the pool without it', () => {
  const samples = simulate(model({ ...SLOW, rounds: 12 }));
  /** How many times as many calls as without a pool, in one round after the other. */
  const by = (gains: readonly number[]) => samples.inline.rate.map((rate, i) => rate * gains[i % 3]!);
  const pool = { ...samples.threads[0]!, rate: by([0.2, 0.4, 0.8]) };
  const findings = analyze({
    ...samples,
    threads: [pool],
    variants: [
      { ...pool, name: 'batch', size: 64, rate: by([2, 2.4, 10]) },
      { ...pool, name: 'lease', rate: by([1.8, 2.8, 9.6]) },
    ],
  });
  assert.match(findings.verdict.sentence, /But with the bytes in a lease/);
  assert.match(beforeCode(findings), /with the bytes in a lease/);
});

test('the options that are recommended are for the way of calling that changes the verdict', () => {
  assert.deepEqual(analyzed(SLOW, { batch: 1.5 }).recommended, { threads: 1 });
  assert.deepEqual(analyzed(SLOW, { batch: 0.9 }).recommended, { placement: 'inline' });
});

test('where threads pay already, the verdict names a way that brings a good deal more, and what is recommended', () => {
  // Two threads bring 2 x.
  assert.equal(
    analyzed({}, { read: 3, lease: 2.2 }).verdict.sentence,
    'Threads pay: 2 x with 2 threads; 3 x where the worker reads the input itself, and only its name crosses',
  );
  assert.equal(analyzed({}, { read: 2.4 }).verdict.sentence, 'Threads pay: 2 x with 2 threads');
  const automatic = analyzed({}, { read: 2.4, auto: 3 });
  assert.equal(automatic.verdict.sentence, "Threads pay: 2 x with 2 threads; 3 x with `placement: 'auto'`");
  assert.equal(automatic.recommended.placement, 'auto');
});

test('automatic placement changes no verdict: it may well use no thread', () => {
  const { alternatives, verdict } = analyzed(SLOW, { auto: 1.2 });
  assert.deepEqual(
    alternatives.map(({ name, changesVerdict }) => [name, changesVerdict]),
    [['auto', false]],
  );
  assert.doesNotMatch(verdict.sentence, /But/);
});

test('what threads do already, or a gain that is not worth it, changes no verdict', () => {
  assert.ok(analyzed({}, { batch: 4 }).alternatives.every(({ changesVerdict }) => !changesVerdict));
  assert.ok(analyzed(SLOW, { batch: 1.05 }).alternatives.every(({ changesVerdict }) => !changesVerdict));
});

test('many that wait in one call are no reason for threads', () => {
  const { verdict, alternatives } = analyzed({ isPromise: true, computing: 0.01, runMs: 20 }, { batch: 30 });
  assert.equal(verdict.answer, 'async');
  assert.deepEqual(
    alternatives.map(({ changesVerdict }) => changesVerdict),
    [false],
  );
});

test('one that looks good in a single round, or in two, is not told of', () => {
  assert.deepEqual(analyzed({ ...SLOW, rounds: 1 }, { batch: 3 }).alternatives, []);
  const few = analyzed({ ...SLOW, rounds: 2 }, { batch: 3 });
  assert.deepEqual([few.alternatives, few.reasons], [[], []]);
  assert.doesNotMatch(few.verdict.sentence, /But/);
  const samples = simulate(model(SLOW));
  const pool = samples.threads[0]!;
  const given = {
    ...pool,
    name: 'batch',
    size: 64,
    rate: samples.inline.rate.slice(0, 2).map((rate) => 3 * rate),
  };
  assert.deepEqual(analyze({ ...samples, variants: [given as VariantSamples] }).alternatives, []);
});
