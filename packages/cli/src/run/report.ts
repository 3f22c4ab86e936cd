/** The numbers of a finished run, as the summary and the hints read them. */

import { type Counts, minus } from './counts.js';
import type { InlineSample } from './inline-sample.js';

export interface Report {
  /** What inputs are called: files, lines, values, numbers. */
  readonly unit: string;
  readonly end: 'complete' | 'failed' | 'interrupted';
  readonly counts: Counts;
  /** Of these, what earlier runs of the journal did. */
  readonly earlier: Counts;
  readonly failed: number;
  readonly threads: number;
  /** From creating the pool to the last result. */
  readonly elapsedMs: number;
  /** Of this, until the workers had loaded the module. */
  readonly startMs: number;
  readonly inline: InlineSample | undefined;
}

export interface SpeedUp {
  /** How long the main thread alone would have taken. */
  readonly inlineMs: number;
  /** That against the whole run, and against the run without the start of the threads. */
  readonly whole: number;
  readonly started: number;
}

/** Undefined if it was not measured. */
export function speedUpOf({ inline, counts, earlier, elapsedMs, startMs }: Report): SpeedUp | undefined {
  const { inputs } = minus(counts, earlier);
  if (inline === undefined || inline.inputs === 0 || inputs === 0) return undefined;
  const inlineMs = inline.estimateMs(inputs);
  return { inlineMs, whole: inlineMs / elapsedMs, started: inlineMs / (elapsedMs - startMs) };
}
