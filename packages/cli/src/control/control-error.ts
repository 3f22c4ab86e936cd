/** What can go wrong between this command and the program that it asks: each kind with its exit code. */

import { ExitCode } from '../exit-code.js';

const exitCodes = {
  /** Nothing answers there, or the connection was lost. */
  ERR_UNREACHABLE: ExitCode.unreachable,
  /** The answer did not come in time. */
  ERR_TIMEOUT: ExitCode.timedOut,
  /** No token, or a wrong one. */
  ERR_UNAUTHORISED: ExitCode.unauthorised,
  /** The program understood and will not do it. */
  ERR_REFUSED: ExitCode.refused,
  /** A pool takes no calls. */
  ERR_NOT_READY: ExitCode.notReady,
  /** What was waited for was undone by somebody else. */
  ERR_UNDONE: ExitCode.failed,
  /** What answered is not what was expected there. */
  ERR_ANSWER: ExitCode.failed,
} as const;

export type ControlErrorCode = keyof typeof exitCodes;

export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: ControlErrorCode;
  /** The program's own code, where it was the program that refused. */
  readonly answerCode: string | undefined;

  constructor(
    code: ControlErrorCode,
    message: string,
    { answerCode, ...options }: ErrorOptions & { readonly answerCode?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.answerCode = answerCode;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}
