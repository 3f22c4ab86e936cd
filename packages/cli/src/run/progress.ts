/** Shows how far a run is, on standard error: a bar on a terminal, plain lines otherwise, or nothing. */

import { type Progress, type ProgressOptions, stateOf } from './progress-state.js';

const LINE_INTERVAL_MS = 2000;

export async function createProgress(options: ProgressOptions): Promise<Progress> {
  if (options.style === 'none') return { update() {}, stop() {} };
  if (options.style === 'lines') return lineProgress(options);
  const { barProgress } = await import('./progress-bar.js');
  return barProgress(options);
}

function lineProgress({ stream, totals, earlier }: ProgressOptions): Progress {
  const begin = performance.now();
  let counts = earlier;
  const timer = setInterval(() => {
    stream.write(`${stateOf(counts, earlier, totals(), performance.now() - begin)}\n`);
  }, LINE_INTERVAL_MS);
  timer.unref();
  return {
    update(newest) {
      counts = newest;
    },
    stop: () => clearInterval(timer),
  };
}
