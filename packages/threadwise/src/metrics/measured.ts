/** The recorder that counts and measures: plain numbers, written on the main thread only. */
import type { Outcome, Recorder, RecorderSnapshot, WorkerRecord } from '../core/contracts.js';
import { Histogram } from './histogram.js';
import { Throughput } from './throughput.js';

class Times implements WorkerRecord {
  readonly wait = new Histogram();
  readonly run = new Histogram();

  ran(waitMs: number, runMs: number): void {
    this.wait.record(waitMs);
    this.run.record(runMs);
  }

  add({ wait, run }: Times): void {
    this.wait.add(wait);
    this.run.add(run);
  }

  snapshot(): Pick<RecorderSnapshot, 'runMs' | 'waitMs'> {
    return { runMs: this.run.snapshot(), waitMs: this.wait.snapshot() };
  }
}

export class MeasuredRecorder implements Recorder {
  readonly #outcomes: Record<Outcome, number> = {
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    crashed: 0,
    rejected: 0,
  };
  /** Of workers that are gone, and of calls that no worker ran. */
  readonly #others = new Times();
  readonly #workers = new Set<Times>();
  readonly #throughput = new Throughput();
  #submitted = 0;
  #completed = 0;
  #retried = 0;
  #crashes = 0;
  #recycled = 0;

  submitted(): void {
    this.#submitted++;
  }

  settled(
    outcome: Outcome,
    waitMs: number | undefined,
    runMs: number | undefined,
    now: number,
    by: WorkerRecord | undefined,
  ): void {
    this.ended(outcome, 1, now);
    const times = by === undefined ? this.#others : (by as Times);
    if (waitMs !== undefined) times.wait.record(waitMs);
    if (runMs !== undefined) times.run.record(runMs);
  }

  ended(outcome: Outcome, count: number, now: number): void {
    // Nearly all of them: a field of its own is quicker than one that is looked up by name.
    if (outcome === 'completed') this.#completed += count;
    else this.#outcomes[outcome] += count;
    this.#throughput.count(now, count);
  }

  ranHere(count: number, runMs: number, now: number, by: WorkerRecord | undefined): void {
    this.#submitted += count;
    this.ended('completed', count, now);
    ((by as Times | undefined) ?? this.#others).run.record(runMs, count);
  }

  retried(): void {
    this.#retried++;
  }

  crashed(): void {
    this.#crashes++;
  }

  recycled(): void {
    this.#recycled++;
  }

  worker(): WorkerRecord {
    const times = new Times();
    this.#workers.add(times);
    return times;
  }

  forget(worker: WorkerRecord): void {
    if (this.#workers.delete(worker as Times)) this.#others.add(worker as Times);
  }

  snapshot(now: number): RecorderSnapshot {
    const all = new Times();
    for (const times of [this.#others, ...this.#workers]) all.add(times);
    return {
      submitted: this.#submitted,
      outcomes: { ...this.#outcomes, completed: this.#completed },
      retried: this.#retried,
      workerCrashes: this.#crashes,
      recycled: this.#recycled,
      throughput: this.#throughput.rate(now),
      ...all.snapshot(),
    };
  }
}
