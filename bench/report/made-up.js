// Made-up results for tests, in the shape of measured ones.
import { summarize } from '../conclusions/summary.js';

export const MACHINE = {
  ...{ cpu: 'Some CPU', cores: 2, availableParallelism: 2, memoryBytes: 2 ** 30 },
  ...{ node: 'v20.19.0', loadAverage: [0.5, 0.25, 0.125] },
};

export const TIME = { id: 'ms', label: 'total ms', unit: 'ms', better: 'lower' };
export const RATE = { id: 'rate', label: 'calls/s', unit: 'calls/s', better: 'higher' };
export const MEMORY = { id: 'size', label: 'MiB', unit: 'MiB', better: 'lower' };

function roleOf(id) {
  if (id.startsWith('threadwise')) return 'ours';
  return ['inline', 'as-published'].find((role) => id.startsWith(role)) ?? 'published';
}

/**
 * @param rows of one metric: { [row]: [its value in each round] }; an Error instead: why the row failed
 * @returns the summary of one scenario
 */
export function summaryOf({ id = 'made-up', title = 'Made up', x, curve, metric = TIME, rows }) {
  const entries = Object.keys(rows).map((row) => ({ id: row, contender: { id: row, role: roleOf(row) } }));
  const failed = Object.entries(rows).filter(([, values]) => values instanceof Error);
  const samples = Object.entries(rows).map(([row, values]) => [
    row,
    values instanceof Error ? [] : values.map((value) => ({ [metric.id]: value })),
  ]);
  const [summary] = summarize([{ scenario: { id, title, x, curve, metrics: [metric] }, entries }], {
    samples: { [id]: Object.fromEntries(samples) },
    failures: failed.map(([entry, { message }]) => ({
      scenario: id,
      entry,
      round: 0,
      isAvailable: true,
      message,
    })),
  });
  return summary;
}

/** The points of a curve. @param rows { [row]: [[its value in each round] for each x] } */
export function curveOf(xs, rows, { metric = TIME, curve } = {}) {
  return xs.map((x, i) =>
    summaryOf({
      ...{ id: `made-up-${x}`, x, curve, metric },
      rows: Object.fromEntries(Object.entries(rows).map(([row, values]) => [row, values[i]])),
    }),
  );
}

/** The same value in each of five rounds. */
export const always = (value) => Array(5).fill(value);
