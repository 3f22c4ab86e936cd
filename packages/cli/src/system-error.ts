/** Errors of system calls: in words, by code, and as errors that are meant for the user. */
import { getSystemErrorMap } from 'node:util';
import { ExpectedError, UsageError } from './exit-code.js';

/** The reason of a failed system call in words ("no such file"), for messages that already name the path. */
export function describeSystemError(error: unknown): string {
  return reasons.get(codeOf(error)) ?? (error instanceof Error ? error.message : String(error));
}

/** Returns what `act` returns. An ExpectedError that it throws passes. @param problem what the error's message says before the system's reason */
export function attempt<T>(
  act: () => T,
  problem: string,
  Failure: new (message: string) => ExpectedError = UsageError,
): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw new Failure(`${problem}: ${describeSystemError(error)}`);
  }
}

/** Undefined where `act` throws anything: for callers that can do without the value, or know that the failure is reported elsewhere. */
export function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The system's words by code, and ours where those would not say what is wrong. */
const reasons = new Map([
  ...getSystemErrorMap().values(),
  ['EISDIR', 'it is a directory, expected a file'],
  ['ENOTDIR', 'a part of the path is not a directory'],
]);
