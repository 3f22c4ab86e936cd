/** How the command ends: its exit codes (scripts rely on them; docs/command.md lists them), its signals, and errors meant for users. */

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

/** The exit codes of the signals that end a command in good order. Without SIGHUP a closed terminal would leave output half written. */
export const signalExitCodes = {
  SIGINT: ExitCode.interrupted,
  SIGTERM: ExitCode.terminated,
  SIGHUP: ExitCode.hungUp,
} as const;

export type EndSignal = keyof typeof signalExitCodes;
export const endSignals = Object.keys(signalExitCodes) as EndSignal[];

/** Handles Ctrl-C and the other end signals: the first one ends the run in good order, the second one at once. */
export class Interrupts {
  #received: EndSignal | undefined;
  readonly #onSignal: (signal: EndSignal) => void;

  constructor({ first, second }: Record<'first' | 'second', () => void>) {
    this.#onSignal = (signal) => {
      if (this.#received !== undefined) return second();
      this.#received = signal;
      first();
    };
    for (const signal of endSignals) process.on(signal, this.#onSignal);
  }

  /** Undefined until a signal arrives. */
  get exitCode(): number | undefined {
    return this.#received && signalExitCodes[this.#received];
  }

  remove(): void {
    for (const signal of endSignals) process.off(signal, this.#onSignal);
  }
}

export abstract class ExpectedError extends Error {
  readonly exitCode: number = ExitCode.failed;
}

/** Bad options and bad input. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
  override readonly exitCode = ExitCode.usage;
}

export class OutputError extends ExpectedError {
  override readonly name = 'OutputError';
}

/** The reason of a failed system call in words ("no such file"), for messages that already name the path. */
export function describeSystemError(error: unknown): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

/** Returns what `act` returns. @param problem what the error's message says before the system's reason */
export function attempt<T>(
  act: () => T,
  problem: string,
  Failure: new (message: string) => ExpectedError = UsageError,
): T {
  try {
    return act();
  } catch (error) {
    throw new Failure(`${problem}: ${describeSystemError(error)}`);
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
