/** What the command's exit codes mean: a contract with scripts, listed in docs/command.md. */

export const ExitCode = {
  ok: 0,
  /** An input failed, the reducer failed, or the output could not be written. */
  failed: 1,
  /** Usage, bad input, or a module that does not load. */
  usage: 2,
  /** 128 + SIGINT, as shells do. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;
