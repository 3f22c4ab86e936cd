/** One `threadwise run`, from its options to its exit code. */

import { mustBeApart, named, STDOUT } from '../disk/file-id.js';
import { type OutPath, outPath } from '../disk/out-file.js';
import { ExitCode, UsageError } from '../exit-code.js';
import { Interrupts } from '../interrupts.js';
import type { Counts, InputSource } from './inputs/input-source.js';
import { Failures, loadReducer, openDelivery } from './delivery.js';
import { type InlineSample, sampleInline } from './inline-sample.js';
import { filesRead, openInputs, passingOf } from './inputs/open-inputs.js';
import { identityOf, type JournalIdentity, newRun, planResume, type Resume } from './journal/resume.js';
import type { RunOptions } from './options.js';
import { checkOutput, ClosedPipeError } from './output/sink.js';
import { startProgress } from './progress.js';
import type { Report } from './summary.js';
import { createAttempts } from './work/attempts.js';
import type { BatchSetup } from './work/batch.js';
import { fleetExecutor, GivenUp, localExecutor } from './work/executor.js';
import { createPump, type Pump } from './work/pump.js';
import { findModule, moduleFile, settled } from './work/task-module.js';

/** Everything that is known before the first thread starts. */
export interface Plan {
  readonly options: RunOptions;
  readonly source: InputSource;
  readonly setup: BatchSetup;
  readonly identity: JournalIdentity;
  readonly resume: Resume;
  readonly inline: InlineSample | undefined;
  /** Where --out writes; undefined: to standard output. */
  readonly out: OutPath | undefined;
}

/** How many milliseconds a second Ctrl-C waits for the threads to end; the end of the process ends them anyway. */
const LAST_WAIT_MS = 500;

export async function run(options: RunOptions): Promise<number> {
  const { input, journal, compareInline, format, withInput, stopsAtFailure } = options;
  const module = findModule(options.module);
  const output =
    options.out === undefined ? { what: 'standard output', file: STDOUT } : named('--out', options.out);
  mustBeApart(journal === undefined ? [output] : [output, named('--journal', journal)], [
    moduleFile(options.module, module),
    ...filesRead(input),
  ]);
  const out = options.out === undefined ? undefined : outPath(options.out);
  const source = openInputs(input, [out?.path ?? STDOUT, out?.part, journal]);
  process.on('exit', failAtExit);
  try {
    if (compareInline !== undefined && isReadOnce(input, source)) {
      throw new UsageError(
        `--compare-inline and ${filesRead(input)[0]!.what} exclude each other: the sample needs input that can be read twice; use a file`,
      );
    }
    const identity = identityOf(options, module, source);
    const resume = journal === undefined ? newRun : planResume(journal, identity);
    if (resume.kind === 'complete') {
      checkOutput(out, resume.output!);
      return alreadyComplete(options, resume.counts);
    }
    const setup = {
      moduleUrl: module.url,
      exportName: module.exportName,
      passing: passingOf(input),
      format,
      withInput,
      keepsValues: options.reduce !== undefined,
      stopsAtFailure,
    };
    const inline =
      compareInline === undefined
        ? undefined
        : await settled(
            sampleInline(options.module, setup, source, compareInline),
            '--compare-inline: a promise of the module, in the main thread,',
          );
    return await work({ options, source, setup, identity, resume, inline, out });
  } finally {
    process.off('exit', failAtExit);
    source.close();
  }
}

/** Whether the inputs come from a file that cannot be read twice, such as a pipe: only a regular file has a size. */
function isReadOnce(input: RunOptions['input'], { totalBytes }: InputSource): boolean {
  return 'file' in input && totalBytes === undefined;
}

/** Fails the run, and says why, if the task module ends the process in the main thread: otherwise the exit code would be 0. */
function failAtExit(code: number): void {
  if (code !== ExitCode.ok) return;
  process.stderr.write(
    'threadwise: the module has ended the process in the main thread: expected it to return\n',
  );
  process.exitCode = ExitCode.failed;
}

function alreadyComplete({ journal, quiet }: RunOptions, { inputs, failed }: Counts): number {
  if (!quiet) {
    const failures = failed === 0 ? '' : `, ${failed} of them failed`;
    const things = inputs === 1 ? 'input' : 'inputs';
    process.stderr.write(`already complete: journal '${journal}' has ${inputs} ${things}${failures}\n`);
  }
  return failed === 0 ? ExitCode.ok : ExitCode.failed;
}

