/** The command `threadwise`: the list of its subcommands, and what an error means for the exit code. */

import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ExitCode, ExpectedError } from './exit-code.js';
import { printable } from './format/cut.js';
import { describeSystemError, hasCode } from './system-error.js';
import { version } from './version.js';

type AddCommand = (program: Command, setExitCode: (code: number) => void) => void;

/** The file of each command declares its options. It is loaded only where they are needed. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import('./commands/run.js')).addRun,
  serve: async () => (await import('./commands/serve.js')).addServe,
  analyze: async () => (await import('./commands/analyze.js')).addAnalyze,
  top: async () => (await import('./commands/top.js')).addTop,
  ctl: async () => (await import('./commands/ctl.js')).addCtl,
  bench: async () => (await import('./commands/bench.js')).addBench,
};
const isCommand = (name: string): boolean => Object.hasOwn(COMMANDS, name);

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

/**
 * Declares the command that is asked for, or all: the program's help lists them, and an error names a similar one. Returns the words to parse,
 * which work around Commander's `help`: it understands one word only, and lists all commands where that word is unknown.
 */
async function declared(program: Command, words: readonly string[]): Promise<readonly string[]> {
  const [first, ...rest] = words;
  const [name = ''] = first === 'help' ? rest : words;
  const asked = isCommand(name) ? [name] : Object.keys(COMMANDS);
  for (const add of await Promise.all(asked.map((each) => COMMANDS[each]!()))) add(program, setExitCode);
  if (!/^(?:-|help$|$)/.test(name) && !isCommand(name)) return [name];
  return first === 'help' && rest.length > 1 ? [...rest, '--help'] : words;
}

/** Does what the words say. What comes of it is in process.exitCode. */
export async function main(words: readonly string[]): Promise<void> {
  const program = new Command('threadwise')
    .description('Run JavaScript functions on all cores.')
    .version(version)
    // Options after a command belong to it, also where the program has one of that name; and `--` is passed on to it.
    .enablePositionalOptions()
    .showHelpAfterError('(--help lists options and examples)')
    .exitOverride()
    .addHelpText(
      'after',
      "\nExample:\n  threadwise run ./hash.js --files 'src/**'\n\n'threadwise help <command>' shows more.",
    );
  try {
    await program.parseAsync(await declared(program, words), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'commander.missingArgument')
        process.stderr.write(
          '(write it before options that take several values, which --help shows with ...)\n',
        );
      // The shell has made it of a pattern, or it stands behind --files --.
      const [, name = ''] = /^error: unknown option '(.*)'/s.exec(error.message) ?? [];
      if (existsSync(name)) process.stderr.write(`(write the file of that name as './${printable(name)}')\n`);
      return setExitCode(error.exitCode === 0 ? ExitCode.ok : ExitCode.usage);
    }
    // The library refused an option or an environment variable, and its message says which.
    const ofOption = hasCode(error, ['ERR_OPTION']) ? ExitCode.usage : undefined;
    const exitCode = error instanceof ExpectedError ? error.exitCode : ofOption;
    const told = error instanceof Error ? (exitCode === undefined ? error.stack : error.message) : error;
    // The message may quote text from a file, with control sequences in it.
    process.stderr.write(`threadwise: ${printable(String(told))}\n`);
    setExitCode(exitCode ?? ExitCode.failed);
  }
}
