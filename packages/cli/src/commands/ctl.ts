/** `threadwise ctl`: declares its commands, options and help; what they do is in ../client. */

import { Command } from 'commander';
import { parseAddress, tokenFrom } from '../client/address.js';
import type { Action, ControlClient } from '../client/client.js';
import type { RawChange } from '../client/ctl.js';
import { parseDuration, parseThreads, parseWhole } from '../run/option-values.js';
import { UsageError } from '../exit-code.js';
import { addToken } from './top.js';

interface RawCtlOptions {
  readonly token?: string;
  readonly timeout?: number;
}

type SetExitCode = (code: number) => void;
/** Runs one command against the program. */
type Run = (work: (client: ControlClient) => Promise<number>) => Promise<void>;

/**
 * The address comes before the command, and commander wants commands first: so this one takes all words, and
 * has another one of its own understand those behind the address.
 */
export function addCtl(program: Command, setExitCode: SetExitCode): void {
  const command = program
    .command('ctl')
    .summary('ask or change the pools of a running program, for scripts')
    .argument('[url]')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false);
  addConnection(command);
  command.helpInformation = () => ctlProgram(program, async () => {}).helpInformation();
  command.addHelpText('after', examples);
  command.action(async (_url: string | undefined, _words: string[], raw: RawCtlOptions) => {
    const [url, ...words] = command.args;
    const run: Run = async (work) => setExitCode(await connected(url!, raw, work));
    const commands = ctlProgram(program, run);
    if (url === undefined) return commands.help({ error: true });
    if (isHelp(url)) return commands.help();
    if (!commands.commands.some((each) => each.name() === url)) return void (await parse(commands, words));
    if (words.some(isHelp)) return void (await parse(commands, [url, ...words]));
    throw new UsageError(`Expected where the program listens before the command: threadwise ctl 9000 ${url}`);
  });
}

async function parse(commands: Command, words: string[]): Promise<void> {
  await commands.parseAsync(words, { from: 'user' });
}

function isHelp(word: string): boolean {
  return word === '-h' || word === '--help' || word === 'help';
}

async function connected(
  url: string,
  { token, timeout }: RawCtlOptions,
  work: (client: ControlClient) => Promise<number>,
): Promise<number> {
  const address = parseAddress(url);
  // Loaded only now: help and usage errors need none of it.
  const { ControlClient } = await import('../client/client.js');
  return work(new ControlClient({ address, token: tokenFrom(token, process.env), timeoutMs: timeout }));
}

function ctlProgram(program: Command, run: Run): Command {
  const commands = new Command('threadwise ctl <url>')
    .copyInheritedSettings(program)
    .usage('<command> [options]')
    .description(
      'Ask or change the pools of a running program. JSON on standard output, messages on standard error.\n' +
        '<url> is where it listens: 9000, host:9000 or a URL. <pool> may be left out if there is only one.',
    );
  addConnection(commands);
  addCommands(commands, run);
  return commands.addHelpText('after', examples);
}

function addConnection(command: Command): void {
  addToken(command);
  command.option(
    '--timeout <time>',
    'give up after that: 500ms, 30s, 5m (default: 10s for each answer, none for what waits)',
    parseDuration,
  );
}

type Ctl = typeof import('../client/ctl.js');

function addCommands(commands: Command, run: Run): void {
  /** What a command does is loaded when it runs. */
  const add = <Options>(
    usage: string,
    description: string,
    work: (ctl: Ctl, client: ControlClient, pool: string | undefined, options: Options) => Promise<number>,
  ): Command =>
    commands
      .command(usage)
      .description(description)
      .action((pool: string | undefined, options: Options) =>
        run(async (client) => work(await import('../client/ctl.js'), client, pool, options)),
      );
  const addAction = (action: Action, description: string): Command =>
    add(`${action} [pool]`, description, (ctl, client, pool) => ctl.act(client, pool, action));

  add('pools', 'the process and all its pools', (ctl, client) => ctl.pools(client));
  add('show [pool]', 'one pool', (ctl, client, pool) => ctl.show(client, pool));
  add('metrics', 'the metrics for Prometheus, as JSON', (ctl, client) => ctl.metrics(client));
  add('health', 'exit code 0 if the process answers', (ctl, client) => ctl.health(client));
  add('ready', 'exit code 0 if every pool takes calls, otherwise 6', (ctl, client) => ctl.ready(client));
  add<RawChange>('set [pool]', 'change how a pool works', (ctl, client, pool, raw) =>
    ctl.set(client, pool, raw),
  )
    .option('--threads <n|auto|min-max>', 'how many threads', parseThreads)
    .option('--min <n>', 'at least so many', parseCount)
    .option('--max <n>', 'at most so many', parseCount)
    .option('--choose <name>', 'the strategy, such as least-busy')
    .option('--placement <name>', 'threads, auto or inline')
    .option('--queue-limit <n|none>', 'how many calls may wait', (text) =>
      // Not null for none: commander makes an empty text of that.
      text === 'none' ? text : parseWhole(text, 0, 'Expected a number of calls, or none.'),
    );
  addAction('pause', 'calls are accepted and wait');
  addAction('resume', 'undo pause and drain');
  addAction('recycle', 'replace every worker, one after another');
  add<{ wait?: boolean }>(
    'drain [pool]',
    'refuse new calls, finish the accepted ones',
    async (_ctl, client, pool, options) => (await import('../client/ctl.js')).drain(client, pool, options),
  ).option('--wait', 'until no call is open');
  add<{ count?: number }>(
    'events [pool]',
    'what a pool tells, one JSON value a line, until it ends',
    (ctl, client, pool, options) => ctl.events(client, pool, options),
  ).option('--count <n>', 'end after n events', (text) =>
    parseWhole(text, 1, 'Expected a number of events, at least 1.'),
  );
}

function parseCount(text: string): number {
  return parseWhole(text, 0, 'Expected a number of threads.');
}

const examples = `
Examples:
  threadwise ctl 9000 pools | jq '.pools[] | {name, state, queue}'
  threadwise ctl 9000 set images --threads 4
  threadwise ctl 9000 drain images --wait --timeout 30s && systemctl restart images
  threadwise ctl 9000 events images --count 10

Changes need the program's token, in THREADWISE_CONTROL_TOKEN.

Exit codes: 0 done, 1 not understood, or undone by others, 2 usage, 3 refused, 4 no token or a wrong one,
5 not reachable, 6 not ready, 7 no answer in time.`;
