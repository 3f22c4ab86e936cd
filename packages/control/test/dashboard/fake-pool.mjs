/** A pool that only has numbers: what the dashboard shows is compared with them, and they change when a test says so. */

const MIB = 1024 * 1024;
const WHY = {
  auto: 'as many as get the most done',
  task: 'the mean run time is above what the way to a thread takes',
};

const NO_CALLS = { calls: 0, inline: 0, failures: 0, timeouts: 0, lastError: null };

/** Repeatable, so that a picture looks the same each time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function distribution(count, p50, spread = 4) {
  return { count, mean: p50 * 1.3, p50, p90: p50 * spread, p99: p50 * spread * 3, max: p50 * spread * 9 };
}

export class RefusedChange extends Error {
  constructor(message) {
    super(message);
    this.code = 'ERR_OPTION';
  }
}

export class FakePool {
  #random;
  #nextId = 1;
  #decisions = [];
  name;
  state = 'open';
  placement = 'threads';
  choose = 'least-busy';
  policy = 'measured';
  min;
  max;
  limit = null;
  queue = 0;
  oldestMs = 0;
  throughput = 0;
  crashes = 0;
  recycled = 0;
  interrupted = 0;
  runP50 = 12.3;
  waitP50 = 0.4;
  mainUtilization = 0.31;
  coordinator;
  tasks = {
    submitted: 0,
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    crashed: 0,
    rejected: 0,
    open: 0,
    retried: 0,
  };
  functions = [
    { name: 'resize', place: 'threads', why: WHY.task, ...NO_CALLS, runMs: 12.3 },
    { name: 'parse', place: 'inline', why: 'the way to a thread takes longer', ...NO_CALLS, runMs: 0.02 },
  ];
  workers = [];
  /** Rows that the program has kept, by a clock that is 0 now. */
  past = [];

  constructor(name, { threads = 4, min = 1, max = 8, seed = 7 } = {}) {
    this.name = name;
    this.min = min;
    this.max = max;
    this.#random = generator(seed);
    this.setWorkers(threads, 'ready');
  }

  /** Lets some seconds pass. */
  advance(seconds = 1) {
    const busy = this.workers.filter(({ state }) => state === 'ready');
    for (const worker of this.workers) this.#advanceWorker(worker, seconds);
    const ended = busy.reduce((sum, { ended }) => sum + ended, 0);
    this.tasks.completed += ended;
    this.tasks.submitted += ended;
    this.throughput = ended / seconds;
    this.queue = Math.max(0, Math.round(this.queue + (this.#random() - 0.5) * 8));
    this.oldestMs = this.queue * 3;
    this.tasks.open = this.queue + busy.length;
    this.functions[0].calls += ended;
    this.mainUtilization = 0.2 + this.#random() * 0.2;
  }

  #advanceWorker(worker, seconds) {
    worker.ageMs += seconds * 1000;
    if (worker.state === 'starting' && worker.ageMs > 2000) worker.state = 'ready';
    const wave = 0.5 + 0.5 * Math.sin(worker.ageMs / 9000 + worker.id);
    worker.utilization = worker.state === 'ready' ? Math.min(1, wave * (0.8 + 0.2 * this.#random())) : 0;
    worker.load = worker.utilization > 0.1 ? 1 : 0;
    worker.ended = worker.isStuck ? 0 : Math.round(worker.utilization * 60 * seconds);
    worker.completed += worker.ended;
    worker.cpu.usedMs += worker.utilization * seconds * 1000;
    worker.heapUsedBytes = (18 + 6 * this.#random()) * MIB;
  }

  setWorkers(wanted, state = 'starting') {
    while (this.workers.length > wanted) this.workers.pop();
    while (this.workers.length < wanted) this.workers.push(this.#makeWorker(state));
  }

  #makeWorker(state) {
    return {
      ...{ id: this.#nextId++, state, inline: false, load: 0, completed: 0, ended: 0, utilization: 0 },
      ...{ heapUsedBytes: 0, ageMs: 0, cpu: { usedMs: 0, waitedMs: 3 } },
    };
  }

  decide(from, to, why, at = Date.now()) {
    const decision = { at, by: 'pool', from, to, why, queued: this.queue, idle: 0 };
    this.#decisions = [...this.#decisions, decision].slice(-64);
    return decision;
  }

  configure({ threads, min, max, choose, placement, queueLimit }) {
    const bounds = this.#bounds(threads, min, max);
    Object.assign(this, bounds);
    if (choose !== undefined) this.choose = choose;
    if (placement !== undefined) this.placement = placement;
    if (queueLimit !== undefined) this.limit = queueLimit;
    const { length } = this.workers;
    this.setWorkers(Math.min(this.max, Math.max(this.min, length)));
    if (length !== this.workers.length) this.decide(length, this.workers.length, 'the bounds were changed');
  }

  #bounds(threads, min = this.min, max = this.max) {
    if (threads === 'auto') return { min: 1, max: 16, policy: 'measured' };
    if (typeof threads === 'number') return this.#bounds(undefined, threads, threads);
    if (min > max) throw new RefusedChange(`threads.min must not be above threads.max (${max}), got ${min}`);
    return { min, max };
  }

  recycle() {
    for (const worker of this.workers) Object.assign(worker, this.#makeWorker('starting'));
    this.recycled += this.workers.length;
  }

  stats() {
    const { length } = this.workers;
    const starting = this.workers.filter(({ state }) => state === 'starting').length;
    const idle = this.workers.filter(({ state, load }) => state === 'ready' && load === 0).length;
    const { name, state, placement, choose, throughput, crashes, recycled, interrupted, coordinator } = this;
    return {
      ...{
        name,
        state,
        dispatch: coordinator === undefined ? 'shared-queue' : 'coordinator',
        placement,
        choose,
      },
      threads: { min: this.min, max: this.max, current: length, starting, idle },
      queue: { size: this.queue, limit: this.limit, oldestMs: this.oldestMs },
      tasks: { ...this.tasks },
      throughput,
      runMs: distribution(this.tasks.completed, this.runP50),
      waitMs: distribution(this.tasks.completed, this.waitP50, 8),
      recent: {
        ms: 10_000,
        runMs: distribution(this.tasks.completed, this.runP50),
        waitMs: distribution(this.tasks.completed, this.waitP50, 8),
      },
      ...{ crashes, recycled, interrupted, ...(coordinator === undefined ? {} : { coordinator }) },
      sizing: { policy: this.policy, decisions: this.#decisions },
      process: { utilization: this.mainUtilization, residentBytes: 412 * MIB, heapUsedBytes: 83.5 * MIB },
      functions: this.functions.map((each) => ({ ...each })),
      workers: this.workers.map(({ ended: _ended, isStuck: _isStuck, ...worker }) => ({
        ...worker,
        runMs: distribution(worker.completed, this.runP50),
        waitMs: distribution(worker.completed, this.waitP50),
      })),
    };
  }
}
