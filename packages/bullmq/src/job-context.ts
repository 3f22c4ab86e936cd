/** What goes with a task of a fleet, as its `task.context`. Written by the service, read in the worker. */

export interface JobContext {
  readonly jobId: string;
  /** How many times the job has been started, this time included: 1 the first time. */
  readonly attempt: number;
  /** What the pool's own `onTaskStart` returned. */
  readonly context: unknown;
}

/** The context of a task, if a service made it. */
export function jobContextOf(context: unknown): JobContext | undefined {
  const isOurs =
    typeof context === 'object' && context !== null && 'jobId' in context && 'attempt' in context;
  return isOurs ? (context as JobContext) : undefined;
}
