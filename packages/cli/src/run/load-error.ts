/** Says why the user's module did not load, from the error that came out of the workers. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../usage-error.js';
import { shownValue } from './work/described-error.js';

/** Node's own check takes a fraction of a second; it must not hold up the message for long. */
const CHECK_TIMEOUT_MS = 5000;

export function loadError(module: string, url: string, error: unknown): UsageError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return new UsageError(`cannot load '${module}': ${shownValue(cause)}`);
  // Ours, from task-module.ts: it crossed a thread, so only its name is left of its class.
  if (cause.name === 'UsageError') return new UsageError(cause.message);
  const place = cause instanceof SyntaxError ? placeOfSyntaxError(url) : '';
  return new UsageError(`cannot load '${module}': ${cause.name}: ${cause.message}${place}`);
}

/**
 * A SyntaxError of an import carries no place; only Node's printing of an uncaught one adds it. Asking `node --check`
 * gives it back for the module itself, though not for what it imports.
 */
function placeOfSyntaxError(url: string): string {
  const { stderr } = spawnSync(process.execPath, ['--check', fileURLToPath(url)], {
    encoding: 'utf8',
    timeout: CHECK_TIMEOUT_MS,
  });
  const place = /^(?:file:\/\/)?(\S.*:\d+)\r?\n/.exec(stderr ?? '');
  return place === null ? '' : ` (${place[1]})`;
}
