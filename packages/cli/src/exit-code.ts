/** How the command ends: its exit codes (scripts rely on them; docs/command.md lists them), and errors meant for users. */

export const ExitCode = {
  ok: 0,
  /** An input failed, the reducer failed, or the output could not be written. */
  failed: 1,
  /** Usage, bad input, or a module that does not load. */
  usage: 2,
  /** `top`, `ctl`: the program refused the request. */
  refused: 3,
  /** `top`, `ctl`: no token, or a wrong one. */
  unauthorised: 4,
  /** `top`, `ctl`: the program cannot be reached, or the connection was lost. */
  unreachable: 5,
  /** `ctl ready`: a pool takes no calls. */
  notReady: 6,
  /** `top`, `ctl`: no answer in time. The program may still do what was asked. */
  timedOut: 7,
  /** 128 + SIGHUP: the terminal went away. */
  hungUp: 129,
  /** 128 + SIGINT, as shells do. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

/** An error that is meant for the user: its message is all that is printed. */
export class ExpectedError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = ExitCode.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Bad options and bad input. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, ExitCode.usage);
  }
}
