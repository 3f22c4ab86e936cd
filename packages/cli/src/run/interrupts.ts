/** Ctrl-C: the first one ends the run in good order, the second one at once. */

import { ExitCode } from '../exit-code.js';

type StopSignal = 'SIGINT' | 'SIGTERM';

export interface InterruptActions {
  readonly first: () => void;
  readonly second: () => void;
}

export class Interrupts {
  #received: StopSignal | undefined;
  readonly #actions: InterruptActions;

  constructor(actions: InterruptActions) {
    this.#actions = actions;
    process.on('SIGINT', this.#onSignal);
    process.on('SIGTERM', this.#onSignal);
  }

  /** Undefined as long as there was no interrupt. */
  get exitCode(): number | undefined {
    if (this.#received === undefined) return undefined;
    return this.#received === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
  }

  remove(): void {
    process.off('SIGINT', this.#onSignal);
    process.off('SIGTERM', this.#onSignal);
  }

  readonly #onSignal = (signal: StopSignal): void => {
    const isFirst = this.#received === undefined;
    this.#received ??= signal;
    if (isFirst) this.#actions.first();
    else this.#actions.second();
  };
}
