/** What is being measured, and how much of the time has passed: a line that is overwritten, on a terminal only. */

import { makeBar, WHOLE } from '../bar.js';

export interface Step {
  readonly what: string;
  /** Of the budget, 0 to 1. */
  readonly done: number;
}

export interface AnalysisProgress {
  progress(step: Step): void;
  stop(): void;
}

/** @param stream undefined: nothing is shown */
export function openProgress(stream: NodeJS.WriteStream | undefined): AnalysisProgress {
  if (stream?.isTTY !== true) return { progress: () => {}, stop: () => {} };
  const bar = makeBar(stream, '{bar} {percentage}% {what}');
  bar.start(WHOLE, 0, { what: 'starting' });
  return {
    progress: ({ what, done }) => bar.update(Math.min(WHOLE, Math.round(done * WHOLE)), { what }),
    stop: () => bar.stop(),
  };
}
