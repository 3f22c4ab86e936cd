/** The command `threadwise`: the list of its subcommands, and what an error means for the exit code. */

import { Command, CommanderError } from 'commander';
import { addAnalyze } from './commands/analyze.js';
import { addBench } from './commands/bench.js';
import { addCtl } from './commands/ctl.js';
import { addRun } from './commands/run.js';
import { addServe } from './commands/serve.js';
import { addTop } from './commands/top.js';
import { ExitCode, ExpectedError } from './exit-code.js';
import { printable } from './format/cut.js';
import { describeSystemError, hasCode } from './system-error.js';
import { version } from './version.js';

/** How many milliseconds the command waits, after its work, for what a user's module left open in the main thread. */
const LINGER_MS = 500;

const program = new Command('threadwise')
  .description('Run JavaScript functions on all cores.')
  .version(version)
  .showHelpAfterError('(--help lists options and examples)')
  .exitOverride();

const setExitCode = (code: number): void => {
  // A later success must not hide an earlier failure, such as a failed write to standard output.
  if (code !== ExitCode.ok || process.exitCode === undefined) process.exitCode = code;
};

// `run` writes its results itself, and handles their errors in output/sink.ts.
process.stdout.on('error', (error) => {
  // The reader closed the pipe (`--help | head`): that is no error.
  if (hasCode(error, ['EPIPE'])) return;
  process.stderr.write(`threadwise: cannot write to standard output: ${describeSystemError(error)}\n`);
  setExitCode(ExitCode.failed);
});
// An error of standard error cannot be reported anywhere.
process.stderr.on('error', () => {});

for (const add of [addRun, addServe, addAnalyze, addTop, addCtl, addBench]) add(program, setExitCode);
program.addHelpText(
  'after',
  "\nExample:\n  threadwise run ./hash.js --files 'src/**'\n\n'threadwise help <command>' shows more.",
);

/** Works around Commander's `help`, which understands one word only, and lists all commands where that word is unknown. */
function understood(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  const named = first === 'help' ? rest : words;
  const name = named[0];
  const isUnknown =
    name !== undefined &&
    !/^(?:-|help$)/.test(name) &&
    program.commands.every((each) => each.name() !== name);
  if (isUnknown) return [name];
  return first === 'help' && rest.length > 1 ? [...rest, '--help'] : words;
}

try {
  await program.parseAsync(understood(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.missingArgument')
      process.stderr.write('(write it before options that take several values, such as --files)\n');
    setExitCode(error.exitCode === 0 ? ExitCode.ok : ExitCode.usage);
  } else {
    // The library refused an option or an environment variable, and its message says which.
    const isOption = hasCode(error, ['ERR_OPTION']);
    const isExpected = isOption || error instanceof ExpectedError;
    const told =
      error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : error;
    // It may quote what was read.
    process.stderr.write(`threadwise: ${printable(String(told))}\n`);
    if (error instanceof ExpectedError) setExitCode(error.exitCode);
    else setExitCode(isOption ? ExitCode.usage : ExitCode.failed);
  }
}
setTimeout(() => process.exit(), LINGER_MS).unref();
