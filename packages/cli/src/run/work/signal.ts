/** Wakes everybody who waits for "something changed"; who wakes looks for himself whether it concerns him. */

export class Signal {
  #promise: Promise<void> | undefined;
  #resolve: () => void = () => {};

  /** Resolves at the next notify. There is no await between a look at the state and this call, so none is missed. */
  wait(): Promise<void> {
    this.#promise ??= new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#promise;
  }

  notify(): void {
    const resolve = this.#resolve;
    this.#promise = undefined;
    this.#resolve = () => {};
    resolve();
  }
}
