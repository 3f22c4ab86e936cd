import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBusy } from '../../../experiment/rules.js';
import { analyze } from './analyze.js';
import { byCpuTime } from './busy.js';
import type { Samples } from './samples.js';
import { type Model, model, simulate } from './simulated.test.fake.js';

/** With that much of the cores for others, and so many times as many calls as without a pool. */
function shared(changes: Partial<Model>, othersShare: number, gain: number) {
  const samples = simulate(model(changes));
  const threads = samples.threads.map((of) => ({
    ...of,
    rate: samples.inline.rate.map((rate) => gain * rate),
  }));
  return analyze({ ...samples, threads, machine: { ...samples.machine, othersShare } });
}

const machineWith = (changes: Partial<Samples['machine']>) => ({
  machine: { ...simulate(model()).machine, ...changes },
});

test('what others had while it was measured counts, and only without that who wanted a core before', () => {
  assert.equal(isBusy(machineWith({ othersShare: 0.4 }).machine), true);
  assert.equal(isBusy(machineWith({ othersShare: 0.02, loadBefore: 5 }).machine), false);
  assert.equal(isBusy(machineWith({ loadBefore: 5 }).machine), true);
  assert.equal(isBusy(machineWith({ loadBefore: 0.5 }).machine), false);
});

test('by CPU time two cores are good for twice as many calls, less what handing over takes', () => {
  const samples = simulate(model({ runMs: 0.02, crossingMs: 0.005 }));
  const { value, low, high } = byCpuTime(samples, samples.threads[1]!)!;
  for (const figure of [value, low, high]) assert.ok(Math.abs(figure - 1.6) < 1e-9, `${figure}`);
});

test("a don't that other programs may have made is none", () => {
  const { verdict } = shared({ runMs: 1 }, 0.5, 0.8);
  assert.deepEqual(verdict, {
    answer: 'unknown',
    sentence:
      'Cannot tell: other programs had 50 % of the cores while it was measured: threads brought 0.8 x the calls',
  });
  assert.equal(shared({ runMs: 1 }, 0.01, 0.8).verdict.answer, 'inline');
});

test('where others had little, half of what crossing costs decides', () => {
  const answerOf = (runMs: number, crossingMs: number) =>
    shared({ runMs, crossingMs, mainMs: crossingMs / 2 }, 0.2, 0.3).verdict.answer;
  // 2 x 10 / (10 + 30 / 2), and 2 x 10 / (10 + 10 / 2).
  assert.equal(answerOf(0.01, 0.03), 'inline');
  assert.equal(answerOf(0.01, 0.01), 'unknown');
});

test('where they had much, only a call that no crossing pays for', () => {
  const answerOf = (runMs: number, more: Partial<Model> = {}) =>
    shared({ runMs, crossingMs: 0.05, mainMs: 0.02, ...more }, 0.6, 0.1).verdict.answer;
  // Two cores make of 0.6 us at most 2 x 0.6 / 1.6, of 1.5 us 2 x 1.5 / 2.5.
  assert.equal(answerOf(0.0006), 'inline');
  assert.equal(answerOf(0.0015), 'unknown');
  // Of however many, not more than the calling thread can hand over: 1 us / 0.6 us.
  assert.equal(answerOf(0.0006, { cores: 8, threads: [1, 2, 8] }), 'inline');
  assert.equal(answerOf(0.001, { cores: 8, threads: [1, 2, 8] }), 'unknown');
});

test('a call that no crossing pays for needs no figures of threads that others have made worthless', () => {
  const samples = simulate(model({ runMs: 0.0007, crossingMs: 0.03, mainMs: 0.01 }));
  const threads = samples.threads.map((of) => ({ ...of, rate: of.rate.map((_, i) => 1e6 * (1 + i)) }));
  const { answer, sentence } = analyze({
    ...samples,
    threads,
    machine: { ...samples.machine, othersShare: 0.7 },
  }).verdict;
  assert.equal(answer, 'inline');
  assert.match(sentence, /^Don't: half of the calls run for 0\.7 us or less/);
});

test('a call that takes long and computes little may wait for something', () => {
  assert.equal(
    shared({ runMs: 5, computing: 0.00001, threads: [1, 2, 4] }, 0.6, 0.5).verdict.answer,
    'unknown',
  );
});

test('a gain that is but taken from other programs is none', () => {
  const short = { runMs: 0.002, crossingMs: 0.003, mainMs: 0.001 };
  assert.equal(shared(short, 0.5, 1.5).verdict.answer, 'unknown');
  assert.equal(shared(short, 0.01, 1.5).verdict.answer, 'threads', 'with nobody to take it from');
  assert.equal(shared({ runMs: 1 }, 0.5, 1.3).verdict.answer, 'threads', 'with cores to gain');
});

test('it is said how much others had', () => {
  const { warnings } = shared({ runMs: 1 }, 0.42, 1.3);
  assert.match(warnings[0]!, /they had 42 % of the cores while it was measured/);
});
