import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBusy } from '../../../experiment/rules.js';
import { analyze } from './analyze.js';
import { byCpuTime, onFreeCores } from './busy.js';
import type { Samples } from './samples.js';
import { type Model, model, simulate } from './simulated.test.fake.js';

/** Findings where other programs had this share of the cores, and threads this gain. */
function shared(changes: Partial<Model>, othersShare: number, gain: number, machine = {}) {
  const samples = simulate(model(changes));
  const threads = samples.threads.map((of) => ({
    ...of,
    rate: samples.inline.rate.map((rate) => gain * rate),
  }));
  return analyze({ ...samples, threads, machine: { ...samples.machine, othersShare, ...machine } });
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
      'Cannot tell: other programs had 50 % of the cores while it was measured: threads brought 0.8 x the calls. What would tell: a quieter machine, or more time (`--budget 3m`)',
  });
  assert.equal(shared({ runMs: 1 }, 0.01, 0.8).verdict.answer, 'inline');
});

test('beside other programs, a CPU quota of less than two cores is no reason against threads: it may be nearly two', () => {
  const answerOf = (runMs: number, cores: number) =>
    shared({ runMs }, 0.5, 0.8, { cores, availableThreads: 1 }).verdict.answer;
  for (const runMs of [0.5, 14]) {
    assert.equal(answerOf(runMs, 2), 'unknown');
    assert.equal(answerOf(runMs, 1), 'inline', 'one core');
  }
});

test('where others had little, half of what crossing costs decides', () => {
  const answerOf = (runMs: number, crossingMs: number) =>
    shared({ runMs, crossingMs, mainMs: crossingMs / 2 }, 0.2, 0.3).verdict.answer;
  // The largest gains are 2 x 10 / (10 + 30 / 2), and 2 x 10 / (10 + 10 / 2).
  assert.equal(answerOf(0.01, 0.03), 'inline');
  assert.equal(answerOf(0.01, 0.01), 'unknown');
});

