/** How both commands are told of the token. */

import { type Command, Option } from 'commander';
import { TOKEN_VARIABLE } from './failures.js';

/** Not by commander's `env`: its help would show the token's value as the default. */
export function addToken(command: Command): void {
  command.addOption(
    new Option('--token <token>', `better: set ${TOKEN_VARIABLE}, which others on this machine cannot see`),
  );
}

export function tokenFrom(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return given ?? env[TOKEN_VARIABLE];
}
