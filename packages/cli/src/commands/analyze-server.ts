/** `threadwise analyze server`: declares its arguments and help; what they do is in ../server. */

import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration, parseThreads } from '../run/option-values.js';
import { type RawServerOptions, resolveServerOptions } from '../subjects/server/options.js';

export function addAnalyzeServer(analyze: Command, setExitCode: (code: number) => void): void {
  // What stands behind `server` is for it, also where both have an option of that name; and the `--` is kept for it.
  analyze.enablePositionalOptions();
  analyze.parent?.enablePositionalOptions();
  analyze
    .command('server')
    .summary('measure whether an HTTP app should be left alone, offloaded, or clustered')
    .description(
      'Run an HTTP app as it is, with functions offloaded to threads, and as a cluster of processes, each under load, and say which to choose, and why.',
    )
    .argument('<app>', 'module, and after # the export (default: its default export, or what listens)')
    .argument('[args...]', 'after --: arguments of the app, as its process.argv has them')
    .optionsGroup('App:')
    .option('--port <n>', 'of several ports that it listens on, this one', parsePort)
    .optionsGroup('Load:')
    .option('--route <route>', "'/main?name=x' or 'POST /render'; repeatable (default: /)", collect)
    .option('--routes <list>', 'the same in one: /a,/b', collectList)
    .option('--header <header>', "'name: value', sent with each request; repeatable", collect)
    .option('--body <file>', 'sent with each request that is a POST, PUT, PATCH or DELETE')
    .option('--connections <n>', 'at a time (default: 50)', parseCount)
    .optionsGroup('Compared with the app as it is:')
    .option('--offload <functions>', './tasks.js#render[,…] that the app imports; repeatable', collect)
    .option('--against <route>', 'a route that does the same in threads already; repeatable', collect)
    .option('--threads <n>', 'of the pool (default: the cores)', parseThreads)
    .option('--processes <n>', 'of the cluster (default: the cores)', parseCount)
    .option('--budget <time>', 'how long it may take: 30s, 2m (default: 60s)', parseDuration)
    .optionsGroup('Output:')
    .option('--out <files...>', 'write a report; its ending says which: .json, .html, .md')
    .option('--quiet', 'no progress')
    .addHelpText('after', examples)
    .action(async (app: string, args: string[], _: RawServerOptions, command: Command) => {
      const options = resolveServerOptions(app, args, command.optsWithGlobals<RawServerOptions>());
      // Loaded only now: help and usage errors need none of it.
      const { analyzeServer } = await import('../subjects/server/server.js');
      setExitCode(await analyzeServer(options));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function collectList(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(',')];
}

const HIGHEST_PORT = 65_535;

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= HIGHEST_PORT) return port;
  throw new InvalidArgumentError(`Expected a port, 0 to ${HIGHEST_PORT}.`);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('Expected a number of at least 1.');
}

const examples = `
Examples:
  threadwise analyze server ./app.js --route '/search?q=threads' --offload ./search.js#rank
  threadwise analyze server ./server.js#buildServer --route /main --against /pool --out report.html
  threadwise analyze server ./main.js --route 'POST /render' --body page.json -- --port 3000

The app is started on ports of the loopback interface that are free, whatever it asks for; nothing is sent elsewhere.

Exit codes: 0 a verdict, also 'cannot tell', 1 a report could not be written, 2 usage or bad input, 130 interrupted.`;
