/** Errors that a user is meant to read: told without a stack. What is wrong otherwise is ours, and told with it. */

import { ExitCode } from './exit-code.js';

export abstract class ExpectedError extends Error {
  readonly exitCode: number = ExitCode.failed;
}

/** Bad options and bad input. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
  override readonly exitCode = ExitCode.usage;
}

/** What is asked for cannot be written. */
export class OutputError extends ExpectedError {
  override readonly name = 'OutputError';
}

/** The reason of a failed system call in words ("no such file"), for messages that already name the path. */
export function describeSystemError(error: unknown): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

/** Whether it is one of these errors of the system. */
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
