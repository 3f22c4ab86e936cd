/** How an error that ended the command is told: expected ones by their message, unexpected ones with their stack. */

import { OutputError } from './disk/output-error.js';
import { ExitCode } from './exit-code.js';
import { ReducerError } from './run/reducer.js';
import { UsageError } from './usage-error.js';

export function messageOf(error: unknown): string {
  if (isExpected(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function exitCodeOf(error: unknown): number {
  return error instanceof UsageError ? ExitCode.usage : ExitCode.failed;
}

function isExpected(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof OutputError || error instanceof ReducerError;
}
