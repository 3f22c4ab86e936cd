/**
 * Runs the inputs of a run on the machines of a fleet: a job for each of them, so that any machine can take it, and one that dies takes along no other. The
 * results become text here.
 */
import type { Fleet } from '@threadwise/bullmq';
import type { FleetAddress } from '../../fleet/address.js';
import { FleetRunError, loadFleetPackage } from '../../fleet/package.js';
import type { RunOptions } from '../options.js';
import type { RunInWorker } from './attempts.js';
import type { BatchSetup } from './batch.js';
import { batchRun } from './batch-runner.js';
import type { Executor } from './executor.js';
import { argumentsOf } from './passing.js';
import { importModule, selectName } from './task-module.js';

/** How many jobs are out for each thread: one runs, one is on its way. More would have Ctrl-C wait for them. */
const JOBS_PER_THREAD = 2;
/** How many jobs are out as long as no machine is known. */
const LEAST_JOBS = 16;
/** How often the machines are counted. Milliseconds. */
const COUNT_MS = 2000;

/** What every other input would come to as well. */
const ENDS: readonly unknown[] = [
  'ERR_FLEET_CONNECTION',
  'ERR_FLEET_REDIS',
  'ERR_FLEET_CLOSED',
  'ERR_FLEET_MODULE',
  'ERR_TASK_NOT_FOUND',
  'ERR_TASK_ABORTED',
];

export class FleetExecutor implements Executor {
  readonly ready: Promise<void>;
  readonly run: RunInWorker;
  readonly #address: FleetAddress;
  readonly #options: RunOptions;
  readonly #setup: BatchSetup;
  readonly #ended = new AbortController();
  #fleet: Fleet | undefined;
  #task = '';
  #threads = 0;
  #machines = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(address: FleetAddress, options: RunOptions, setup: BatchSetup) {
    this.#address = address;
    this.#options = options;
    this.#setup = setup;
    const runBatch = batchRun((input) => this.#runOne(input), setup);
    this.run = async (values, attempts) => {
      const outcome = await runBatch(values, attempts);
      const end = outcome.failures.find(({ error }) => ENDS.includes(error.code));
      if (end !== undefined) throw new FleetRunError(end.error);
      return outcome;
    };
    this.ready = this.#start();
  }

  batching() {
    const depth = (): number => Math.max(LEAST_JOBS, JOBS_PER_THREAD * this.#threads);
    return { size: () => 1, depth, note: () => undefined };
  }

  threads(): number {
    return this.#threads;
  }

  machines(): number {
    return this.#machines;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#fleet?.close();
  }

  /** Removes the jobs that wait, and aborts the tasks that run. */
  async destroy(): Promise<void> {
    clearInterval(this.#timer);
    this.#ended.abort();
    await this.#fleet?.close({ timeoutMs: 0 });
  }

  async #start(): Promise<void> {
    const { moduleUrl, exportName } = this.#setup;
    const { connect } = await loadFleetPackage();
    this.#task = exportName ?? selectName(await importModule(moduleUrl), undefined, moduleUrl);
    const { connection, queue, shown } = this.#address;
    // With the hash of the module in each job, no machine runs another version of it.
    this.#fleet = connect({ connection, queue, module: new URL(moduleUrl) });
    try {
      await this.#fleet.ready;
      await this.#count();
    } catch (error) {
      await this.destroy();
      throw new FleetRunError(error as Error);
    }
    if (this.#machines === 0 && !this.#options.quiet)
      process.stderr.write(`no machine takes jobs from ${shown} now: the inputs wait until one does\n`);
    this.#timer = setInterval(() => void this.#count().catch(() => undefined), COUNT_MS).unref();
  }

  async #count(): Promise<void> {
    const { threads, machines } = await this.#fleet!.stats();
    this.#threads = threads;
    this.#machines = machines;
  }

  #runOne(input: unknown): Promise<unknown> {
    const { timeoutMs } = this.#options;
    const args = [...argumentsOf(input, this.#setup.passing)];
    const { signal } = this.#ended;
    return this.#fleet!.run(this.#task, args, { signal, ...(timeoutMs !== undefined && { timeoutMs }) });
  }
}
