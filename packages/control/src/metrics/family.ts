/** What a metric is made of: its meaning, and how its samples are read out of what it tells of. */

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels?: Labels;
  /** Undefined, or null: there is no such thing here, and no sample. */
  readonly value: number | null | undefined;
  /** After the name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** A metric that each pool has, or each fleet, or the process once. */
export interface Family<T> {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  /** The value of the only sample, or the samples, without the label that says which pool or fleet it is. */
  read(of: T): Sample['value'] | readonly Sample[];
}

/** Metrics by name. */
export type Families<T> = Readonly<Record<string, Family<T>>>;

type Make = <T>(help: string, read: Family<T>['read']) => Family<T>;

export const gauge: Make = (help, read) => ({ type: 'gauge', help, read });
export const counter: Make = (help, read) => ({ type: 'counter', help, read });
export const histogram: Make = (help, read) => ({ type: 'histogram', help, read });

/** A sample for each value, told apart by a label. */
export function by(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([of, value]) => ({ labels: { [label]: of }, value }));
}

export function withLabels(labels: Labels, samples: ReturnType<Family<unknown>['read']>): Sample[] {
  const all = typeof samples === 'object' && samples !== null ? samples : [{ value: samples }];
  return all.map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } }));
}

export const seconds = (ms: number): number => ms / 1000;
