/** Whatever was measured, or was not: the analysis gives findings, and they are plain JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { maybe, samplesOf } from '../report/findings.arbitrary.test.fake.js';
import { analyze } from './analyze.js';
import type { Findings } from './analyze.js';
import type { Samples } from './samples.js';
import { WELL_BEHAVED } from './simulated.test.fake.js';

const figure = fc.oneof(
  fc.constantFrom(0, 1, 1e-9, 1e12, 1e300, Number.MIN_VALUE),
  fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value + 0),
);
const end = maybe(fc.record({ exitCode: fc.option(fc.nat(255)), signal: fc.option(fc.constant('SIGKILL')) }));
const behaviour: fc.Arbitrary<Samples['behaviour']> = fc.oneof(
  fc.constant(WELL_BEHAVED),
  fc.constant({ ...WELL_BEHAVED, returnsPromise: true }),
  fc.record({
    returnsPromise: fc.boolean(),
    failures: fc.record({ calls: fc.nat(9), failed: fc.nat(9), first: maybe(fc.string()) }),
    neverSettled: maybe(figure),
    ended: end,
    atInput: maybe(fc.nat(9)),
    endedInWorker: end,
    failsInWorker: maybe(fc.string()),
    repeats: fc.constantFrom('same', 'different', 'unknown'),
    remembers: fc.boolean(),
    changesItsArgument: fc.boolean(),
    plainClasses: fc.array(fc.constantFrom('Point', 'Money')),
    uncloneable: fc.record({ argument: maybe(fc.string()), result: maybe(fc.string()) }),
    hasSetup: fc.boolean(),
    returnsStream: fc.boolean(),
  }),
);

const anySamples = samplesOf(figure, behaviour);

const RUNS = { numRuns: 5000 };

test('says something of everything, in plain JSON', () => {
  fc.assert(
    fc.property(anySamples, (samples) => {
      const findings = analyze(samples);
      assert.deepEqual(JSON.parse(JSON.stringify(findings)), withoutUndefined(findings));
      assert.ok(findings.verdict.sentence.length > 10);
    }),
    RUNS,
  );
});

test('no sentence has a figure that is none', () => {
  fc.assert(
    fc.property(anySamples, (samples) => {
      const { verdict, reasons, alternatives } = analyze({
        ...samples,
        behaviour: WELL_BEHAVED,
        skipped: [],
      });
      for (const sentence of [verdict.sentence, ...reasons, ...alternatives.map((each) => each.sentence)]) {
        assert.doesNotMatch(sentence, /NaN|Infinity|∞|undefined|null/);
      }
    }),
    RUNS,
  );
});

test('each interval holds its value', () => {
  fc.assert(
    fc.property(anySamples, (samples) => {
      for (const { value, low, high } of estimatesOf(analyze(samples))) {
        assert.ok(low <= value && value <= high, `${low} <= ${value} <= ${high}`);
      }
    }),
    RUNS,
  );
});

test('a missing number is nothing that was measured', () => {
  fc.assert(
    fc.property(anySamples, (samples) => {
      const broken = {
        ...samples,
        inline: { ...samples.inline, rate: [Number.NaN, Number.POSITIVE_INFINITY] },
      };
      const { gain, knee } = analyze(broken);
      assert.deepEqual([gain, knee], [undefined, undefined]);
    }),
    { numRuns: 500 },
  );
});

function estimatesOf({ breakEven, knee, amdahl, alternatives, gain }: Findings) {
  const { runMs, inputBytes, calls } = breakEven;
  return [
    runMs,
    inputBytes,
    calls,
    knee?.gain,
    amdahl?.serialShare,
    gain,
    ...alternatives.map((each) => each.gain),
  ].filter((each) => each !== undefined);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutUndefined(each)]));
}
