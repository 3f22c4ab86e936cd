import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import { model, simulate } from './simulated.test.fake.js';

test('without a control run the rounds themselves say how noisy it is', () => {
  const samples = simulate(model({ runMs: 10, rounds: 6, controls: 0 }));
  const inline = { ...samples.inline, rate: [80, 100, 100, 100, 100, 120] };
  assert.equal(analyze({ ...samples, inline }).noise, 0.2);
  const control = { before: [90, 100], after: [100, 110] };
  assert.equal(analyze({ ...samples, inline, control }).noise, 0.1);
});

test('says that the event loop is freer only where that is certain', () => {
  const samples = simulate(model({ runMs: 10, rounds: 6 }));
  const withDelays = (before: number[], after: number[]) => {
    const inline = { ...samples.inline, loopDelayMs: before };
    const threads = samples.threads.map((of) => ({ ...of, loopDelayMs: after }));
    return analyze({ ...samples, inline, threads }).reasons.filter((reason) => /event loop/.test(reason));
  };
  assert.deepEqual(withDelays([8, 9, 10, 10, 11, 12], [1, 2, 2, 2, 2, 7]), [
    'the event loop is held up for 2 ms (p99) instead of 10 ms: 80 % less',
  ]);
  assert.deepEqual(withDelays([8, 9, 10, 10, 11, 12], [1, 2, 2, 2, 2, 8]), []);
});

test('the figure of the verdict is that of the number of threads that it names', () => {
  // Eight are the fastest, with 3.9 x; four are all but as fast.
  const gainWith = (threads: number) => ({ 1: 1, 4: 3.75, 8: 3.9 })[threads]!;
  const { verdict, gain, knee } = analyze(
    simulate(model({ cores: 8, threads: [1, 4, 8], gainWith, runMs: 10 })),
  );
  assert.equal(verdict.sentence, 'Threads pay: 3.8 x with 4 threads');
  assert.deepEqual([knee?.threads, knee?.gain.value, gain?.value], [4, 3.75, 3.9]);
});
