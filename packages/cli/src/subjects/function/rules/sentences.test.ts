/** Whatever was measured, no sentence says what the figures beside it contradict. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { estimate, ratio } from '../../../experiment/statistics.js';
import { figureOf } from '../../../format/figures.js';
import { functionReport } from '../report/report.js';
import { analyze } from './analyze.js';
import type { Samples, VariantSamples } from './samples.js';
import { gainsOf } from './scaling.js';
import { type Model, model, simulate } from './simulated.test.fake.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Functions and machines of all kinds, quiet and busy, and other ways of calling that bring more or less. */
const anyMeasured: fc.Arbitrary<Samples> = fc
  .record({
    cores: fc.constantFrom(1, 2, 4, 8),
    run: share,
    computing: fc.constantFrom(1, 1, 0.7, 0.35, 0.05),
    isPromise: fc.boolean(),
    serial: fc.constantFrom(0, 0, 0.3, 0.9),
    memory: fc.constantFrom(Number.POSITIVE_INFINITY, 1.4),
    noise: fc.constantFrom(0, 0.05, 0.3),
    others: fc.constantFrom(0, 0, 0.5, 1.5),
    rounds: fc.integer({ min: 1, max: 12 }),
    seed: fc.nat(1e6),
    isCut: fc.boolean(),
    ways: fc.array(fc.record({ name: fc.constantFrom('auto', 'batch', 'read'), gain: share }), {
      maxLength: 2,
    }),
  })
  .map(({ cores, run, others, isCut, ways, ...rest }) => {
    const threads = [...new Set([1, 2, cores, 2 * cores])].toSorted((a, b) => a - b);
    const changes: Partial<Model> = {
      ...rest,
      cores,
      threads,
      runMs: 0.001 * 1e4 ** run,
      others: others * cores,
    };
    const samples = simulate(model(changes));
    const variants = ways.map(({ name, gain }): VariantSamples => ({
      ...samples.threads.at(-1)!,
      name: name as VariantSamples['name'],
      size: 16,
      rate: samples.inline.rate.map((rate) => 4 * gain * rate),
    }));
    return { ...samples, variants, threads: isCut ? samples.threads.slice(0, 2) : samples.threads };
  });

const RUNS = { numRuns: 1500 };
const rateOf = (samples: Samples, threads: number | undefined): number =>
  figureOf(samples.threads.find((of) => of.threads === threads)?.rate)?.value ?? 0;

test('what is recommended is quoted by the verdict, and does better in its own table than the calling thread; what loses is not', () => {
  fc.assert(
    fc.property(anyMeasured, (samples) => {
      const findings = analyze(samples);
      const { recommended, verdict, alternatives } = findings;
      const code = functionReport(findings).recommended?.code(80) ?? [];
      assert.equal(code.length > 0, recommended.threads !== undefined);
      if (recommended.threads === undefined) return;
      const isOther = alternatives.some((each) => each.changesVerdict);
      assert.ok(verdict.answer === 'threads' || isOther, verdict.sentence);
      const rows = isOther || recommended.placement === 'auto' ? samples.variants : samples.threads;
      const best = Math.max(
        ...rows
          .filter(({ threads }) => threads === recommended.threads)
          .map(({ rate }) => ratio(rate, samples.inline.rate)?.value ?? 0),
      );
      // A verdict about free cores may be given where other programs had so many that threads did no better.
      assert.ok(
        best > 1 || (verdict.isLikely === true && / free cores /.test(verdict.sentence)),
        verdict.sentence,
      );
      if (!isOther && recommended.placement === undefined) {
        assert.ok(verdict.sentence.includes(`with ${String(recommended.threads)} thread`), verdict.sentence);
      }
    }),
    RUNS,
  );
});

test('more threads are said to bring nothing, or little, only where they were tried and did', () => {
  fc.assert(
    fc.property(anyMeasured, (samples) => {
      const findings = analyze(samples);
      const text = JSON.stringify(functionReport(findings).sections());
      const beyond = /More than ([\d,]+) threads? brought (?:no more|at most (\d+) % more)/.exec(text);
      const limit = findings.limits.find(({ name }) => name === 'none')?.why ?? '';
      const none = /^more than (\d+) threads? did not do more/.exec(limit);
      for (const [said, most] of [
        [beyond?.[1], Number(beyond?.[2] ?? 0)],
        [none?.[1], 0],
      ] as const) {
        if (said === undefined) continue;
        const more = samples.threads.filter(({ threads }) => threads > Number(said));
        assert.ok(more.length > 0, text);
        for (const { threads } of more) {
          const brought = rateOf(samples, threads) / rateOf(samples, Number(said)) - 1;
          assert.ok(brought <= (most + 0.6) / 100, `${threads}: ${brought}, ${most}`);
        }
      }
    }),
    RUNS,
  );
});

test('no number of threads is said to be out of reach that was reached', () => {
  fc.assert(
    fc.property(anyMeasured, (samples) => {
      for (const { name, why } of analyze(samples).limits) {
        const said = /makes it more than ([\d.]+) times as fast/.exec(why);
        if (name !== 'serial-part' || said === null) continue;
        const most = Math.max(...samples.threads.map(({ threads }) => rateOf(samples, threads)));
        assert.ok(most / rateOf(samples, 1) <= Number(said[1]) + 0.05, why);
      }
    }),
    RUNS,
  );
});

test('what waits has no figure that says threads pay, and an interval on one side of one has a direction', () => {
  fc.assert(
    fc.property(anyMeasured, (samples) => {
      const findings = analyze(samples);
      const { verdict, gain } = findings;
      const keys = functionReport(findings).keys?.map(([name]) => name) ?? [];
      if (verdict.answer === 'async') {
        assert.ok(!keys.some((name) => /threads/.test(name)), String(keys));
        assert.deepEqual(findings.recommended, { placement: 'inline' });
      }
      if (verdict.answer !== 'unknown' || gain === undefined || samples.behaviour.returnsPromise) return;
      const isBusy = samples.machine.othersShare !== undefined;
      const rounds = Math.min(samples.inline.rate.length, ...samples.threads.map(({ rate }) => rate.length));
      const isTried = samples.threads.some(({ threads }) => threads === samples.machine.cores);
      const isWide = gain.high > 1.25 && gain.value < 1.1;
      // Calls that block their thread may gain with more threads than were tried.
      const isBlocking =
        (estimate(samples.inline.cpuMs)?.value ?? 0) < 0.6 * (samples.inline.callMs?.p50 ?? 0);
      if (isBusy || rounds < 3 || !isTried || isWide || isBlocking) return;
      const isBelow = gainsOf(samples).every((each) => each.gain.high < 1);
      assert.ok(!(gain.low > 1) && !isBelow, `${verdict.sentence} ${JSON.stringify(gain)}`);
    }),
    RUNS,
  );
});
