/** What the command's exit codes mean: a contract with scripts, listed in docs/command.md. */

export const ExitCode = {
  ok: 0,
  /** An input failed, the reducer failed, or the output could not be written. */
  failed: 1,
  /** Usage, bad input, or a module that does not load. */
  usage: 2,
  /** `top`, `ctl`: the program answered that it will not do that. */
  refused: 3,
  /** `top`, `ctl`: no token, or a wrong one. */
  unauthorised: 4,
  /** `top`, `ctl`: nothing answers there, or the connection was lost. */
  unreachable: 5,
  /** `ctl ready`: a pool takes no calls. */
  notReady: 6,
  /** `top`, `ctl`: the time was over. What was asked for may still happen. */
  timedOut: 7,
  /** 128 + SIGHUP: the terminal went away. */
  hungUp: 129,
  /** 128 + SIGINT, as shells do. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

/** What the signals come to that end a command in good order. Without SIGHUP a closed terminal would leave what is half written. */
export const signalExitCodes = {
  SIGINT: ExitCode.interrupted,
  SIGTERM: ExitCode.terminated,
  SIGHUP: ExitCode.hungUp,
} as const;

export type EndSignal = keyof typeof signalExitCodes;
export const endSignals = Object.keys(signalExitCodes) as EndSignal[];