test('where they had much, only a call that no crossing pays for', () => {
  const answerOf = (runMs: number, more: Partial<Model> = {}) =>
    shared({ runMs, crossingMs: 0.05, mainMs: 0.02, ...more }, 0.6, 0.1).verdict.answer;
  // Largest gains on two cores: 2 x 0.6 / 1.6 at 0.6 us; with half of the crossing that was seen, 2 x 20 / 45 at 20 us, 2 x 40 / 65 at 40.
  assert.equal(answerOf(0.0006), 'inline');
  assert.equal(answerOf(0.02), 'inline');
  assert.equal(answerOf(0.04), 'unknown');
  // With any number of cores, no more than the calling thread can hand over: 0.6 us / 0.6 us.
  assert.equal(answerOf(0.0006, { cores: 8, threads: [1, 2, 8] }), 'inline');
  assert.equal(answerOf(0.02, { cores: 8, threads: [1, 2, 8] }), 'unknown');
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

test('a call that computes does not wait, also where other programs came only after the measurement had begun', () => {
  const crowded = (changes: Partial<Model>) => {
    const samples = simulate(model({ isPromise: true, others: 12, ...changes }));
    return analyze({ ...samples, machine: { ...samples.machine, loadBefore: 0 } }).verdict.answer;
  };
  assert.notEqual(crowded({ runMs: 5 }), 'async');
  assert.equal(crowded({ runMs: 5, computing: 0.01 }), 'async');
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

/** The verdict where other programs have one of two cores, threads wait for it, and rates differ from round to round. */
function beside(
  changes: Partial<Model>,
  rates: readonly number[],
  wantedCores: number,
  cpuMs?: readonly number[],
) {
  const samples = simulate(model({ crossingMs: 0.006, rounds: 6, ...changes }));
  const threads = samples.threads.map((of) => ({
    ...of,
    rate: samples.inline.rate.map((rate, round) => rate * rates[round]!),
    wantedCores: samples.inline.rate.map(() => Math.min(of.threads, wantedCores)),
    ...(of.threads > 1 && cpuMs !== undefined ? { cpuMs } : {}),
  }));
  const { verdict, recommended } = analyze({
    ...samples,
    threads,
    machine: { ...samples.machine, othersShare: 0.5 },
  });
  return { ...verdict, recommended };
}

const STRADDLES = [0.8, 0.9, 1, 1.1, 1.3, 1.5];

test('on a busy machine the CPU time decides, as an estimate that says so', () => {
  const { answer, isLikely, sentence, recommended } = beside({ runMs: 14 }, STRADDLES, 2);
  assert.match(
    sentence,
    /^Likely, threads pay: a call computes 14 ms, a crossing costs 6 us: about 2 x on 2 free cores \(here [\d.]+ to [\d.]+ x with 2 threads\)$/,
  );
  assert.deepEqual([answer, isLikely, recommended], ['threads', true, { threads: 2 }]);
});

test('of a long call it names the crossing as it was measured by itself, and not a difference that is noise', () => {
  const { sentence } = beside({ runMs: 14 }, STRADDLES, 2, [14.4, 14.5, 14.6, 14.4, 14.5, 14.6]);
  assert.match(sentence, /a call computes 14 ms, a crossing costs 6 us: about 1\.9 x on 2 free cores/);
});

test('where a crossing by itself was measured as far dearer, what it names is the least that a crossing costs', () => {
  const cpuMs = [14.01, 14.02, 14.01, 14.02, 14.01, 14.02];
  const { sentence } = beside({ runMs: 14, crossingMs: 0.1 }, STRADDLES, 2, cpuMs);
  assert.match(sentence, /a call computes 14 ms, a crossing costs at least 10 us: about 2 x on 2 free cores/);
});

test('several threads that get more of a core that others have as well are no gain, if only one works at a time', () => {
  const { answer } = beside({ runMs: 14, others: 4 }, Array(6).fill(2), 1.4);
  assert.equal(answer, 'unknown');
});

test('more than free cores could give is not promised: part of it was taken from other programs', () => {
  const { sentence } = beside({ runMs: 14 }, Array(6).fill(3.5), 2);
  assert.match(
    sentence,
    /^Likely, threads pay: .*: about 2 x on 2 free cores \(here 3\.5 x with 2 threads\)$/,
  );
});

test('that holds also where the CPU time of a call varies so much that it would allow such a gain', () => {
  const cpuMs = [7.5, 14.1, 14, 14.1, 14, 14.1];
  const { sentence } = beside({ runMs: 14, threads: [2] }, Array(6).fill(3.5), 2, cpuMs);
  assert.match(
    sentence,
    /^Likely, threads pay: .*: about 2 x on 2 free cores \(here 3\.5 x with 2 threads\)$/,
  );
});

test('of threads that did not want the cores which others had, it says nothing: they wait for each other', () => {
  assert.equal(beside({ runMs: 14 }, STRADDLES, 1.4).answer, 'unknown');
});

test('nor where hardly any two calls ran at a time: what they cost then, nobody has seen', () => {
  assert.equal(beside({ runMs: 14 }, [0.8, 0.85, 0.9, 0.95, 1, 1.02], 2).answer, 'unknown');
});

test('nor where they brought much less than the calling thread alone: it is not the cores that they lack', () => {
  const less = STRADDLES.map((rate) => 0.7 * rate);
  assert.equal(beside({ runMs: 14 }, less, 2).answer, 'unknown');
});

test('but more threads than cores may show what threads bring, where they get more of the cores beside others', () => {
  const samples = simulate(model({ runMs: 14, crossingMs: 0.006, rounds: 6, threads: [1, 2, 4] }));
  // A call takes 18 ms with threads, so that four had 1.2 cores and more.
  const foundWith = (gains: Readonly<Record<number, number>>) => {
    const threads = samples.threads.map((of) => ({
      ...of,
      rate: samples.inline.rate.map((rate) => rate * gains[of.threads]!),
      cpuMs: samples.inline.cpuMs.map(() => 18),
      wantedCores: samples.inline.rate.map(() => of.threads),
    }));
    return analyze({ ...samples, threads, machine: { ...samples.machine, othersShare: 0.5 } });
  };
  const { verdict, recommended } = foundWith({ 1: 0.75, 2: 0.95, 4: 1.05 });
  assert.match(
    verdict.sentence,
    /^Likely, threads pay: a call computes 14 ms, with threads 18 ms: about 1\.6 x on 2 free cores \(here 0\.95 x with 2/,
  );
  assert.deepEqual(recommended, { threads: 2 });
  assert.equal(foundWith({ 1: 0.75, 2: 0.95, 4: 0.98 }).verdict.answer, 'unknown');
});

test('calls that get dearer as more of them run at a time do not pay, however cheap they are when one runs', () => {
  // A call takes 15 ms with few cores, but three times its 14 ms with most of them: 2 / 3 of the calls.
  const rates = [0.9, 0.95, 1.05, 0.5, 0.51, 0.5];
  const { answer, sentence } = beside({ runMs: 14 }, rates, 2, [15, 15, 15, 42, 42, 42]);
  assert.equal(answer, 'inline');
  assert.match(
    sentence,
    /^Likely, threads do not pay: a call computes 14 ms, with threads 42 ms: about 0\.67 x on 2 free cores/,
  );
});

test('where threads brought more calls even so, it is not said that they do not pay', () => {
  const rates = [1.2, 1.3, 1.25, 0.5, 0.51, 1.1];
  const { answer } = beside({ runMs: 14 }, rates, 2, [15, 15, 15, 42, 42, 42]);
  assert.equal(answer, 'unknown');
});

test('nor where the CPU time of a call without threads changes from round to round, and the estimate is near', () => {
  const answerOf = (factors: readonly number[]) => {
    const samples = simulate(model({ runMs: 14, crossingMs: 0.006, rounds: 6 }));
    const cpuMs = samples.inline.cpuMs.map((ms, round) => ms * factors[round]!);
    const threads = samples.threads.map((of) => ({
      ...of,
      rate: samples.inline.rate.map((rate) => 0.9 * rate),
      wantedCores: samples.inline.rate.map(() => of.threads),
      cpuMs: cpuMs.map((ms) => (of.threads === 1 ? ms : ms / 0.52)), // 1.04 x on two cores
    }));
    const inline = { ...samples.inline, cpuMs };
    return analyze({ ...samples, inline, threads, machine: { ...samples.machine, othersShare: 0.5 } }).verdict
      .answer;
  };
  assert.equal(answerOf([1, 1, 1, 1, 1, 1]), 'inline');
  assert.equal(answerOf([1, 1.3, 0.8, 1.2, 0.9, 1]), 'unknown');
});

test('what slows all calls down for a while says nothing about threads: each round is compared with itself', () => {
  // The memory is three times slower in half of the rounds, for calls with threads and for calls without.
  const samples = simulate(model({ runMs: 14, crossingMs: 0.006, rounds: 6 }));
  const slower = (series: readonly number[]) => series.map((ms, round) => (round < 4 ? ms : 3 * ms));
  const inline = { ...samples.inline, cpuMs: slower(samples.inline.cpuMs) };
  const threads = samples.threads.map((of) => ({ ...of, cpuMs: slower(of.cpuMs) }));
  const { value, low } = onFreeCores({ ...samples, inline, threads })!.gain;
  assert.ok(value > 1.99 && low > 1.99, `${low} to ${value}`);
});

test('on one core no call is said to be shorter than a crossing that is not', () => {
  const {
    verdict: { sentence },
  } = shared({ runMs: 1, cores: 1, threads: [1, 2] }, 0.5, 0.8);
  assert.doesNotMatch(sentence, /to hand a call over takes longer/);
});

test('a function that uses all cores without a pool gains nothing on free cores, though a call computes no longer in a pool', () => {
  const samples = simulate(model({ runMs: 3 }));
  const each = (figure: number) => samples.inline.rate.map(() => figure);
  // Four threads of libuv want a core; other programs leave them one and a half.
  const inline = { ...samples.inline, rate: each(1500 / 3), wantedCores: each(3.5) };
  const threads = samples.threads.map((of) => ({ ...of, rate: each(1520 / 3) }));
  const given = { ...samples, inline, threads, machine: { ...samples.machine, othersShare: 0.2 } };
  const { verdict } = analyze(given);
  assert.equal(verdict.answer, 'inline', verdict.sentence);
  const { gain, pooledMs } = onFreeCores(given)!;
  assert.ok(gain.high <= 1 && pooledMs >= 3, `${gain.high} times the calls, ${pooledMs} ms`);
});
