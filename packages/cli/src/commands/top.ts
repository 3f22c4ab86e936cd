/** `threadwise top`: declares its arguments and help; what it does is in ../client/top. */

import type { Command } from 'commander';
import { addressFrom, parseAddress, TOKEN_VARIABLE } from '../client/address.js';

export function addTop(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command('top')
    .summary('watch the pools of a running program')
    .description(
      'Watch the pools of a running program, and steer them: a live view. ' +
        'Without a terminal, one snapshot as text.',
    )
    .argument(
      '[url]',
      'where the program listens: 9000, host:9000 or a URL (default: port $THREADWISE_CONTROL here)',
    )
    .option('--once', 'print one snapshot and end');
  addToken(command);
  command
    .addHelpText('after', examples)
    .action(async (url: string | undefined, raw: { token?: string; once?: boolean }) => {
      const address = url === undefined ? addressFrom(process.env) : parseAddress(url);
      const token = raw.token ?? process.env[TOKEN_VARIABLE];
      // Loaded only now: help and usage errors need none of it.
      const { top } = await import('../client/top/top.js');
      setExitCode(await top(address, token, raw.once === true));
    });
}

/** Commander's `env` is not used: its help would show the token's value as the default. */
export function addToken(command: Command): void {
  command.option(
    '--token <token>',
    `the program's token; better: set ${TOKEN_VARIABLE}, which others on this machine cannot see`,
  );
}

const examples = `
Examples:
  THREADWISE_CONTROL=9000 node server.js      a program that can be watched
  threadwise top 9000
  threadwise top --once 9000 | grep images

Exit codes: 0 ended by q, 1 the answer was not understood, 2 usage, 4 no token or a wrong one, 5 not reachable, 7 no answer in time,
129 the terminal went away, 130 interrupted, 143 terminated.`;
