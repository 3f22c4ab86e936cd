/**
 * What others may use of the analysis, as `@threadwise/cli/analysis`: the benchmarks draw their conclusions with the same functions,
 * so that a figure of theirs and one of `threadwise analyze` mean the same.
 */

export { breakEvenOf } from './break-even.js';
export type { Estimate } from './findings.js';
export { confidenceOfEach, estimate, noiseOf, ratio } from './intervals.js';
export type { Samples, Series } from './samples.js';
export { amdahlOf, isTested, kneeOf } from './scaling.js';
export { bytes, counted, duration, part, perCent, times, timesFromTo } from './words.js';
