// The metrics of the scenarios. `label` heads a column; `unit` follows a figure in a text.

const higher = (id, label, unit) => ({ id, label, unit, better: 'higher' });
const lower = (id, label, unit) => ({ id, label, unit, better: 'lower' });

export const perSecond = (id, what) => higher(id, `${what}/s`, `${what}/s`);
export const callsPerSecond = higher('callsPerSecond', 'calls/s', 'calls/s');
export const cpuMicroseconds = lower('cpuMicroseconds', 'CPU us/call', 'us of CPU');
export const p50Microseconds = lower('p50Microseconds', 'p50 us', 'us');
export const p99Microseconds = lower('p99Microseconds', 'p99 us', 'us');
export const totalMs = lower('totalMs', 'total ms', 'ms');
export const readMs = lower('readMs', 'reads ms', 'ms');
/** The total without the time in which the main thread reads. */
export const cleanMs = lower('cleanMs', 'clean ms', 'ms');
export const cpuMs = lower('cpuMs', 'CPU ms', 'ms of CPU');
export const percent = {
  higher: (id, label) => higher(id, label, '%'),
  lower: (id, label) => lower(id, label, '%'),
};
export const mebibytes = (id, label) => lower(id, label, 'MiB');
/** How much more memory there is than before: less, if what is measured is smaller than the noise. */
export const addedMebibytes = (id, label) => ({ ...mebibytes(id, label), isDifference: true });
export const milliseconds = (id, label) => lower(id, label, 'ms');
export const microseconds = (id, label) => lower(id, label, 'us');

/**
 * The goal of a row to do better than others, of which the best counts.
 * @param what what the metric counts
 * @param of the row; default: threadwise
 * @param to the role of the others, and `name` what a text calls them
 */
export const timesAs = ({
  atLeast,
  metric,
  what,
  of,
  to = 'published',
  name = 'the best published pool',
}) => ({
  text: `at least ${atLeast} times the ${what} of ${name}`,
  metric: metric.id,
  by: 'times',
  of,
  to,
  atLeast,
});
