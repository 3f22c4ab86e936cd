/** The seam to measurement. Implemented in `metrics/`; "off" is an object with the same methods. */
export interface Recorder {
  submitted(): void;
  /**
   * @param now on the platform's clock
   * @param by what `worker` gave for the worker that ran it, if one did
   */
  settled(
    outcome: Outcome,
    waitMs: number | undefined,
    runMs: number | undefined,
    now: number,
    by: WorkerRecord | undefined,
  ): void;
  /** Counts calls that have ended; `WorkerRecord.ran` has told how long each of them waited and ran. */
  ended(outcome: Outcome, count: number, now: number): void;
  /** So many calls ran at once, where they were called, and completed. @param runMs of the one of them that was timed */
  ranHere(count: number, runMs: number, now: number, by: WorkerRecord | undefined): void;
  retried(): void;
  crashed(): void;
  recycled(): void;
  /** What is measured of one worker; the pool's figures have all of it. */
  worker(): WorkerRecord;
  /** The worker is gone: its figures stay part of the pool's. */
  forget(worker: WorkerRecord): void;
  snapshot(now: number): RecorderSnapshot;
}

/** Opaque to the core, but for what can be looked at. */
export interface WorkerRecord {
  /** The worker has run a task; `Recorder.settled` or `Recorder.ended` tells how it ended. Milliseconds. */
  ran(waitMs: number, runMs: number): void;
  snapshot(): Pick<RecorderSnapshot, 'runMs' | 'waitMs'>;
}

export type Outcome = 'completed' | 'failed' | 'aborted' | 'timedOut' | 'crashed' | 'rejected';

export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface RecorderSnapshot {
  readonly submitted: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly retried: number;
  readonly workerCrashes: number;
  readonly recycled: number;
  /** Calls that settled, per second, over the last ten seconds. */
  readonly throughput: number;
  readonly waitMs: Distribution;
  readonly runMs: Distribution;
}
