/** Ctrl-C: the first one ends the run in good order, the second one at once. */

import { ExitCode } from '../exit-code.js';

/** And what each comes to. Without SIGHUP a closed terminal would leave what is half written. */
const EXIT_CODES = {
  SIGINT: ExitCode.interrupted,
  SIGTERM: ExitCode.terminated,
  SIGHUP: ExitCode.hungUp,
} as const;
const SIGNALS = Object.keys(EXIT_CODES) as StopSignal[];

type StopSignal = keyof typeof EXIT_CODES;

export interface InterruptActions {
  readonly first: () => void;
  readonly second: () => void;
}

export class Interrupts {
  #received: StopSignal | undefined;
  readonly #actions: InterruptActions;

  constructor(actions: InterruptActions) {
    this.#actions = actions;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Undefined as long as there was no interrupt. */
  get exitCode(): number | undefined {
    return this.#received === undefined ? undefined : EXIT_CODES[this.#received];
  }

  remove(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: StopSignal): void => {
    const isFirst = this.#received === undefined;
    this.#received ??= signal;
    if (isFirst) this.#actions.first();
    else this.#actions.second();
  };
}
