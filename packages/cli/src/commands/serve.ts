/** `threadwise serve`: declares its arguments and help; what it does is in ../fleet/serve. */
import { type Command, Option } from 'commander';
import { parseFleetAddress } from '../fleet/address.js';
import type { ServeOptions } from '../fleet/serve.js';
import { parseDuration, parseThreads } from '../run/option-values.js';

export function addServe(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('serve')
    .summary('take jobs of a fleet and run them on all cores')
    .description(
      'Take jobs from a BullMQ queue in Redis, and run them on all cores of this machine, until a signal ends it. ' +
        'Each function that the module exports is a task; `threadwise run --on`, the package @threadwise/bullmq and any BullMQ producer add jobs.',
    )
    .argument('<module>', 'the module with the functions')
    .requiredOption('--queue <url>', 'redis://host:6379/0#queue, or rediss:// for TLS', parseFleetAddress)
    .option('--threads <auto|n|min-max>', 'number of threads (default: auto)', parseThreads)
    .option('--name <name>', 'name of this machine in statistics (default: host and process)')
    .addOption(
      new Option('--lock <time>', 'how long the machine may be silent before its jobs go to others')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .addOption(
      new Option('--grace <time>', 'how long jobs may run on after a signal')
        .argParser(parseDuration)
        .default(25_000, '25s'),
    )
    .option('--quiet', 'say only what is wrong')
    .addHelpText('after', examples)
    .action(async (module: string, options: ServeOptions) => {
      // Loaded only now: help and usage errors need none of it.
      const { serveQueue } = await import('../fleet/serve.js');
      setExitCode(await serveQueue(module, options));
    });
}

const examples = `
Times: 500, 500ms, 2s, 1m.

Examples:
  threadwise serve ./tasks.js --queue redis://db:6379/0#thumbnails                        on each machine
  threadwise run ./tasks.js#thumbnail --lines urls.txt --on redis://db:6379/0#thumbnails  anywhere

Exit codes: 1 no worker can be started any more, 2 usage or a module that does not load, 5 Redis refused the machine, 129 the terminal
went away, 130 interrupted, 143 terminated.`;
