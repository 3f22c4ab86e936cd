/** Ctrl-C: the first one ends the run in good order, the second one at once. */

import { type EndSignal, endSignals, signalExitCodes } from '../exit-code.js';

export interface InterruptActions {
  readonly first: () => void;
  readonly second: () => void;
}

export class Interrupts {
  #received: EndSignal | undefined;
  readonly #actions: InterruptActions;

  constructor(actions: InterruptActions) {
    this.#actions = actions;
    for (const signal of endSignals) process.on(signal, this.#onSignal);
  }

  /** Undefined as long as there was no interrupt. */
  get exitCode(): number | undefined {
    return this.#received === undefined ? undefined : signalExitCodes[this.#received];
  }

  remove(): void {
    for (const signal of endSignals) process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: EndSignal): void => {
    const isFirst = this.#received === undefined;
    this.#received ??= signal;
    if (isFirst) this.#actions.first();
    else this.#actions.second();
  };
}
