/** Grows as soon as tasks wait for a worker, shrinks one by one when workers stay idle. */
import type { LoadView, Scaling } from '../../core/contracts.js';

export const onDemand: Scaling = {
  name: 'on-demand',
  target: (load) => {
    if (load.queued > 0) return load.current + missing(load);
    const isReleasable = load.current > load.min && load.idle > 0 && load.longestIdleMs >= load.idleTimeoutMs;
    return isReleasable ? load.current - 1 : load.current;
  },
};

/** How many more workers the waiting tasks could use, beside those that start already or are idle. */
function missing(load: LoadView): number {
  const wanted = Math.ceil(load.queued / load.tasksPerWorker);
  return Math.max(0, wanted - load.starting - load.idle);
}
