/** Arbitrary findings for property tests: empty series, figures that are NaN or infinite, texts of any characters. */
import fc from 'threadwise-test/fast-check';
import type { Answer, Findings } from '../rules/findings.js';
import { fakeFindings, fakeSamples } from './findings.test.fake.js';

/** What a view must never show. */
export const NO_FIGURE = /NaN|undefined|Infinity|∞|\[object|\bnull\b/;

const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((each) => !NO_FIGURE.test(each));
/** Below the largest number, so that a percentage of it is still finite. */
const figure = fc.oneof(
  fc.double({ min: -1e300, max: 1e300 }),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN),
);
const series = fc.array(
  fc.oneof(fc.double({ min: 0, max: 1e9 }), figure, fc.constantFrom(0, Number.MIN_VALUE, 1e300)),
  { maxLength: 8 },
);
const estimate = fc.record({ value: figure, low: figure, high: figure });
const some = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const spread = fc.record({
  count: fc.nat(),
  mean: figure,
  p50: figure,
  p90: figure,
  p99: figure,
  max: figure,
});
const threads = fc.integer({ min: 1, max: 300 });
const pool = {
  threads,
  rate: series,
  cpuMs: series,
  loopDelayMs: series,
  mainUtilization: series,
  busyShare: series,
  residentBytes: series,
  wantedCores: series,
};
const few = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { maxLength: 6 });

const samples = fc.record({
  subject: fc.record({
    module: text,
    export: text,
    inputs: fc.record({ count: fc.nat(), used: fc.nat(), how: text }),
  }),
  machine: fc.record({
    cpu: text,
    cores: threads,
    availableThreads: threads,
    memoryBytes: fc.nat(),
    node: text,
    platform: text,
    loadBefore: fc.double({ min: 0, max: 1000, noNaN: true }),
  }),
  behaviour: fc.constant(fakeSamples().behaviour),
  inline: fc.record({
    coldMs: some(figure),
    callMs: some(spread),
    rate: series,
    cpuMs: series,
    loopDelayMs: series,
    garbageShare: series,
    bytesIn: some(spread),
    bytesOut: some(spread),
    bySize: few(fc.record({ bytes: figure, ms: series })),
    residentBytes: some(figure),
  }),
  threads: few(fc.record(pool)),
  variants: few(
    fc.record({ ...pool, name: fc.constantFrom('auto', 'batch', 'lease', 'read'), size: fc.nat() }),
  ),
  crossings: few(
    fc.record({ transport: fc.constantFrom('shared', 'message'), cpuMs: series, loneMs: series }),
  ),
  spins: few(fc.record({ runMs: figure, inline: series, pool: series })),
  cores: few(fc.record({ cores: threads, threads, rate: series })),
  start: some(fc.record({ readyMs: series, bytesPerThread: series })),
  control: fc.record({ before: series, after: series }),
  skipped: few(fc.record({ what: text, why: text })),
  isCutShort: fc.boolean(),
}) as fc.Arbitrary<Findings['samples']>;

const answer = fc.constantFrom<Answer>('threads', 'inline', 'async', 'unknown');

export const anyFindings: fc.Arbitrary<Findings> = fc
  .record({
    verdict: fc.record({ answer, sentence: text }),
    reasons: few(text),
    warnings: few(text),
    breakEven: fc.record({ runMs: some(estimate), inputBytes: some(estimate), calls: some(estimate) }),
    knee: some(fc.record({ threads, gain: estimate })),
    amdahl: some(fc.record({ serialShare: estimate, error: figure })),
    gain: some(estimate),
    noise: some(figure),
    samples,
  })
  .map((changes) => fakeFindings(changes));
