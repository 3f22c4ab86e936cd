/** Grows as soon as tasks wait for a worker, shrinks one by one when workers stay idle. Measures nothing. */
import type { Decision, LoadView, Scaling } from '../../core/contracts.js';

export type Wish = Pick<Decision<unknown>, 'target' | 'why'>;

export const onDemand: Scaling<undefined> = {
  name: 'on-demand',
  initial: undefined,
  decide: (load) => ({
    ...(load.queued > 0 ? grown(load) : (released(load) ?? kept(load))),
    state: undefined,
    isSated: load.current >= load.max,
    againMs: releaseDueMs(load),
  }),
};

function grown(load: LoadView): Wish {
  return { target: load.current + missing(load), why: whoWaits(load) };
}

export function kept(load: LoadView): Wish {
  return { target: load.current, why: 'as many as there is work for' };
}

/** One at a time, so that a load that comes in bursts does not find an empty pool. */
export function released(load: LoadView): Wish | undefined {
  const isReleasable = load.current > load.min && load.idle > 0 && load.longestIdleMs >= load.idleTimeoutMs;
  if (!isReleasable) return undefined;
  return { target: load.current - 1, why: `a worker has been idle for ${Math.round(load.longestIdleMs)} ms` };
}

export function whoWaits({ queued }: LoadView): string {
  return `${queued === 1 ? '1 task waits' : `${queued} tasks wait`} for a worker`;
}

/** How many more workers the waiting tasks could use, beside those that start already or are idle. */
export function missing(load: LoadView): number {
  const wanted = Math.ceil(load.queued / load.tasksPerWorker);
  return Math.max(0, wanted - load.starting - load.idle);
}

/**
 * When the worker that has been idle longest may be released; undefined: none may be. Also while none is idle: a worker
 * to which a task is on its way does not count as idle, and nothing may happen after that task was given to another.
 */
export function releaseDueMs(load: LoadView): number | undefined {
  if (load.current <= load.min || load.idleTimeoutMs === Number.POSITIVE_INFINITY) return undefined;
  return Math.max(1, load.idleTimeoutMs - load.longestIdleMs);
}
