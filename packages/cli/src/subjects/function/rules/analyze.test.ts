import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Samples } from './samples.js';
import { model, simulate } from './simulated.test.fake.js';

test('without a control run the rounds themselves say how noisy it is', () => {
  const samples = simulate(model({ runMs: 10, rounds: 6, controls: 0 }));
  const inline = { ...samples.inline, rate: [80, 100, 100, 100, 100, 120] };
  assert.equal(analyze({ ...samples, inline }).noise, 0.2);
  const control = { before: [90, 100], after: [100, 110] };
  assert.equal(analyze({ ...samples, inline, control }).noise, 0.1);
});

test('says which of several inputs ends the process, or does not let a call settle, where that is known', () => {
  const said = (count: number, behaviour: Partial<Samples['behaviour']>) => {
    const samples = simulate(model());
    return analyze({
      ...samples,
      subject: { ...samples.subject, inputs: { count, used: count, how: '' } },
      behaviour: { ...samples.behaviour, ...behaviour },
    }).verdict.sentence;
  };
  const ended = { exitCode: 7, signal: null };
  assert.equal(
    said(9, { ended, atInput: 3 }),
    'Cannot tell: a call ends its process at input 3 (exit code 7)',
  );
  assert.equal(said(1, { ended, atInput: 1 }), 'Cannot tell: a call ends its process (exit code 7)');
  assert.equal(
    said(9, { neverSettled: 2000, atInput: 3 }),
    'Cannot tell: a call had not settled at input 3 after 2 s',
  );
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

test('does not say of calls that end at once that they hold up the event loop: the analysis makes many of them in a row', () => {
  const samples = simulate(model({ runMs: 0.1, rounds: 6 }));
  const inline = { ...samples.inline, loopDelayMs: [13, 13, 13, 13, 13, 13] };
  const threads = samples.threads.map((of) => ({ ...of, loopDelayMs: [0, 0, 0, 0, 0, 0] }));
  const { reasons } = analyze({ ...samples, inline, threads });
  assert.ok(reasons.every((reason) => !/event loop/.test(reason)));
});

test('the figure of the verdict is that of the number of threads that it names', () => {
  // Eight threads are the fastest, with 3.9 x; four are nearly as fast.
  const gainWith = (threads: number) => ({ 1: 1, 4: 3.75, 8: 3.9 })[threads]!;
  const { verdict, gain, knee } = analyze(
    simulate(model({ cores: 8, threads: [1, 4, 8], gainWith, runMs: 10 })),
  );
  assert.equal(verdict.sentence, 'Threads pay: 3.8 x with 4 threads');
  assert.deepEqual([knee?.threads, knee?.gain.value, gain?.value], [4, 3.75, 3.9]);
});

/** Threads pay from 4 us on; interpolation between 3 and 10 us finds a little more. */
const DEPENDS =
  /^it depends on how much a call does: a call runs for 60 us, and threads begin to pay at about 4.3 us$/;

test('where a verdict for threads would be another with smaller inputs, it says on what it depends', () => {
  const reasonsOf = (runMs: number) => analyze(simulate(model({ runMs }))).reasons;
  assert.match(reasonsOf(0.06).at(-1)!, DEPENDS);
  assert.ok(reasonsOf(50).every((reason) => !/it depends/.test(reason)));
});

test('a fit that nothing tests has no error', () => {
  const withThreads = (threads: number[]) =>
    analyze(simulate(model({ cores: 4, threads, serial: 0.3 }))).amdahl;
  assert.deepEqual(withThreads([1, 2])?.error, undefined);
  assert.ok(withThreads([1, 2, 4])!.error! < 0.01);
});

test('a break-even that does not go with the rest is no part of the verdict, and what does not fit is told', () => {
  // In the model a call of 2.5 us gains 0.77 x with both cores, as the spins show; the function is given 0.3 x.
  const given = { runMs: 0.0025, threads: [1, 2], rounds: 9 };
  const fits = analyze(simulate(model(given)));
  assert.match(fits.verdict.sentence, /they begin to pay at about 4\.3 us a call$/);
  assert.deepEqual(fits.warnings, []);
  const { inline, threads, ...others } = simulate(model(given));
  const slow = threads.map((of) => ({ ...of, rate: inline.rate.map((rate) => 0.3 * rate) }));
  const { verdict, warnings } = analyze({ ...others, inline, threads: slow });
  assert.match(verdict.sentence, /^Don't: .*; threads bring 0\.3 x the calls$/);
  assert.match(
    warnings[0]!,
    /^two figures disagree: threads bring 0\.3 x .*, but 0\.76 x those of a function/,
  );
});
