/** What each `threadwise analyze …` has in common: it measures until it is done or interrupted, then says and writes what it found. */
import { makeBar, WHOLE } from '../bar.js';
import type { NamedFile } from '../disk/file-id.js';
import { ExitCode } from '../exit-code.js';
import { Interrupts } from '../run/interrupts.js';
import type { Report } from './model.js';
import { checkWritable, type Output, writeReports } from './outputs.js';
import { renderTerminal, type TerminalOptions } from './terminal.js';

/** How far a measurement is. `done`: of the budget, 0 to 1. */
export interface Progress {
  progress(step: { readonly what: string; readonly done: number }): void;
}

export interface Analysis<Samples, Findings> {
  readonly outputs: readonly Output[];
  /** The files that it reads; none of them may be written. */
  readonly read: readonly NamedFile[];
  readonly quiet: boolean;
  /** @param signal aborted: what is known so far is wanted */
  measure(signal: AbortSignal, progress: Progress): Promise<Samples>;
  analyze(samples: Samples): Findings;
  report(findings: Findings): Report;
}

/** Returns the exit code. A second interrupt ends the process. */
export async function measureAndReport<Samples, Findings extends object>(
  analysis: Analysis<Samples, Findings>,
): Promise<number> {
  const controller = new AbortController();
  const interrupts = new Interrupts({
    first: () => controller.abort(),
    second: () => process.exit(ExitCode.interrupted),
  });
  const progress = openProgress(analysis.quiet ? undefined : process.stderr);
  try {
    checkWritable(analysis.outputs, analysis.read);
    const samples = await analysis.measure(controller.signal, progress);
    progress.stop();
    const findings = analysis.analyze(samples);
    const report = analysis.report(findings);
    process.stdout.write(renderTerminal(report, terminal()));
    await writeReports(analysis.outputs, report, findings);
    return interrupts.exitCode ?? ExitCode.ok;
  } finally {
    progress.stop();
    interrupts.remove();
  }
}

/** A line that is overwritten, on a terminal only. @param stream undefined: nothing is shown */
function openProgress(stream: NodeJS.WriteStream | undefined): Progress & { stop(): void } {
  if (stream?.isTTY !== true) return { progress: () => {}, stop: () => {} };
  const bar = makeBar(stream, '{bar} {percentage}% {what}');
  bar.start(WHOLE, 0, { what: 'starting' });
  return {
    progress: ({ what, done }) => bar.update(Math.min(WHOLE, Math.round(done * WHOLE)), { what }),
    stop: () => bar.stop(),
  };
}

export function terminal(): TerminalOptions {
  const { columns = 100, isTTY = false } = process.stdout;
  return { columns, isColor: isTTY && !process.env.NO_COLOR };
}
