/** The bar on a terminal. A file of its own, so that its library is loaded only where there is a terminal. */

import { makeBar, WHOLE } from '../bar.js';
import { type Progress, type ProgressOptions, shareOf, stateOf } from './progress-state.js';

export function barProgress({ stream, totals, earlier }: ProgressOptions): Progress {
  const begin = performance.now();
  const hasShare = shareOf(earlier, totals()) !== undefined;
  const bar = makeBar(stream, `${hasShare ? '{bar} {percentage}% ' : ''}{state}`);
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
