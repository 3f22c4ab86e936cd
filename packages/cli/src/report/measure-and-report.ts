/** What each `threadwise analyze …` has in common: it measures until it is done or interrupted, then says and writes what it found. */
import { makeBar, WHOLE } from '../bar.js';
import { ExitCode } from '../exit-code.js';
import type { Plan } from '../experiment/session.js';
import { safeText } from '../format/text.js';
import { Interrupts } from '../run/interrupts.js';
import type { Reporting, Subject } from '../subjects/subject.js';
import { checkWritable, writeReports } from './outputs.js';
import { renderTerminal, type TerminalOptions } from './terminal.js';

/** How far a measurement is. `done`: of the budget, 0 to 1. */
export interface Progress {
  progress(step: { readonly what: string; readonly done: number }): void;
}

/** Returns the exit code. A second interrupt ends the process. */
export async function measureAndReport<P extends Plan, Samples, Findings extends object>(
  { measure, analyze, report: reportOf }: Subject<P, Samples, Findings>,
  plan: Omit<P, 'signal'>,
  { outputs, read, quiet, isVerbose }: Reporting,
): Promise<number> {
  const controller = new AbortController();
  const interrupts = new Interrupts({
    first: () => controller.abort(),
    second: () => process.exit(ExitCode.interrupted),
  });
  const progress = openProgress(quiet ? undefined : process.stderr);
  try {
    checkWritable(outputs, read);
    const samples = await measure({ ...plan, signal: controller.signal } as P, progress);
    progress.stop();
    const findings = analyze(samples);
    const report = reportOf(findings);
    process.stdout.write(renderTerminal(report, { ...terminal(), isVerbose }));
    await writeReports(outputs, report, findings);
    for (const { file } of outputs) process.stdout.write(`Report: ${safeText(file)}\n`);
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
