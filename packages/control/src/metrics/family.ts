/** What a metric consists of: its type, its help text, and how its samples are read from a source. */

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels?: Labels;
  /** null or undefined: this source has no such value, and no sample is written. */
  readonly value: number | null | undefined;
  /** What is appended to the metric's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** A metric of each pool, of each fleet, or of the process. */
export interface Family<T> {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  /** Returns one value, or samples without the label that names the pool or the fleet. */
  read(of: T): Sample['value'] | readonly Sample[];
}

/** Metrics by name. */
export type Families<T> = Readonly<Record<string, Family<T>>>;

type Make = <T>(help: string, read: Family<T>['read']) => Family<T>;

export const gauge: Make = (help, read) => ({ type: 'gauge', help, read });
export const counter: Make = (help, read) => ({ type: 'counter', help, read });
export const histogram: Make = (help, read) => ({ type: 'histogram', help, read });

/** One sample for each entry of `values`, with the entry's key as the label's value. */
export function by(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([of, value]) => ({ labels: { [label]: of }, value }));
}

export function withLabels(labels: Labels, samples: ReturnType<Family<unknown>['read']>): Sample[] {
  const all = typeof samples === 'object' && samples !== null ? samples : [{ value: samples }];
  return all.map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } }));
}

export const seconds = (ms: number): number => ms / 1000;
