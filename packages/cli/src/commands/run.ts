/** `threadwise run`: declares its arguments and help; what they do is in ../run. */

import { type Command, Option } from 'commander';
import { parseFleetAddress } from '../fleet/address.js';
import {
  addInputOptions,
  parseBatch,
  parseDuration,
  parseRetries,
  parseSampleSize,
  parseThreads,
} from '../run/option-values.js';
import { type RawRunOptions, resolveRunOptions } from '../run/options.js';
import { formatNames } from '../run/output/format.js';

export function addRun(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command('run')
    .summary('run a function over files or records on all cores')
    .description(
      'Run an exported function once per input, on all cores; results go to standard output in input order.',
    )
    .argument('<module>', 'module, and after # the export (default: its default or only function)');
  addInputOptions(command)
    .optionsGroup('Output:')
    .option('--out <file>', 'write results to a file')
    .addOption(
      new Option('--format <name>', 'how results are written (default: ndjson)').choices(formatNames),
    )
    .option('--with-input', 'write {"input": …, "result": …}')
    .option('--unordered', 'write results as they come')
    .option('--reduce <export>', 'fold the results with a function of the module, write the final value')
    .option('--quiet', 'no progress and no summary')
    .optionsGroup('Execution:')
    .option('--threads <auto|n|min-max>', 'number of threads (default: auto)', parseThreads)
    .option('--on <url>', 'run on a fleet: redis://host:6379/0#queue', parseFleetAddress)
    .option('--batch <auto|n>', 'inputs per message to a thread (default: auto)', parseBatch)
    .option('--timeout <time>', 'limit for each attempt of an input: 500, 500ms, 2s, 1m', parseDuration)
    .option('--retries <n>', 'how often a failing input is tried again (default: 0)', parseRetries)
    .addOption(
      new Option('--on-error <what>', 'what a failing input does to the run (default: stop)').choices([
        'stop',
        'skip',
      ]),
    )
    .option(
      '--journal <file>',
      'record what is done: the same command again goes on where a killed run stopped',
    )
    .option(
      '--compare-inline [n]',
      'first run a sample of n inputs (default: 200) without threads',
      parseSampleSize,
    )
    .addHelpText('after', examples)
    .action(async (module: string, raw: RawRunOptions) => {
      const resolved = resolveRunOptions(module, raw, process.stdin.isTTY === true);
      // Loaded only now: help and usage errors need none of it.
      const { run } = await import('../run/run.js');
      setExitCode(await run(resolved));
    });
}

const examples = `
Examples:
  threadwise run ./hash.js --files 'src/**' '!**/*.map'      one call per file, its path as the argument
  threadwise run ./hash.js#digest --files 'src/**' --read    the file's content, read by the worker
  threadwise run ./tasks.js#resize --files 'in/*.jpg' --on-error skip --timeout 30s
  cat urls.txt | threadwise run ./tasks.js#parse --format text > parsed.txt
  threadwise run ./score.js --json records.json --with-input --out scores.ndjson
  threadwise run ./primes.js#count --range 1..1000000 --reduce sum
  threadwise run ./tasks.js#thumbnail --lines urls.txt --on redis://db:6379/0#thumbnails
  threadwise run ./import.js --lines big.csv --out done.ndjson --journal import.journal

Exit codes: 0 every input succeeded, 1 an input, the fold or the output failed, 2 usage or bad input, 5 Redis cannot be reached
or refuses the password, 129 the terminal went away, 130 interrupted, 143 terminated.`;
