/** What the tasks are like, from two measurements: whether they compute or wait, and how many end in a second. */
import type { Measured, WorkerSample } from '../../core/contracts.js';

/** A measurement, and what there was when it was made. */
export interface Sample {
  readonly now: number;
  readonly measured: Measured;
  /** Whether tasks waited and all workers were busy. */
  readonly isFull: boolean;
}

/** What happened between two samples. */
export type Workload = ReturnType<typeof workloadBetween>;

/** The least running time, as a share of the time that passed, that says something about the tasks. */
const MIN_BUSY = 0.2;

export function workloadBetween(before: Sample, after: Sample) {
  return {
    elapsedMs: after.now - before.now,
    completed: after.measured.completed - before.measured.completed,
    share: shareBetween(before, after),
    /** Whether tasks waited and all workers were busy, both times. */
    isFull: before.isFull && after.isFull,
  };
}

/**
 * Share of their time in which the tasks computed, and did not wait for something: 0 to 1. Time without a free core does not count, so it is the
 * same however many threads there are. Undefined where the platform does not tell, or where too little ran.
 */
function shareBetween(before: Sample, after: Sample): number | undefined {
  const elapsedMs = after.now - before.now;
  const earlier = new Map(before.measured.workers.map((worker) => [worker.id, worker]));
  let [usedMs, waitedMs, busyMs] = [0, 0, 0];
  for (const worker of after.measured.workers) {
    const then = earlier.get(worker.id);
    const ms = then === undefined ? 0 : busyBetween(then, worker, elapsedMs);
    if (ms === 0 || then?.cpu === undefined || worker.cpu === undefined) continue;
    busyMs += ms;
    usedMs += worker.cpu.usedMs - then.cpu.usedMs;
    waitedMs += worker.cpu.waitedMs - then.cpu.waitedMs;
  }
  // The running time of tiny tasks is small beside what the worker computes between them, so that time counts, too.
  if (Math.max(busyMs, usedMs) < MIN_BUSY * elapsedMs) return undefined;
  return usedMs === 0 ? 0 : usedMs / Math.max(usedMs, busyMs - waitedMs);
}

/** How many milliseconds a worker ran tasks: the time of those that ended, or all of it if none ended and one went on throughout. */
function busyBetween(then: WorkerSample, now: WorkerSample, elapsedMs: number): number {
  if (now.completed > then.completed) return Math.min(elapsedMs, now.runMs - then.runMs);
  return then.isBusy && now.isBusy ? elapsedMs : 0;
}
