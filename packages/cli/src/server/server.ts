/** What `threadwise analyze server` does: measures, finds, and writes what was found. */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openProgress } from '../analyze/progress.js';
import { ExitCode } from '../exit-code.js';
import { Interrupts } from '../run/interrupts.js';
import { OutputError } from '../run/output/sink.js';
import { describeSystemError } from '../usage-error.js';
import { findServer } from './findings/find.js';
import type { ServerFindings } from './findings/findings.js';
import { measureServer } from './measure/measure.js';
import type { Output, ServerOptions } from './options.js';
import { renderTerminal } from './report/terminal.js';

export async function analyzeServer({ plan, outputs, quiet }: ServerOptions): Promise<number> {
  await Promise.all(outputs.map(checkWritable)); // now, and not after a minute of measuring
  const controller = new AbortController();
  const interrupts = new Interrupts({
    first: () => controller.abort(),
    second: () => process.exit(ExitCode.interrupted),
  });
  const progress = openProgress(quiet ? undefined : process.stderr);
  try {
    const samples = await measureServer({ ...plan, signal: controller.signal }, progress);
    progress.stop();
    const findings = findServer(samples);
    process.stdout.write(renderTerminal(findings, terminal()));
    for (const output of outputs) await write(output, findings);
    return interrupts.exitCode ?? ExitCode.ok;
  } finally {
    progress.stop();
    interrupts.remove();
  }
}

function terminal(): { readonly columns: number; readonly isColor: boolean } {
  const { columns = 100, isTTY = false } = process.stdout;
  return { columns, isColor: isTTY && !process.env.NO_COLOR };
}

async function checkWritable({ file }: Output): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await (await open(file, 'a')).close();
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

async function write({ file, view }: Output, findings: ServerFindings): Promise<void> {
  const text = await view(findings);
  try {
    const handle = await open(file, 'w');
    await handle.writeFile(text);
    await handle.close();
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function cannotWrite(file: string, error: unknown): OutputError {
  return new OutputError(`cannot write ${file}: ${describeSystemError(error)}`);
}