/** The part of a run during which threads exist: starts them, pumps the inputs through, ends in every case. */
async function work(plan: Plan): Promise<number> {
  const { options, source, setup, resume, inline } = plan;
  const earlier = resume.counts;
  const { on, quiet } = options;
  const begin = performance.now();
  const executor = on === undefined ? localExecutor(options, setup) : fleetExecutor(on, options, setup);
  const failures = new Failures();
  /** Undefined while the threads start. */
  let pump: Pump | undefined;
  /** Must be called before anything else is printed: a bar that goes on would be drawn into it. */
  let endProgress = (): void => {};
  const interrupts: Interrupts = new Interrupts({ first: stop, second: stopAtOnce });
  try {
    executor.ready.catch(() => undefined); // if counting throws, that error is reported instead
    // Counted while the threads load the module.
    source.count?.();
    await executor.ready;
    const startMs = performance.now() - begin;
    const { threads } = executor.size();
    const counts = await deliverAll();
    const elapsedMs = performance.now() - begin;
    const { threads: left, machines } = executor.size();
    await executor.close();
    process.stderr.write(failures.report(earlier.failed));
    if (!quiet) {
      const report: Report = {
        unit: source.unit,
        end: end(),
        counts,
        earlier,
        failed: failures.count + earlier.failed,
        // At the end some threads may be gone: released, or dead and not needed any more.
        threads: Math.max(threads, left),
        machines,
        crashes: executor.crashes,
        elapsedMs,
        startMs,
        inline,
        isReadOnce: isReadOnce(options.input, source),
      };
      // Loaded only now: a quiet run needs none of it.
      const { hintsFor, renderSummary } = await import('./summary.js');
      process.stderr.write(renderSummary(report, hintsFor(report, options)));
    } else if (executor.crashes.count > 0) {
      const { endedThreads } = await import('./summary.js');
      process.stderr.write(`threadwise: threads ${endedThreads(executor.crashes)}\n`);
    }
    return exitCode();
  } catch (error) {
    await executor.destroy();
    // After an interrupt before there was a pump, every error is a result of the interrupt.
    if (pump === undefined && interrupts.exitCode !== undefined) return exitCode();
    if (error instanceof ClosedPipeError) return ExitCode.ok;
    process.stderr.write(failures.report(0));
    throw error;
  } finally {
    interrupts.remove();
  }

  /** Returns how many inputs are done. */
  async function deliverAll(): Promise<Counts> {
    // The module has been loaded by now, so that nothing below destroys an output for a run that cannot start.
    const reducer = await loadReducer(options, setup.moduleUrl);
    // A signal that came meanwhile has ended the executor.
    const isStopped = (): boolean => interrupts.exitCode !== undefined;
    if (isStopped()) throw new Error('interrupted');
    const delivery = await openDelivery(plan, reducer, failures, () => pump?.stop(), isStopped);
    try {
      pump = createPump(options.ordered, executor.batching(), createAttempts(executor.run, options));
      endProgress = await startProgress(options, source, earlier, delivery.counts);
      for await (const results of pump.results(source.read(resume.done))) await delivery.take(results);
      await delivery.end(end() === 'complete');
      return delivery.counts();
    } catch (error) {
      // Bad input ended the reading, or a signal the wait for a machine: what came before it is kept.
      const isGivenUp = error instanceof GivenUp;
      if (isGivenUp || error instanceof UsageError) await delivery.end(false);
      if (!isGivenUp) throw error;
      return delivery.counts();
    } finally {
      endProgress();
      delivery.close();
    }
  }

  function end(): Report['end'] {
    if (interrupts.exitCode !== undefined) return 'interrupted';
    return failures.count > 0 && options.stopsAtFailure ? 'failed' : 'complete';
  }

  function exitCode(): number {
    return interrupts.exitCode ?? (failures.count + earlier.failed > 0 ? ExitCode.failed : ExitCode.ok);
  }

  function stop(): void {
    endProgress();
    if (!quiet) {
      // The carriage return overwrites the ^C that the terminal has printed.
      const atStart = process.stderr.isTTY ? '\r' : '';
      process.stderr.write(`${atStart}stopping when what runs is finished; Ctrl-C again stops at once\n`);
    }
    if (pump === undefined) return void executor.destroy();
    pump.stop();
    executor.stop();
  }

  function stopAtOnce(): void {
    const exit = (): never => process.exit(interrupts.exitCode);
    setTimeout(exit, LAST_WAIT_MS);
    executor.destroy().then(exit, exit);
  }
}
