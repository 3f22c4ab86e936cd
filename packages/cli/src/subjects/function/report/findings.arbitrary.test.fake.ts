/** Arbitrary samples and findings for property tests: empty series, figures that are NaN or infinite, texts of any characters. */
import fc from 'threadwise-test/fast-check';
import type { Findings } from '../rules/analyze.js';
import type { Answer } from '../rules/verdict.js';
import { POOL_SERIES, type Samples } from '../rules/samples.js';
import { WELL_BEHAVED } from '../rules/simulated.test.fake.js';
import { fakeFindings } from './findings.test.fake.js';

/** What a view must never show. */
export const NO_FIGURE = /NaN|undefined|Infinity|∞|\[object|\bnull\b/;

export const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(of, { nil: undefined });
const few = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { maxLength: 6 });
const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((each) => !NO_FIGURE.test(each));
const threads = fc.integer({ min: 1, max: 300 });

/** @param figure any that is measured */
export function samplesOf(
  figure: fc.Arbitrary<number>,
  behaviour: fc.Arbitrary<Samples['behaviour']> = fc.constant(WELL_BEHAVED),
): fc.Arbitrary<Samples> {
  const series = fc.array(figure, { maxLength: 12 });
  const spread = fc.record({
    count: fc.nat(),
    mean: figure,
    p50: figure,
    p90: figure,
    p99: figure,
    max: figure,
  });
  const ofPool = Object.fromEntries(POOL_SERIES.map((name) => [name, series])) as Record<
    (typeof POOL_SERIES)[number],
    typeof series
  >;
  const way = { name: fc.constantFrom('auto', 'batch', 'lease', 'read'), size: fc.nat(64) };
  const inputs = fc.record({ count: fc.nat(), used: fc.nat(), how: text });
  const samples = {
    subject: fc.record({ module: text, export: text, inputs }),
    machine: fc.record({
      cpu: text,
      cores: threads,
      availableThreads: threads,
      memoryBytes: fc.nat(),
      node: text,
      platform: text,
      loadBefore: fc.double({ min: 0, max: 1000, noNaN: true }),
    }),
    behaviour,
    inline: fc.record({
      coldMs: maybe(figure),
      callMs: maybe(spread),
      rate: series,
      cpuMs: series,
      loopDelayMs: series,
      garbageShare: series,
      wantedCores: series,
      bytesIn: maybe(spread),
      bytesOut: maybe(spread),
      bySize: few(fc.record({ bytes: figure, ms: series })),
      residentBytes: maybe(figure),
    }),
    threads: few(fc.record({ threads, ...ofPool })),
    variants: few(fc.record({ threads, ...ofPool, ...way })),
    crossings: few(
      fc.record({ transport: fc.constantFrom('shared', 'message'), cpuMs: series, loneMs: series }),
    ),
    spins: few(fc.record({ runMs: figure, inline: series, pool: series })),
    cores: few(fc.record({ cores: threads, threads, rate: series })),
    start: maybe(fc.record({ readyMs: series, bytesPerThread: series })),
    control: fc.record({ before: series, after: series }),
    skipped: few(fc.record({ what: text, why: text })),
    isCutShort: fc.boolean(),
  };
  return fc.record(samples) as fc.Arbitrary<Samples>;
}

/** Below the largest number, so that a percentage of it is still finite. */
const figure = fc.oneof(
  fc.double({ min: -1e300, max: 1e300 }),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN, 0, Number.MIN_VALUE, 1e300),
  fc.double({ min: 0, max: 1e9 }),
);
const estimate = fc.record({ value: figure, low: figure, high: figure });
const answer = fc.constantFrom<Answer>('threads', 'inline', 'async', 'unknown');

export const anyFindings: fc.Arbitrary<Findings> = fc
  .record({
    verdict: fc.record({ answer, sentence: text }),
    reasons: few(text),
    warnings: few(text),
    breakEven: fc.record({ runMs: maybe(estimate), inputBytes: maybe(estimate), calls: maybe(estimate) }),
    knee: maybe(fc.record({ threads, gain: estimate })),
    amdahl: maybe(fc.record({ serialShare: estimate, error: figure })),
    gain: maybe(estimate),
    noise: maybe(figure),
    samples: samplesOf(figure),
  })
  .map((changes) => fakeFindings(changes));
