/** Where the inputs of a run are executed: on the threads of this machine, or on a fleet. */
import type { Fleet, FleetError } from '@threadwise/bullmq';
import { createPool, type Pool } from 'threadwise';
import { ExitCode, ExpectedError } from '../../exit-code.js';
import type { FleetAddress } from '../../fleet/address.js';
import { loadFleetPackage } from '../../fleet/package.js';
import { printable } from '../../format/cut.js';
import { canDrawOn } from '../../format/text.js';
import { hasCode } from '../../system-error.js';
import type { RunOptions } from '../options.js';
import type { RunInWorker } from './attempts.js';
import type { BatchSetup } from './batch.js';
import { batchRun } from './batch-runner.js';
import { describeError, errorLine, stackOf, threadFailure } from './described-error.js';
import { takingInput } from './passing.js';
import { createBatching } from './pump.js';
import { failsToLoad, importModule, selectName } from './task-module.js';

export function localExecutor({ module, threads, timeoutMs, batch }: RunOptions, setup: BatchSetup) {
  const failed = failsToLoad(module, setup.moduleUrl);
  const pool: Pool<typeof import('./batch-tasks.js')> = createPool(
    new URL('./batch-tasks.js', import.meta.url),
    {
      ...(threads !== undefined && { threads }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      name: 'threadwise run',
      worker: { data: setup },
    },
  );
  const crashes = { count: 0, last: '' };
  pool.on('worker:exit', ({ reason, error, exitCode }) => {
    // An error that nobody handled may come when the pool closes, after the last input.
    if (reason !== 'crashed' && (reason !== 'closed' || error === undefined)) return;
    crashes.count += 1;
    crashes.last = error === undefined ? `exit code ${exitCode}` : errorLine(describeError(error));
  });
  /** A thread that cannot be started is tried again and again: that is told once. */
  const told = new Set<string>();
  pool.on('error', ({ error }) => {
    const failure = threadFailure(error);
    if (told.has(failure)) return;
    told.add(failure);
    const lines = [failure, ...(stackOf(error)?.split('\n') ?? [])].join('\n      ');
    // Takes the place of the bar, which is drawn again.
    const atStart = canDrawOn(process.stderr) ? '\r\x1b[K' : '';
    process.stderr.write(`${atStart}threadwise: ${printable(lines)}\n`);
  });
  return {
    /** Resolves when inputs can be run. Rejects with an error that is meant for the user. */
    ready: pool.ready.catch(failed),
    /** Rejects with an ExpectedError where no other input can be run either. */
    run: ((values, attempts) =>
      pool.run('runBatch', [values, attempts]).catch((error: unknown) => {
        // The module loaded at first, and no longer does: the thread that was to replace the last one could not be started.
        if (hasCode(error, ['ERR_MODULE_LOAD'])) failed(error);
        throw error;
      })) as RunInWorker,
    /** How large batches are, and how many run at once. Must not be called before `ready` has resolved. */
    batching: () => createBatching(batch, pool.stats().threads.max),
    /** How many threads there are now, and how many machines of a fleet; undefined without a fleet. */
    size: (): { threads: number; machines?: number } => ({ threads: pool.stats().threads.current }),
    /** How many threads ended by themselves, in a task or between two, and why the last one did; a fleet tells of those in a task alone, as failures. */
    crashes,
    /** To be called when no more inputs come: what nobody runs, and nobody will, rejects with `GivenUp`. */
    stop: () => undefined as void,
    /** Waits for what has begun, and then ends the executor. */
    close: () => pool.close(),
    /** Aborts what runs, and ends the executor. */
    destroy: () => pool.destroy(),
  };
}

/** How many jobs are out for each thread: one runs, one is on its way. With more, Ctrl-C would have to wait longer. */
const JOBS_PER_THREAD = 2;
/** How many jobs are out at least, also as long as no machine is known. */
const LEAST_JOBS = 16;
/** How many milliseconds pass between two counts of the machines. */
const COUNT_MS = 2000;

/** Codes with which a fleet refuses a job. */
const REFUSALS: readonly unknown[] = ['ERR_FLEET_CONNECTION', 'ERR_FLEET_REDIS', 'ERR_FLEET_MODULE'];

/** Whether every other input would fail with this error, too. A task may throw the same codes, of a pool or a fleet of its own. */
function endsRun(thrown: unknown, task: string, version: string): boolean {
  const { code, taskName, jobId, message } = Object(thrown) as Readonly<Record<string, unknown>>;
  if (code === 'ERR_TASK_NOT_FOUND') return taskName === task;
  // An error of a job has its id; that of a machine with another version of the module names both versions.
  return REFUSALS.includes(code) && (jobId === undefined || String(message).includes(version));
}

/** The exit codes of errors that end the run, where it is not that of a failure. */
const END_CODES: Readonly<Record<string, number>> = {
  ERR_FLEET_CONNECTION: ExitCode.unreachable,
  // The module is the same there and here, so it is the command line that names a function that the module does not have.
  ERR_TASK_NOT_FOUND: ExitCode.usage,
};

/** The error of a run whose Redis cannot be reached, or whose fleet does not serve its module. */
function endOf({ code, message }: { readonly code?: string | undefined; readonly message: string }) {
  return new ExpectedError(message, END_CODES[code ?? ''] ?? ExitCode.failed);
}

/** The end of a run that was stopped while no machine took its jobs. */
export class GivenUp extends ExpectedError {}

/**
 * Runs the inputs on the machines of a fleet. Each input is a job, so that any machine can take it, and one that crashes its worker fails
 * no other. The results become text here.
 */
export function fleetExecutor(
  { connection, queue, shown }: FleetAddress,
  { module, timeoutMs, quiet }: RunOptions,
  setup: BatchSetup,
): ReturnType<typeof localExecutor> {
  const ended = new AbortController();
  let fleet: Fleet | undefined;
  let task = '';
  /** The hash of the module, which goes with each job, so that no machine runs another version of it. */
  let version = '';
  let seen = { threads: 0, machines: 0 };
  let timer: NodeJS.Timeout | undefined;
  let end: ExpectedError | undefined;
  let isStopped = false;
  const options = { signal: ended.signal, ...(timeoutMs !== undefined && { timeoutMs }) };
  const call = takingInput((...args) => fleet!.run(task, args, options), setup.passing);
  const runBatch = batchRun(async (input) => {
    try {
      return await call(input);
    } catch (error) {
      // The code ERR_TASK_ABORTED does not say that the run was ended: a task whose own calls were aborted may throw it.
      const told = describeError(error);
      if (ended.signal.aborted || endsRun(error, task, version)) end ??= endOf(told);
      // The fleet itself refuses a value that is too large: its stack has no line of the user's code.
      throw told.code === 'ERR_PAYLOAD_TOO_LARGE' && Object(error).maxBytes !== undefined ? told : error;
    }
  }, setup);
  return {
    ready: start(),
    async run(values, attempts) {
      const outcome = await runBatch(values, attempts);
      if (end !== undefined && outcome.failures.length > 0) throw end;
      return outcome;
    },
    batching: () => ({
      size: () => 1,
      depth: () => Math.max(LEAST_JOBS, JOBS_PER_THREAD * seen.threads),
      note: () => undefined,
    }),
    size: () => seen,
    crashes: { count: 0, last: '' },
    stop() {
      isStopped = true;
      giveUpIfDeserted();
    },
    async close() {
      clearInterval(timer);
      await fleet?.close();
    },
    destroy,
  };

  async function start(): Promise<void> {
    const { moduleUrl, exportName } = setup;
    const { connect, moduleHash } = await loadFleetPackage();
    const load = () => importModule(moduleUrl).catch(failsToLoad(module, moduleUrl));
    task = exportName ?? selectName(await load(), undefined, moduleUrl);
    fleet = connect({ connection, queue, module: new URL(moduleUrl) });
    try {
      version = await moduleHash(moduleUrl);
      await fleet.ready;
      await count();
    } catch (error) {
      await destroy();
      throw endOf(error as Error);
    }
    if (seen.machines === 0 && !quiet)
      process.stderr.write(`no machine takes jobs from ${shown} now: the inputs wait until one does\n`);
    timer = setInterval(() => void count().catch(endIfUnreachable), COUNT_MS).unref();
  }

  /** While all calls that may be out wait for Redis, no other call is made that would find that Redis is away. */
  function endIfUnreachable(error: FleetError): void {
    if (error.code !== 'ERR_FLEET_CONNECTION') return;
    end ??= endOf(error);
    ended.abort();
  }

  async function count(): Promise<void> {
    seen = await fleet!.stats();
    giveUpIfDeserted();
  }

  /** A run that is stopped waits for what runs, and not for a machine that may come. */
  function giveUpIfDeserted(): void {
    if (!isStopped || seen.machines > 0) return;
    end ??= new GivenUp('The run was stopped while no machine took its jobs');
    void destroy();
  }

  /** Removes the jobs that wait, and aborts the tasks that run. */
  async function destroy(): Promise<void> {
    clearInterval(timer);
    ended.abort();
    await fleet?.close({ timeoutMs: 0 });
  }
}
