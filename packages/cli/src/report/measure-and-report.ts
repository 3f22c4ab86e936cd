/** What each `threadwise analyze …` has in common: it measures until it is done or interrupted, then says and writes what it found. */
import { makeBar, WHOLE } from '../bar.js';
import { ExitCode } from '../exit-code.js';
import { Interrupts } from '../interrupts.js';
import { certainAnswer, type Findings } from '../experiment/rules.js';
import type { Plan, Progress } from '../experiment/session.js';
import { canDrawOn, safeText } from '../format/text.js';
import type { Reporting, Subject } from '../subjects/subject.js';
import { checkWritable, writeReports } from './outputs.js';
import { renderTerminal, type TerminalOptions } from './terminal.js';

/** Returns the exit code. A second interrupt ends the process. */
export async function measureAndReport<P extends Plan, Samples, F extends Findings>(
  { measure, analyze, isCertain, report: reportOf }: Subject<P, Samples, F>,
  plan: Omit<P, 'signal'>,
  { outputs, read, quiet, isVerbose }: Reporting,
): Promise<number> {
  const controller = new AbortController();
  const interrupts: Interrupts = new Interrupts({
    first: () => controller.abort(),
    second: () => process.exit(interrupts.exitCode),
  });
  const progress = openProgress(quiet ? undefined : process.stderr);
  try {
    checkWritable(outputs, read);
    const samples = await measure({ ...plan, signal: controller.signal } as P, progress, (soFar) => {
      const found = analyze(soFar);
      progress.sayAnswer(found.verdict.sentence);
      return isCertain?.(found) === false ? undefined : certainAnswer(found.verdict);
    });
    progress.stop();
    const report = reportOf(analyze(samples));
    process.stdout.write(renderTerminal(report, { ...terminal(), isVerbose }));
    await writeReports(outputs, report);
    for (const { file } of outputs) process.stdout.write(`Report: ${safeText(file)}\n`);
    return interrupts.exitCode ?? ExitCode.ok;
  } finally {
    progress.stop();
    interrupts.remove();
  }
}

/** A progress line, only on a terminal that can overwrite it: a log shall hold nothing but the verdict. @param stream undefined: nothing is shown */
export function openProgress(stream: NodeJS.WriteStream | undefined) {
  const bar = canDrawOn(stream) ? makeBar(stream!, '{bar} {percentage}% {what}{answer}') : undefined;
  bar?.start(WHOLE, 0, { what: 'starting', answer: '' });
  return {
    progress: ({ what, done }: Parameters<Progress['progress']>[0]) =>
      bar?.update(Math.min(WHOLE, Math.round(done * WHOLE)), { what }),
    /** Shows the verdict so far. */
    sayAnswer: (sentence: string) => bar?.update({ answer: `, so far: ${sentence}` }),
    stop: () => bar?.stop(),
  };
}

export function terminal(): TerminalOptions {
  const { columns } = process.stdout;
  // A terminal of 0 columns does not know its size, as one that a program opened.
  return { columns: columns || 100, isColor: canDrawOn(process.stdout) && !process.env.NO_COLOR };
}
