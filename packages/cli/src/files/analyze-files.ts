/** What `threadwise analyze files` does: measures, analyses, and writes what was found. */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openProgress } from '../analyze/progress.js';
import { ExitCode } from '../exit-code.js';
import { Interrupts } from '../run/interrupts.js';
import { OutputError } from '../run/output/sink.js';
import { describeSystemError } from '../usage-error.js';
import { analyzeFolder } from './analyze-folder.js';
import type { FolderFindings } from './findings.js';
import { measureFolder } from './measure.js';
import type { FolderOptions, FolderOutput } from './options.js';
import { renderFolderTerminal } from './report/terminal.js';

export async function analyzeFiles(options: FolderOptions): Promise<number> {
  const { outputs, quiet, ...rest } = options;
  const controller = new AbortController();
  const interrupts = new Interrupts({
    first: () => controller.abort(),
    second: () => process.exit(ExitCode.interrupted),
  });
  const progress = openProgress(quiet ? undefined : process.stderr);
  try {
    await Promise.all(outputs.map(checkWritable)); // now, and not after a minute of measuring
    const ownFiles = outputs.map(({ file }) => file);
    const samples = await measureFolder({ ...rest, ownFiles, signal: controller.signal }, progress);
    progress.stop();
    const findings = analyzeFolder(samples);
    const { columns = 100, isTTY = false } = process.stdout;
    process.stdout.write(
      renderFolderTerminal(findings, { columns, isColor: isTTY && !process.env.NO_COLOR }),
    );
    for (const output of outputs) await write(output, findings);
    return interrupts.exitCode ?? ExitCode.ok;
  } finally {
    progress.stop();
    interrupts.remove();
  }
}

async function checkWritable({ file }: FolderOutput): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await (await open(file, 'a')).close();
  } catch (error) {
    throw new OutputError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}

async function write({ file, view }: FolderOutput, findings: FolderFindings): Promise<void> {
  const text = await view(findings);
  try {
    const handle = await open(file, 'w');
    await handle.writeFile(text);
    await handle.close();
  } catch (error) {
    throw new OutputError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}
