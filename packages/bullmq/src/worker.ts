/** `@threadwise/bullmq/worker`: what a task can do with the job that it runs for. It also works in a pool without a fleet. */
import { task } from 'threadwise/worker';
import type { JobContext } from './machine/running-job.js';

export interface JobHandle {
  /** The job's id: the same in every attempt, so it can serve as the key of what must happen once. Undefined outside a fleet. */
  readonly id: string | undefined;
  /**
   * Which start of this job this is, from 1; always 1 outside a fleet. If it is more than 1, the task may have run before, wholly or in
   * part: its machine died, was shut down or lost its connection, or the task failed and is tried again.
   */
  readonly attempt: number;
  /** Adds a line to the job's log in Redis, which dashboards show. Does nothing outside a fleet. */
  log(line: string): Promise<void>;
  /** Resolves to the results of the job's children in a flow, by key. Empty outside a fleet. */
  children(): Promise<Readonly<Record<string, unknown>>>;
}

const host = task.host as Record<string, (...args: unknown[]) => Promise<unknown>>;

/** The context of the running task; undefined if no service started it. */
function current(): JobContext | undefined {
  const { context } = task;
  const isOurs =
    typeof context === 'object' && context !== null && 'jobId' in context && 'attempt' in context;
  return isOurs ? (context as JobContext) : undefined;
}

/** The job of the running task. */
export const job: JobHandle = Object.freeze({
  get id(): string | undefined {
    return current()?.jobId;
  },
  get attempt(): number {
    return current()?.attempt ?? 1;
  },
  async log(line: string): Promise<void> {
    const id = current()?.jobId;
    if (id !== undefined) await host['job.log']!(id, String(line));
  },
  async children(): Promise<Readonly<Record<string, unknown>>> {
    const id = current()?.jobId;
    return id === undefined ? {} : ((await host['job.children']!(id)) as Record<string, unknown>);
  },
});
