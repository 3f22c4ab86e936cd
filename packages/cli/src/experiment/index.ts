/** What `@threadwise/cli/analysis` exports: benchmarks conclude with the same functions, so that their figures mean the same as the command's. */

export { breakEvenOf } from '../subjects/function/rules/break-even.js';
export type { Estimate, Series } from './statistics.js';
export { estimate, noiseOf, ratio } from './statistics.js';
export { amdahlOf, isTested, kneeOf } from '../subjects/function/rules/scaling.js';
export { bytes, counted, duration, part, perCent, times, timesFromTo } from '../format/figures.js';
export { inColumns } from '../format/text.js';
