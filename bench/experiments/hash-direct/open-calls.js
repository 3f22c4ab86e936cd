// Calls whose results come one by one, each with the number of its call.

export class OpenCalls {
  #open = new Map();
  #failure;

  /** @returns a promise of the result with that number */
  begin(id) {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }

  settle({ id, result }) {
    const call = this.#open.get(id);
    if (call === undefined) return this.fail(new Error(`A result of ${id}, which nobody waits for`));
    this.#open.delete(id);
    call.resolve(result);
  }

  /** Rejects all open calls, and all later ones. */
  fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}
