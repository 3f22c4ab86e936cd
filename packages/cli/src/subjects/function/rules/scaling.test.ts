import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Samples } from './samples.js';
import { amdahlOf, fastest, gainsOf, isTested, kneeOf } from './scaling.js';
import { model, simulate } from './simulated.test.fake.js';

/** Samples with these rates by threads, and a rate of 100 calls a second without a pool. */
function curve(rates: Readonly<Record<number, number>>, cores = 4, rounds = 6): Samples {
  const gainWith = (threads: number) => rates[threads]! / 100;
  return simulate(model({ threads: Object.keys(rates).map(Number), gainWith, cores, rounds, runMs: 10 }));
}

function kneeIn(samples: Samples) {
  return kneeOf(samples, gainsOf(samples));
}

test('the knee is the fewest threads that do as well as the best number, but for a twentieth', () => {
  assert.equal(
    kneeIn(curve({ 1: 100, 2: 200, 3: 300, 4: 400 }))?.threads,
    4,
    'no knee: as many as there are',
  );
  assert.equal(kneeIn(curve({ 1: 100, 2: 190, 3: 199, 4: 200 }))?.threads, 2, 'flat from 2 on');
  assert.equal(kneeIn(curve({ 1: 100, 2: 189, 3: 199, 4: 200 }))?.threads, 3, '189 is less than 0.95 x 200');
  assert.equal(
    kneeIn(curve({ 1: 97, 2: 160, 4: 200, 8: 190, 16: 150 }))?.threads,
    4,
    'best at the cores, worse after',
  );
  assert.equal(kneeIn(curve({ 1: 97, 2: 90, 3: 80 }))?.threads, 1, 'the first is the best');
});

test('the knee loses no more than a twentieth however many threads it saves', () => {
  const { threads, gain } = kneeIn(curve({ 4: 100, 8: 130, 16: 160 }))!;
  assert.equal(threads, 16);
  assert.ok(Math.abs(gain.value - 1.6) < 1e-9);
});

test('of numbers of threads that are as fast the smaller is the best, in whatever order they come', () => {
  const { threads } = curve({ 1: 100, 2: 200, 3: 200 });
  assert.equal(fastest({ threads: threads.toReversed() })?.threads, 2);
});

test('a number of threads for which there was time only once is not the best, and hides no other', () => {
  const { threads, ...others } = curve({ 1: 100, 2: 200, 4: 220 });
  const short = threads.map((of) => (of.threads === 4 ? { ...of, rate: of.rate.slice(0, 1) } : of));
  assert.equal(fastest({ threads: short })?.threads, 2);
  const samples = { ...others, threads: short };
  assert.equal(kneeIn(samples)?.threads, 2);
  assert.match(analyze(samples).verdict.sentence, /^Threads pay: 2 x with 2 threads/);
});

test('has no knee where nothing was measured, or only once', () => {
  assert.equal(fastest({ threads: [] }), undefined);
  const samples = curve({ 1: 100, 2: 200 });
  assert.equal(kneeIn({ ...samples, threads: [] }), undefined);
  assert.equal(
    kneeIn({ ...samples, threads: samples.threads.map((of) => ({ ...of, rate: [] })) }),
    undefined,
  );
  assert.equal(kneeIn(curve({ 1: 100, 2: 200 }, 4, 1)), undefined, 'no interval');
});

test('the intervals of more numbers of threads are wider, for one of them looks good by chance', () => {
  const few = simulate(model({ threads: [2], noise: 0.1, rounds: 12 }));
  const many = { ...few, threads: Array.from({ length: 16 }, () => few.threads[0]!) };
  const [one, other] = [gainsOf(few)[0]!.gain, gainsOf(many)[0]!.gain];
  assert.equal(one.value, other.value);
  assert.ok(other.low < one.low && other.high > one.high);
});

for (const serial of [0, 0.05, 0.2, 0.5, 0.9, 1]) {
  test(`finds a serial part of ${serial} again`, () => {
    const amdahl = (threads: number) => 1 / (serial + (1 - serial) / threads);
    const samples = simulate(model({ threads: [1, 2, 3, 4, 8], gainWith: amdahl, cores: 8 }));
    const { serialShare, error } = amdahlOf(samples)!;
    for (const end of [serialShare.value, serialShare.low, serialShare.high]) {
      assert.ok(Math.abs(end - serial) < 1e-9, `${end}`);
    }
    assert.ok(error < 1e-9);
  });
}

test('fits no threads beyond the cores, which are slow for another reason', () => {
  const { serialShare } = amdahlOf(curve({ 1: 100, 2: 200, 4: 400, 8: 300 }))!;
  assert.ok(serialShare.value < 1e-9);
});

test('fits no threads beyond the quota of a container, either', () => {
  const samples = curve({ 1: 100, 2: 200, 4: 200, 8: 200 }, 8);
  const machine = { ...samples.machine, availableThreads: 2 };
  assert.ok(amdahlOf({ ...samples, machine })!.serialShare.value < 1e-9);
});

test('says by how much a curve is off that is not as G. M. Amdahl has it', () => {
  // One over the speed-ups: 0.5 and 1. s by least squares: (0 x 1/2 + 3/4 x 3/4) / (1/4 + 9/16) = 9/13; the law then says
  // 11/13 and 10/13: off by 9/26 and 3/13.
  const { serialShare, error } = amdahlOf(curve({ 1: 100, 2: 200, 4: 100 }))!;
  assert.ok(Math.abs(serialShare.value - 9 / 13) < 1e-9);
  assert.ok(Math.abs(error - Math.sqrt(((9 / 26) ** 2 + (3 / 13) ** 2) / 2)) < 1e-9);
});

test('a serial part is never more than all, however few the rounds are', () => {
  const rounds = curve({ 1: 100, 2: 100 }, 3);
  const threads = rounds.threads.map((each) =>
    each.threads === 1 ? each : { ...each, rate: [60, 200, 110] },
  );
  const { low, high } = amdahlOf({ ...rounds, threads })!.serialShare;
  assert.ok(low >= 0 && high <= 1, `${low} to ${high}`);
});

test('a fit is tested by two numbers of threads beside one, not by a single one', () => {
  assert.ok(isTested(curve({ 1: 100, 2: 200, 4: 400 })));
  assert.ok(!isTested(curve({ 1: 100, 2: 200 }, 2)));
});

test('fits nothing where there is nothing to compare', () => {
  assert.equal(amdahlOf(curve({ 1: 100 })), undefined);
  assert.equal(amdahlOf(curve({ 2: 100, 4: 200 })), undefined, 'one thread was not measured');
  assert.equal(amdahlOf(curve({ 1: 100, 2: 90 }, 1)), undefined, 'one core');
  assert.equal(amdahlOf(curve({ 1: 100, 2: 190 }, 4, 1)), undefined, 'no interval');
  assert.equal(amdahlOf(curve({ 1: 100, 2: 190 }, 4, 2)), undefined, 'two rounds agree by chance');
  assert.equal(amdahlOf(curve({ 1: 100, 2: 0 })), undefined, 'nothing ended');
});
