/** The seams: what the core asks of the other parts. Every seam has a conformance suite (`*.case.ts`) that all its implementations run. */
export type * from './contracts/board.js';
export type * from './contracts/dispatch.js';
export type * from './contracts/module.js';
export type * from './contracts/platform.js';
export type * from './contracts/policy.js';
export type * from './contracts/transport.js';
export type { Bucket, Distribution } from '../metrics/histogram.js';
export type { RecentTimes } from '../metrics/recent.js';
export type { FunctionCounts, LastError } from '../metrics/functions.js';
export type { MeasuredRecorder as Recorder, Outcome, WorkerRecord } from '../metrics/measured.js';
