/** The options that say what a function is called with: those of `run`, and of `analyze`. */
import type { Command } from 'commander';
import { parseRange } from '../run/option-values.js';

export function addInputOptions(command: Command): Command {
  return command
    .optionsGroup('Input (one of; default: lines of standard input):')
    .option('--files <globs...>', "every file that matches is an input; '!glob' excludes")
    .option('--dot', 'with --files: names beginning with a dot as well')
    .option('--read', "with --files: the function gets the file's content (Uint8Array), not its path")
    .option('--lines [file]', 'every line of a file or of standard input')
    .option('--json <file>', 'every value of a JSON array or of NDJSON')
    .option('--spread', 'with --json: every value is an array, the arguments of a call')
    .option('--range <a..b>', 'every integer from a to b', parseRange);
}
