/** The signals that end a command in good order, and how a running command handles them. */
import { ExitCode } from './exit-code.js';

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
