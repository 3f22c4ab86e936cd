/** `threadwise ctl`: declares its commands, options and help; what they do is in ../client. */

import { Command } from 'commander';
import { parseAddress, TOKEN_VARIABLE } from '../client/address.js';
import { parseDuration, parseThreads, parseWhole, wholeNumber } from '../run/option-values.js';
import { UsageError } from '../exit-code.js';
import { addToken } from './top.js';

type CtlCommands = typeof import('../client/ctl.js').commands;

/**
 * Commander expects a command before its arguments, but here the address comes first: so `ctl` takes all words, and a second
 * Commander program parses those after the address, options and `--` among them.
 */
export function addCtl(program: Command): void {
  const command = program
    .command('ctl')
    .summary('ask or change the pools of a running program, for scripts')
    .argument('[url]')
    .argument('[words...]')
    .passThroughOptions()
    .allowUnknownOption()
    .helpOption(false);
  addConnection(command);
  command.helpInformation = () => ctlProgram(program, command).helpInformation();
  command.addHelpText('after', examples);
  command.action(async () => {
    const [url, ...words] = command.args;
    const commands = ctlProgram(program, command);
    if (url === undefined) return commands.help({ error: true });
    if (isHelp(url)) return commands.help();
    const isCommand = commands.commands.some((each) => each.name() === url);
    if (isCommand && !words.some(isHelp)) {
      throw new UsageError(
        `Expected where the program listens before the command: threadwise ctl 9000 ${url}`,
      );
    }
    await commands.parseAsync(isCommand ? command.args : words, { from: 'user' });
  });
}

function isHelp(word: string): boolean {
  return word === '-h' || word === '--help' || word === 'help';
}

/** Runs one of the commands. @param ctl has the address, and the options before it */
async function run(ctl: Command, command: Command): Promise<void> {
  const address = parseAddress(ctl.args[0]!);
  // Loaded only now: help and usage errors need none of it.
  const { openClient } = await import('../client/client.js');
  const { commands } = await import('../client/ctl.js');
  const given = { ...ctl.opts(), ...command.optsWithGlobals() };
  const { token = process.env[TOKEN_VARIABLE], timeout, ...options } = given;
  const client = openClient({ address, token, timeoutMs: timeout });
  await commands[command.name() as keyof CtlCommands](client, command.args[0], options);
}

function ctlProgram(program: Command, ctl: Command): Command {
  const commands = new Command('threadwise ctl <url>')
    .copyInheritedSettings(program)
    .enablePositionalOptions(false)
    .usage('<command> [options]')
    .description(
      'Ask or change the pools of a running program. JSON on standard output, messages on standard error.\n' +
        '<url> is where the program listens: 9000, host:9000 or a URL. <pool> may be left out if there is only one.',
    );
  addConnection(commands);
  addCommands(commands, ctl);
  return commands.addHelpText('after', examples);
}

function addConnection(command: Command): void {
  addToken(command);
  command.option(
    '--timeout <time>',
    'give up after this time: 500ms, 30s, 5m (default: 10s for each answer, no limit for drain --wait and events)',
    parseDuration,
  );
}

function addCommands(commands: Command, ctl: Command): void {
  const add = (usage: `${keyof CtlCommands}${'' | ' [pool]'}`, description: string): Command => {
    const command = commands.command(usage).description(description);
    return command.action(() => run(ctl, command));
  };
  add('pools', 'the process and all its pools');
  add('show [pool]', 'one pool');
  add('metrics', 'the metrics for Prometheus, as JSON');
  add('health', 'exit code 0 if the process answers');
  add('ready', 'exit code 0 if every pool takes calls, otherwise 6');
  add('set [pool]', 'change how a pool works')
    .option('--threads <n|auto|min-max>', 'how many threads', parseThreads)
    .option('--min <n>', 'the smallest number of threads', wholeNumber(0, 'Expected a number of threads.'))
    .option('--max <n>', 'the largest number of threads', wholeNumber(0, 'Expected a number of threads.'))
    .option('--choose <name>', 'the strategy, such as least-busy')
    .option('--placement <name>', 'threads, auto or inline')
    .option('--queue-limit <n|none>', 'how many calls may wait', (text) =>
      // Commander turns null into an empty string, so `none` stays text.
      text === 'none' ? text : parseWhole(text, 0, 'Expected a number of calls, or none.'),
    );
  add('pause [pool]', 'calls are accepted and wait');
  add('resume [pool]', 'undo pause and drain');
  add('recycle [pool]', 'replace every worker, one after another');
  add('drain [pool]', 'refuse new calls, finish the accepted ones').option(
    '--wait',
    'end only when no call is open',
  );
  add('events [pool]', 'the events of a pool, one JSON value a line, until the pool is closed').option(
    '--count <n>',
    'end after n events',
    wholeNumber(1, 'Expected a number of events, at least 1.'),
  );
}

const examples = `
Examples:
  threadwise ctl 9000 pools | jq '.pools[] | {name, state, queue}'
  threadwise ctl 9000 set images --threads 4
  threadwise ctl 9000 drain images --wait --timeout 30s && systemctl restart images
  threadwise ctl 9000 events images --count 10

Changes need the program's token, in THREADWISE_CONTROL_TOKEN.

Exit codes: 0 done, 1 the answer was not understood, or others undid the drain, 2 usage, 3 refused, 4 no token or a wrong one,
5 not reachable, 6 not ready, 7 no answer in time.`;
