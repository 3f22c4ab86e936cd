/** What a pool was like over the last two minutes: the server only tells what it is like now. */

export const SPAN_MS = 120_000;
/** Statistics come each second, or each two: a longer gap is one in which nothing is known. Milliseconds. */
export const GAP_MS = 6000;

export const WORKER_STATES = ['starting', 'ready', 'retiring', 'stopping', 'dead'];

export class History {
  /** Oldest first. */
  samples = [];
  /** When each worker was last seen to end a task; by id. */
  #progress = new Map();

  get latest() {
    return this.samples.at(-1);
  }

  add(stats, at) {
    const sample = sampleOf(stats, at, this.latest);
    this.samples.push(sample);
    const begin = at - SPAN_MS - GAP_MS;
    while (this.samples[0].at < begin) this.samples.shift();
    this.#note(stats.workers, at);
    return sample;
  }

  #note(workers, at) {
    const next = new Map();
    for (const { id, completed, load } of workers) {
      const before = this.#progress.get(id);
      const isSame = before?.completed === completed && before.load > 0 && load > 0;
      // A worker that this page has seen idle, or start, was not stuck before.
      const isSeen = before !== undefined || this.samples.length > 1;
      next.set(id, isSame ? { ...before, load } : { completed, load, since: at, isSeen });
    }
    this.#progress = next;
  }

  /** How long a worker with a task has ended none; undefined without a task. `isAtLeast`: maybe for longer. */
  stuckFor(id, now) {
    const { load, since, isSeen } = this.#progress.get(id) ?? { load: 0 };
    return load > 0 ? { ms: now - since, isAtLeast: !isSeen } : undefined;
  }

  /** How much counts have grown since the oldest sample, and how long ago that is. */
  grown() {
    const [oldest, latest] = [this.samples[0], this.latest];
    if (latest === undefined) return { ms: 0, counts: {} };
    const counts = Object.entries(latest.counts).map(([name, value]) => [name, value - oldest.counts[name]]);
    return { ms: latest.at - oldest.at, counts: Object.fromEntries(counts) };
  }

  /** How many calls of a function have failed since the oldest sample. */
  failuresOf(name) {
    const [oldest, latest] = [this.samples[0], this.latest];
    return (latest?.failures.get(name) ?? 0) - (oldest?.failures.get(name) ?? 0);
  }
}

/** The counts of a pool, in the order in which they are shown. */
export function countsOf({ tasks, crashes, recycled, interrupted, coordinator }) {
  const { submitted, completed, failed, retried, timedOut, aborted, crashed, rejected } = tasks;
  const restarts = coordinator === undefined ? {} : { restarts: coordinator.restarts };
  const ofTasks = { submitted, completed, failed, retried, timedOut, aborted, crashed, rejected };
  // Undefined: the library of the program is an older one.
  return { ...ofTasks, crashes, recycled, interrupted, ...restarts };
}

function sampleOf(stats, at, before) {
  const { threads, queue, runMs, waitMs, coordinator, process, throughput, workers } = stats;
  return {
    at,
    current: threads.current,
    busy: threads.current - threads.starting - threads.idle,
    queue: queue.size,
    throughput,
    run: latencyOf(runMs, before?.run),
    wait: latencyOf(waitMs, before?.wait),
    loops: {
      main: process?.utilization,
      coordinator: coordinator?.utilization,
      workers: mean(workers.map(({ utilization }) => utilization)),
    },
    memory: {
      resident: process?.residentBytes,
      heap: process?.heapUsedBytes,
      workers: workers.reduce((sum, { heapUsedBytes }) => sum + heapUsedBytes, 0),
    },
    counts: countsOf(stats),
    failures: new Map((stats.functions ?? []).map(({ name, failures = 0 }) => [name, failures])),
    crew: crewOf(workers),
  };
}

/** The server's figures are since the pool began. What happened since the last sample follows from two means. */
function latencyOf({ count, mean, p50, p90, p99 }, before) {
  const ended = count - (before?.count ?? count);
  const recent = ended > 0 ? (count * mean - before.count * before.mean) / ended : undefined;
  return { count, mean, p50, p90, p99, recent: recent === undefined ? undefined : Math.max(0, recent) };
}

function mean(values) {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Typed arrays: ten pools with 64 workers each are 40,000 of these in two minutes. */
function crewOf(workers) {
  const crew = {
    ids: new Float64Array(workers.length),
    states: new Uint8Array(workers.length),
    busy: new Uint8Array(workers.length),
    loads: new Uint16Array(workers.length),
  };
  workers.forEach(({ id, state, utilization, load }, i) => {
    crew.ids[i] = id;
    crew.states[i] = WORKER_STATES.indexOf(state);
    crew.busy[i] = Math.round(Math.min(1, Math.max(0, utilization)) * 100);
    crew.loads[i] = load;
  });
  return crew;
}
