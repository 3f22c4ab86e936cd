/** What each `threadwise analyze …` has in common: it measures until it is done or interrupted, then says and writes what it found. */
import type { NamedFile } from '../disk/file-id.js';
import { ExitCode } from '../exit-code.js';
import type { TerminalOptions } from './terminal-lines.js';
import { Interrupts } from '../run/interrupts.js';
import { checkWritable, type Output, writeReports } from './outputs.js';
import { type AnalysisProgress, openProgress } from './progress.js';

export interface Analysis<Samples, Findings> {
  readonly outputs: readonly Output<Findings>[];
  /** The files that it reads; none of them may be written. */
  readonly read: readonly NamedFile[];
  readonly quiet: boolean;
  /** @param signal aborted: what is known so far is wanted */
  measure(signal: AbortSignal, progress: AnalysisProgress): Promise<Samples>;
  analyze(samples: Samples): Findings;
  renderTerminal(findings: Findings, terminal: TerminalOptions): string;
}

/** Returns the exit code. A second interrupt ends the process. */
export async function measureAndReport<Samples, Findings>(
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
    process.stdout.write(analysis.renderTerminal(findings, terminal()));
    await writeReports(analysis.outputs, findings);
    return interrupts.exitCode ?? ExitCode.ok;
  } finally {
    progress.stop();
    interrupts.remove();
  }
}

export function terminal(): TerminalOptions {
  const { columns = 100, isTTY = false } = process.stdout;
  return { columns, isColor: isTTY && !process.env.NO_COLOR };
}
