/** The seam to measurement. Implemented in `metrics/`; "off" is an object with the same methods. */
export interface Recorder {
  submitted(): void;
  settled(outcome: Outcome, waitMs: number | undefined, runMs: number | undefined): void;
  retried(): void;
  crashed(): void;
  recycled(): void;
  snapshot(): RecorderSnapshot;
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
  readonly waitMs: Distribution;
  readonly runMs: Distribution;
}
