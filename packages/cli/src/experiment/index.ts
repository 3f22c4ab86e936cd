/**
 * What others may use of the analysis, as `@threadwise/cli/analysis`: the benchmarks draw their conclusions with the same functions,
 * so that a figure of theirs and one of `threadwise analyze` mean the same.
 */

export { breakEvenOf } from '../subjects/function/rules/break-even.js';
export type { Estimate, Series } from './statistics.js';
export { confidenceOfEach, estimate, noiseOf, ratio } from './statistics.js';
export type { Samples } from '../subjects/function/rules/samples.js';
export { amdahlOf, isTested, kneeOf } from '../subjects/function/rules/scaling.js';
export { bytes, counted, duration, part, perCent, times, timesFromTo } from '../format/figures.js';
