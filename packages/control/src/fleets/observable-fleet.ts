/** What a fleet has to have to be watched: described by its shape, so that this package needs nothing of `@threadwise/bullmq`. */

export interface ObservableFleet {
  readonly queue: { readonly name: string };
  /** May take as long as its Redis does. */
  stats(): Promise<FleetStats>;
}

/** The states of jobs that are counted. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed', 'completed'] as const;

export interface FleetStats {
  readonly queue: string;
  readonly jobs: Readonly<Record<(typeof JOB_STATES)[number], number>>;
  /** How many machines there are. */
  readonly machines: number;
  /** How many workers all machines have together. */
  readonly threads: number;
  readonly perMachine: readonly MachineStats[];
  /** How many calls of this program have not settled. */
  readonly open: number;
}

/** One machine, as it last said. */
export interface MachineStats {
  /** Unique; a machine that is started again has another one. */
  readonly id: string;
  /** What people call it; several machines may have one name. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly state: string;
  /** Milliseconds since its start. */
  readonly upMs: number;
  readonly threads: number;
  /** How many jobs it takes at a time at the most. */
  readonly concurrency: number;
  /** How many jobs it has now. */
  readonly active: number;
  readonly completed: number;
  readonly failed: number;
  readonly returned: number;
  readonly recovered: number;
  readonly repeated: number;
}
