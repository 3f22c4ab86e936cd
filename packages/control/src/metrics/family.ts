/** What a metric is made of: its name, its meaning, and how its samples are read out of a pool's statistics. */
import type { PoolStats } from '../controllable-pool.js';

export type MetricType = 'gauge' | 'counter' | 'histogram';
export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels?: Labels;
  /** Undefined: there is no such thing here, and no sample. */
  readonly value: number | undefined;
  /** After the name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** A metric that each pool has. */
export interface PoolFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Without the label `pool`, which every sample gets. */
  read(stats: PoolStats): readonly Sample[];
}

/** A metric that is there once. */
export interface ProcessFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  read(): number;
}

export const one = (value: number | undefined): readonly Sample[] => [{ value }];
export const seconds = (ms: number): number => ms / 1000;
