/**
 * What is kept of statistics for the charts, one row for each moment: by the program, so that who opens the page sees what was before, and by
 * the page. Nothing here needs a browser.
 */

export const WORKER_STATES = ['starting', 'ready', 'retiring', 'stopping', 'dead'];

/** How many closed pools the page shows, and the program keeps a history of: those that closed last. */
export const MOST_CLOSED = 20;

/** More functions with failures than that are not kept, those with the most failures first. */
const FUNCTIONS = 16;

const ended = (distribution) => (distribution?.count > 0 ? distribution : undefined);

/** What is drawn: the figures of a row, in its order. */
const FIGURES = {
  current: ({ threads }) => threads.current,
  busy: ({ threads: { current, starting, idle } }) => current - starting - idle,
  queue: ({ queue }) => queue.size,
  throughput: ({ throughput }) => throughput,
  runMean: ({ recent }) => ended(recent?.runMs)?.mean,
  runP50: ({ recent }) => ended(recent?.runMs)?.p50,
  runP90: ({ recent }) => ended(recent?.runMs)?.p90,
  runP99: ({ recent }) => ended(recent?.runMs)?.p99,
  waitMean: ({ recent }) => ended(recent?.waitMs)?.mean,
  waitP50: ({ recent }) => ended(recent?.waitMs)?.p50,
  waitP90: ({ recent }) => ended(recent?.waitMs)?.p90,
  waitP99: ({ recent }) => ended(recent?.waitMs)?.p99,
  mainBusy: ({ process }) => process?.utilization,
  workersBusy: ({ workers }) =>
    workers.length === 0
      ? undefined
      : workers.reduce((sum, { utilization }) => sum + utilization, 0) / workers.length,
  coordinatorBusy: ({ coordinator }) => coordinator?.utilization,
  residentBytes: ({ process }) => process?.residentBytes,
  mainHeapBytes: ({ process }) => process?.heapUsedBytes,
  workerHeapBytes: ({ workers }) => workers.reduce((sum, { heapUsedBytes }) => sum + heapUsedBytes, 0),
};

const OF_TASKS = 'submitted completed failed retried timedOut aborted crashed rejected'.split(' ');
/** Counts since the pool began, in the order in which they are shown. Undefined: the library of the program is an older one. */
const COUNTS = {
  ...Object.fromEntries(OF_TASKS.map((name) => [name, ({ tasks }) => tasks[name]])),
  crashes: ({ crashes }) => crashes,
  recycled: ({ recycled }) => recycled,
  interrupted: ({ interrupted }) => interrupted,
  restarts: ({ coordinator }) => coordinator?.restarts,
};

const [figures, counts] = [FIGURES, COUNTS].map(Object.keys);
const READERS = [...Object.values(FIGURES), ...Object.values(COUNTS)];

/** What the places of a row mean. */
export const COLUMNS = ['at', ...figures, ...counts, 'failures', 'workers'];

export function countsOf(stats) {
  return Object.fromEntries(counts.map((name) => [name, COUNTS[name](stats)]));
}

/**
 * Plain JSON. `failures`: pairs of a function and its failures. `workers`: id, state, utilisation (percent) and load of one after the other;
 * null where there are more of them than `mostWorkers`.
 */
export function rowOf(stats, at, mostWorkers = Number.POSITIVE_INFINITY) {
  const failures = (stats.functions ?? []).filter(({ failures }) => failures > 0);
  const most = failures.sort((a, b) => b.failures - a.failures).slice(0, FUNCTIONS);
  return [
    Math.round(at),
    ...READERS.map((read) => short(read(stats))),
    most.map(({ name, failures }) => [name, failures]),
    stats.workers.length > mostWorkers ? null : stats.workers.flatMap(workerOf),
  ];
}

/** Four digits that mean something: it is to be drawn. */
function short(value) {
  if (!Number.isFinite(value)) return null;
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

function workerOf({ id, state, utilization, load }) {
  const busy = Math.round(Math.min(1, Math.max(0, utilization)) * 100);
  return [id, WORKER_STATES.indexOf(state), busy, load];
}

/** The row by name; inverse of `rowOf`. `shiftMs`: what is to be added to its time. */
export function sampleOf(row, shiftMs = 0) {
  const [at, ...values] = row.map((value) => value ?? undefined);
  const named = (names, from) => Object.fromEntries(names.map((name, i) => [name, values[from + i]]));
  const [failures, workers] = values.slice(-2);
  return {
    at: at + shiftMs,
    ...named(figures, 0),
    counts: named(counts, figures.length),
    failures: new Map(failures),
    hasAllFailures: failures.length < FUNCTIONS,
    crew: workers && crewOf(workers),
  };
}

/** Typed arrays: ten pools with 64 workers each are 400,000 of these in ten minutes. */
function crewOf(workers) {
  const every = (Kind, from) => Kind.from({ length: workers.length / 4 }, (_, i) => workers[4 * i + from]);
  return {
    ids: every(Float64Array, 0),
    states: every(Uint8Array, 1),
    busy: every(Uint8Array, 2),
    loads: every(Uint32Array, 3),
  };
}
