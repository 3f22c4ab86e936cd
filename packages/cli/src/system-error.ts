/** Errors of system calls: in words, by code, and as errors that are meant for the user. */
import { type ExpectedError, UsageError } from './exit-code.js';

/** The reason of a failed system call in words ("no such file"), for messages that already name the path. */
export function describeSystemError(error: unknown): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

/** Returns what `act` returns. A `Failure` that it throws passes. @param problem what the error's message says before the system's reason */
export function attempt<T>(
  act: () => T,
  problem: string,
  Failure: new (message: string) => ExpectedError = UsageError,
): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${problem}: ${describeSystemError(error)}`);
  }
}

/** Undefined where it fails, whyever: for what is done without then, or whose failure somebody else tells of. */
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

const reasons: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'it is a directory, expected a file',
  ENOTDIR: 'a part of the path is not a directory',
  EMFILE: 'too many open files',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file is larger than it may be',
  EDQUOT: 'the quota of the disk is used up',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'too many symbolic links',
  EIO: 'the device failed',
};
