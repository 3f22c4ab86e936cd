/** The recorder that counts and measures: plain numbers, written on the main thread only. */
import type { Outcome, Recorder, RecorderSnapshot } from '../core/contracts.js';
import { Histogram } from './histogram.js';

export class MeasuredRecorder implements Recorder {
  readonly #outcomes: Record<Outcome, number> = {
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    crashed: 0,
    rejected: 0,
  };
  readonly #wait = new Histogram();
  readonly #run = new Histogram();
  #submitted = 0;
  #retried = 0;
  #crashes = 0;
  #recycled = 0;

  submitted(): void {
    this.#submitted++;
  }

  settled(outcome: Outcome, waitMs: number | undefined, runMs: number | undefined): void {
    this.#outcomes[outcome]++;
    if (waitMs !== undefined) this.#wait.record(waitMs);
    if (runMs !== undefined) this.#run.record(runMs);
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

  snapshot(): RecorderSnapshot {
    return {
      submitted: this.#submitted,
      outcomes: { ...this.#outcomes },
      retried: this.#retried,
      workerCrashes: this.#crashes,
      recycled: this.#recycled,
      waitMs: this.#wait.snapshot(),
      runMs: this.#run.snapshot(),
    };
  }
}
