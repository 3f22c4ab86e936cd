/** The bar on a terminal. A file of its own, so that its library is loaded only where there is a terminal. */

import cliProgress from 'cli-progress';
import { type Progress, type ProgressOptions, shareOf, stateOf } from './progress-state.js';

/** The bar counts in thousandths, whether the share is one of inputs or of bytes. */
const WHOLE = 1000;

export function barProgress({ stream, totals, earlier }: ProgressOptions): Progress {
  const begin = performance.now();
  const hasShare = shareOf(earlier, totals()) !== undefined;
  const bar = new cliProgress.SingleBar({
    format: `${hasShare ? '{bar} {percentage}% ' : ''}{state}`,
    stream,
    barsize: 28,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    hideCursor: true,
    // Its own SIGINT handler would end the process; ours finishes what runs.
    gracefulExit: false,
  });
  let counts = earlier;
  const value = (): number => WHOLE * (shareOf(counts, totals()) ?? 0);
  const state = (): string => stateOf(counts, earlier, totals(), performance.now() - begin);
  bar.start(WHOLE, value(), { state: state() });
  return {
    update(newest) {
      counts = newest;
      bar.update(value(), { state: state() });
    },
    stop: () => bar.stop(),
  };
}
