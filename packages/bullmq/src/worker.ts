/** `@threadwise/bullmq/worker`: what a task's code may ask of the job that it runs for. Without a fleet, in a pool of one's own, it works as well. */
import { task } from 'threadwise/worker';
import type { JobContext } from './machine/running-job.js';

export interface JobHandle {
  /** The job's id: the same in every attempt, so the key for what must happen once. Undefined outside of a fleet. */
  readonly id: string | undefined;
  /**
   * Which start of this job this is, from 1. More than 1: it may have been begun before, wholly or in part, on a machine that died, was shut
   * down, or lost its connection; or it failed and is tried again.
   */
  readonly attempt: number;
  /** Adds a line to the job's log in Redis, which dashboards show. Outside of a fleet, nothing happens. */
  log(line: string): Promise<void>;
  /** The results of the job's children in a flow, by key. Empty outside of a fleet. */
  children(): Promise<Readonly<Record<string, unknown>>>;
}

/** The context of the task that runs, if a service made it. */
function current(): JobContext | undefined {
  const { context } = task;
  const isOurs =
    typeof context === 'object' && context !== null && 'jobId' in context && 'attempt' in context;
  return isOurs ? (context as JobContext) : undefined;
}

/** The job of the task that runs. */
export const job: JobHandle = Object.freeze({
  get id(): string | undefined {
    return current()?.jobId;
  },
  get attempt(): number {
    return current()?.attempt ?? 1;
  },
  async log(line: string): Promise<void> {
    const id = current()?.jobId;
    if (id !== undefined) await host('job.log')(id, String(line));
  },
  async children(): Promise<Readonly<Record<string, unknown>>> {
    const id = current()?.jobId;
    return id === undefined ? {} : ((await host('job.children')(id)) as Record<string, unknown>);
  },
});

function host(name: string): (...args: unknown[]) => Promise<unknown> {
  return (task.host as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]!;
}
