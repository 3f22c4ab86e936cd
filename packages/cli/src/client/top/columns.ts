/** The columns of the tables of `top`, and how their figures are found in what the program sent. */
import { isRecord } from '../../checks.js';
import { age, bytes, count, duration, percent, rate } from '../../format/narrow.js';
import { safeText } from '../../format/text.js';
import type { Overview } from '../client.js';
import type { Style } from './line.js';

/** A pool, a worker, a function, a decision, or the process, unchecked: fields that another version does not send are shown as '-'. */
export type Row = Readonly<Record<string, unknown>>;

export interface Snapshot extends Overview {
  /** When the snapshot came, by the clock of this machine, in milliseconds since the epoch. */
  readonly at: number;
}

/** @param path such as `queue.size` */
export function figure(row: Row, path: string): number | undefined {
  const value = valueAt(row, path);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The text without what a terminal would obey; '-' if there is none. */
export function text(row: Row, path: string): string {
  const value = valueAt(row, path);
  return typeof value === 'string' && value !== '' ? safeText(value) : '-';
}

export function rows(row: Row, path: string): Row[] {
  const value = valueAt(row, path);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function valueAt(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split('.')) {
    // Quantiles of no values are unknown, not 0.
    if (!isRecord(value) || value.count === 0) return undefined;
    value = value[name];
  }
  return value;
}

export interface Column {
  readonly title: string;
  /** The width of a column, or the least width of one that stretches, in columns of the terminal. */
  readonly width: number;
  /** A narrow screen drops columns with high numbers first. */
  readonly priority: number;
  /** Whether the column grows to what its cells need, as far as there is room. */
  readonly stretches?: boolean;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
  /** The value that rows are sorted by. */
  readonly value: (row: Row) => number | string | undefined;
}

type Show = (value: number | undefined) => string;

function figures(title: string, width: number, priority: number, path: string, show: Show): Column {
  const value = (row: Row): number | undefined => figure(row, path);
  return { title, width, priority, align: 'right', value, cell: (row) => show(value(row)) };
}

function texts(title: string, width: number, priority: number, path: string, stretches = false): Column {
  const value = (row: Row): string => text(row, path);
  return { title, width, priority, stretches, value, cell: value };
}

function styleOfState(row: Row): Style | undefined {
  const state = text(row, 'state');
  if (state === 'broken' || state === 'closed' || state === 'dead') return 'bad';
  return state === 'open' || state === 'ready' ? undefined : 'warn';
}

const state: Column = { ...texts('STATE', 8, 2, 'state'), style: styleOfState };

/** A column for a count that should be 0. */
function losses(title: string, width: number, priority: number, path: string): Column {
  const style = (row: Row): Style | undefined => ((figure(row, path) ?? 0) > 0 ? 'bad' : undefined);
  return { ...figures(title, width, priority, path, count), style };
}

export const poolColumns: readonly Column[] = [
  texts('POOL', 10, 1, 'name', true),
  state,
  {
    ...figures('THREADS', 7, 3, 'threads.current', count),
    cell: (row) => `${count(figure(row, 'threads.current'))}/${count(figure(row, 'threads.max'))}`,
  },
  figures('QUEUE', 6, 4, 'queue.size', count),
  figures('OLDEST', 7, 5, 'queue.oldestMs', duration),
  figures('DONE/S', 6, 6, 'throughput', rate),
  losses('CRASH', 5, 7, 'crashes'),
  figures('RUN50', 7, 10, 'recent.runMs.p50', duration),
  figures('RUN99', 7, 8, 'recent.runMs.p99', duration),
  figures('WAIT50', 7, 11, 'recent.waitMs.p50', duration),
  figures('WAIT99', 7, 9, 'recent.waitMs.p99', duration),
  figures('MAIN', 4, 12, 'process.utilization', percent),
];

/** The key `s` goes through the columns in this order. */
export const workerColumns: readonly Column[] = [
  // A number that names a worker is no count: it is shown whole.
  { ...figures('WORKER', 12, 1, 'id', (id) => `${id ?? '-'}`), align: 'left' },
  { ...state, cell: (row) => (row.inline === true ? 'inline' : text(row, 'state')) },
  figures('LOAD', 5, 3, 'load', count),
  figures('ENDED', 6, 5, 'completed', count),
  figures('BUSY', 5, 4, 'utilization', percent),
  figures('RUN50', 7, 10, 'runMs.p50', duration),
  figures('RUN99', 7, 7, 'runMs.p99', duration),
  figures('WAIT50', 7, 11, 'waitMs.p50', duration),
  figures('WAIT99', 7, 9, 'waitMs.p99', duration),
  figures('CPU', 7, 12, 'cpu.usedMs', duration),
  figures('CPUWAIT', 8, 13, 'cpu.waitedMs', duration),
  figures('HEAP', 8, 6, 'heapUsedBytes', bytes),
  figures('AGE', 7, 8, 'ageMs', duration),
];

export interface Sort {
  /** The title of the column to sort by. */
  readonly by: string;
  readonly descending: boolean;
}

export const firstSort: Sort = { by: 'WORKER', descending: false };

export function nextSort({ by }: Sort): Sort {
  const at = workerColumns.findIndex(({ title }) => title === by);
  const { title, align } = workerColumns[(at + 1) % workerColumns.length]!;
  // Columns of figures are aligned right, and of figures the largest are of interest.
  return { by: title, descending: align === 'right' };
}

/** Sorts workers. Values that are not known come last in either direction; equal ones keep their order. */
export function sorted(workers: readonly Row[], { by, descending }: Sort): Row[] {
  const { value } = workerColumns.find(({ title }) => title === by)!;
  return workers.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    const order = left < right ? -1 : left > right ? 1 : 0;
    return descending ? -order : order;
  });
}

/** Marks the column that is sorted by, and lets a narrow screen drop all others before it, except the first. */
export function sortedColumns({ by, descending }: Sort): readonly Column[] {
  return workerColumns.map((column) => {
    if (column.title !== by) return column;
    const priority = Math.min(column.priority, 1.5);
    return { ...column, title: by + (descending ? 'v' : '^'), priority };
  });
}

export const functionColumns: readonly Column[] = [
  texts('FUNCTION', 14, 1, 'name', true),
  texts('PLACE', 7, 2, 'place'),
  figures('CALLS', 6, 3, 'calls', count),
  figures('INLINE', 6, 6, 'inline', count),
  losses('FAILED', 6, 5, 'failures'),
  // The mean of no calls is 0.
  figures('RUN', 7, 4, 'runMs', (ms) => duration(ms === 0 ? undefined : ms)),
  texts('WHY', 10, 7, 'why', true),
];

/** The age of a decision is wrong where the program's clock differs from this machine's. */
export function decisionColumns(now: number): readonly Column[] {
  const ago: Show = (at) => (at === undefined ? '-' : `${age(now - at)} ago`);
  return [
    { ...figures('DECIDED', 13, 1, 'at', ago), align: 'left' },
    {
      ...figures('THREADS', 10, 2, 'to', count),
      cell: (row) => `${count(figure(row, 'from'))} to ${count(figure(row, 'to'))}`,
    },
    figures('QUEUED', 6, 4, 'queued', count),
    figures('IDLE', 5, 5, 'idle', count),
    texts('BY', 11, 6, 'by'),
    texts('WHY', 12, 3, 'why', true),
  ];
}
