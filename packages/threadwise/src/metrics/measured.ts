/** What happened in a pool, counted and measured: plain numbers, written on the main thread only. */
import { FunctionRecords } from './functions.js';
import { Histogram } from './histogram.js';
import { Recent } from './recent.js';
import { Throughput } from './throughput.js';

export type Outcome = 'completed' | 'failed' | 'aborted' | 'timedOut' | 'crashed' | 'rejected';

/** Milliseconds; undefined: they were not measured. */
export type Ms = number | undefined;

/** What is measured of one worker. */
export class WorkerRecord {
  readonly wait = new Histogram();
  readonly run = new Histogram();

  /** Records a task that the worker has run; `settled` or `ended` of the recorder counts how it ended. Milliseconds. */
  ran(waitMs: number, runMs: number): void {
    this.wait.record(waitMs);
    this.run.record(runMs);
  }

  add({ wait, run }: WorkerRecord): void {
    this.wait.add(wait);
    this.run.add(run);
  }

  snapshot() {
    return { runMs: this.run.snapshot(), waitMs: this.wait.snapshot() };
  }
}

export class MeasuredRecorder {
  /** Counts that other parts of the pool raise directly. */
  readonly counts = { submitted: 0, retried: 0, crashes: 0, recycled: 0, interrupted: 0 };
  readonly functions = new FunctionRecords();
  readonly #outcomes = { completed: 0, failed: 0, aborted: 0, timedOut: 0, crashed: 0, rejected: 0 };
  /** What was measured of workers that are gone, and of calls that no worker ran. */
  readonly #others = new WorkerRecord();
  readonly #workers = new Set<WorkerRecord>();
  readonly #throughput = new Throughput();
  readonly #recent: Recent;

  /** @param startedAt on the platform's clock */
  constructor(startedAt = 0) {
    this.#recent = new Recent(startedAt);
  }

  /** @param by the worker that ran it, if one did */
  settled(outcome: Outcome, waitMs: Ms, runMs: Ms, now: number, by: WorkerRecord | undefined): void {
    this.ended(outcome, 1, now);
    const times = by ?? this.#others;
    if (waitMs !== undefined) times.wait.record(waitMs);
    if (runMs !== undefined) times.run.record(runMs);
  }

  /** Counts calls that have ended; `WorkerRecord.ran` has recorded how long each of them waited and ran. */
  ended(outcome: Outcome, count: number, now: number): void {
    // Nearly all calls complete: a name that is known is quicker than one that is looked up.
    if (outcome === 'completed') this.#outcomes.completed += count;
    else this.#outcomes[outcome] += count;
    this.#throughput.count(now, count);
  }

  /** Records `count` calls that ran on the calling thread within `pool.run`, so that none waited. @param runMs milliseconds that one of them ran */
  ranHere(count: number, runMs: number, now: number, by: WorkerRecord | undefined): void {
    this.counts.submitted += count;
    this.ended('completed', count, now);
    const times = by ?? this.#others;
    times.wait.record(0, count);
    times.run.record(runMs, count);
  }

  /** Makes the record of one worker; the pool's figures include it. */
  worker(): WorkerRecord {
    const times = new WorkerRecord();
    this.#workers.add(times);
    return times;
  }

  /** Forgets the record of a worker that is gone; its figures stay part of the pool's. */
  forget(worker: WorkerRecord): void {
    if (this.#workers.delete(worker)) this.#others.add(worker);
  }

  snapshot(now: number) {
    const all = new WorkerRecord();
    for (const times of [this.#others, ...this.#workers]) all.add(times);
    return {
      ...this.counts,
      outcomes: { ...this.#outcomes },
      functions: this.functions.snapshot(),
      throughput: this.#throughput.rate(now),
      ...all.snapshot(),
      recent: this.#recent.times({ at: now, run: all.run, wait: all.wait }),
      buckets: { runMs: all.run.cumulative(), waitMs: all.wait.cumulative() },
    };
  }
}
