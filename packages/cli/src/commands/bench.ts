/**
 * `threadwise bench`: runs the experiments of the repository. They depend on the published pools, so the package in the registry does
 * not contain them: this file finds them by the name of their package, and passes all arguments on.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { UsageError } from '../exit-code.js';
import { endSignals } from '../interrupts.js';
import { hasCode } from '../system-error.js';

const EXPERIMENTS = 'threadwise-bench/main.js';

export function addBench(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command('bench')
    .summary('run the experiments, which compare this library with published pools and figures')
    .description(
      'Run experiments, all of them or those that are named, and draw the conclusions from what was measured. ' +
        "'threadwise bench --help' lists the options, 'threadwise bench --list' the experiments.",
    )
    .argument(
      '[ids...]',
      "experiments by id, such as hash-direct; or 'report', which writes down what was saved",
    )
    .allowUnknownOption()
    .helpOption(false)
    .action(async () => setExitCode(await runExperiments(command.args)));
}

/** @returns the exit code of the process that ran them */
async function runExperiments(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [experimentsModule(), ...args], { stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of endSignals) process.on(signal, forward);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return signal === null ? code! : 128 + constants.signals[signal];
  } finally {
    for (const signal of endSignals) process.off(signal, forward);
  }
}

function experimentsModule(): string {
  try {
    const path = fileURLToPath(import.meta.resolve(EXPERIMENTS));
    if (existsSync(path)) return path;
  } catch (error) {
    if (!hasCode(error, ['ERR_MODULE_NOT_FOUND'])) throw error;
  }
  throw new UsageError(
    'The experiments are not installed: they, and the published pools that they measure, are part of the repository of ' +
      'threadwise and not of this package. In a clone of it, `npm run bench -- --list` installs what they need, builds, and ' +
      'lists them; `npm run bench -- hash-direct --quick` runs one.',
  );
}
