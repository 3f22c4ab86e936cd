/** The part of a run during which threads exist: starts the pool, pumps the inputs through, ends in every case. */

import { ExitCode } from '../exit-code.js';
import { UsageError } from '../usage-error.js';
import { Delivery } from './delivery.js';
import { Failures } from './failures.js';
import { hintsFor } from './hints.js';
import type { InputSource } from './inputs/input-source.js';
import { Interrupts } from './interrupts.js';
import type { Journal } from './journal/journal.js';
import { loadError } from './load-error.js';
import { ClosedPipeError, type Sink } from './output/sink.js';
import type { Reducer } from './reducer.js';
import type { Report } from './report.js';
import { createPump, earlierOf, loadReducer, openOutputs, type Plan, startProgress } from './wiring.js';
import type { BatchPool } from './work/batch.js';
import { openBatchPool } from './work/batch-pool.js';
import type { Pump } from './work/pump.js';

/** A second Ctrl-C waits this long for the threads to be gone; ending the process ends them anyway. */
const LAST_WAIT_MS = 500;

export class Session {
  readonly #plan: Plan;
  readonly #begin = performance.now();
  readonly #pool: BatchPool;
  readonly #interrupts: Interrupts;
  readonly #failures = new Failures();
  /** Undefined while the threads start. */
  #pump: Pump | undefined;
  /** Interrupted before there was a pump: whatever error comes, the destroyed pool is its reason. */
  #isStoppedAtStart = false;
  #startMs = 0;
  #startThreads = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const { threads, timeoutMs } = plan.options;
    this.#pool = openBatchPool({ threads, timeoutMs, setup: plan.setup });
    this.#interrupts = new Interrupts({ first: () => this.#stop(), second: () => this.#stopAtOnce() });
  }

  async run(): Promise<number> {
    try {
      await this.#start();
      return await this.#work();
    } catch (error) {
      await this.#pool.destroy();
      if (this.#isStoppedAtStart) return this.#exitCode();
      if (error instanceof ClosedPipeError) return ExitCode.ok;
      process.stderr.write(this.#failures.report(0));
      throw error;
    } finally {
      this.#interrupts.remove();
    }
  }

  async #start(): Promise<void> {
    // Counted while the threads load the module.
    this.#plan.source.count();
    try {
      await this.#pool.ready;
    } catch (error) {
      const { options, setup } = this.#plan;
      throw loadError(options.module, setup.moduleUrl, error);
    }
    this.#startMs = performance.now() - this.#begin;
    this.#startThreads = this.#pool.currentThreads();
  }

  async #work(): Promise<number> {
    // The module is known to load now, so nothing below destroys an output for a run that cannot be.
    const reducer = await loadReducer(this.#plan);
    const { sink, journal } = openOutputs(this.#plan);
    try {
      const delivery = this.#createDelivery(sink, journal, reducer);
      await this.#deliver(journal, delivery);
      await this.#finish(delivery);
      return this.#exitCode();
    } finally {
      journal.close();
      sink.close();
    }
  }

  async #deliver(journal: Journal, delivery: Delivery): Promise<void> {
    const progress = await startProgress(this.#plan);
    try {
      this.#pump = createPump(this.#plan, this.#pool, journal);
      const inputs = this.#plan.source.read(earlierOf(this.#plan).done);
      try {
        for await (const results of this.#pump.results(inputs)) {
          await delivery.take(results);
          progress.update(delivery.counts);
        }
      } catch (error) {
        if (error instanceof UsageError) delivery.cut();
        throw error;
      }
      await delivery.end(this.#end() === 'complete');
    } finally {
      progress.stop();
    }
  }

  async #finish({ counts }: Delivery): Promise<void> {
    const elapsedMs = performance.now() - this.#begin;
    // At the end some may be gone: released, or dead and not needed any more.
    const threads = Math.max(this.#startThreads, this.#pool.currentThreads());
    await this.#pool.close();
    const { options, source, inline } = this.#plan;
    const earlier = earlierOf(this.#plan).counts;
    process.stderr.write(this.#failures.report(earlier.failed));
    if (options.quiet) return;
    const report: Report = {
      unit: units[source.kind],
      end: this.#end(),
      counts,
      earlier,
      failed: this.#failures.count + earlier.failed,
      threads,
      elapsedMs,
      startMs: this.#startMs,
      inline,
    };
    const { renderSummary } = await import('./summary.js');
    process.stderr.write(renderSummary(report, hintsFor(report, options)));
  }

  #createDelivery(sink: Sink, journal: Journal, reducer: Reducer | undefined): Delivery {
    const { options, setup } = this.#plan;
    return new Delivery({
      sink,
      journal,
      reducer,
      format: options.format,
      ordered: options.ordered,
      failures: this.#failures,
      earlier: earlierOf(this.#plan).counts,
      stopsAtFailure: setup.stopsAtFailure,
      onFailure: () => this.#pump?.stop(),
    });
  }

  #end(): Report['end'] {
    if (this.#interrupts.exitCode !== undefined) return 'interrupted';
    return this.#failures.count > 0 && this.#plan.setup.stopsAtFailure ? 'failed' : 'complete';
  }

  #exitCode(): number {
    const failed = this.#failures.count + earlierOf(this.#plan).counts.failed;
    return this.#interrupts.exitCode ?? (failed > 0 ? ExitCode.failed : ExitCode.ok);
  }

  #stop(): void {
    if (!this.#plan.options.quiet) {
      process.stderr.write('\nstopping when what runs is finished; Ctrl-C again stops at once\n');
    }
    if (this.#pump !== undefined) return this.#pump.stop();
    this.#isStoppedAtStart = true;
    void this.#pool.destroy();
  }

  #stopAtOnce(): void {
    const end = (): never => process.exit(this.#interrupts.exitCode);
    setTimeout(end, LAST_WAIT_MS);
    this.#pool.destroy().then(end, end);
  }
}

const units: Readonly<Record<InputSource['kind'], string>> = {
  files: 'files',
  lines: 'lines',
  json: 'values',
  range: 'numbers',
};
