/** Numbers the objects of a message in the order in which they begin: what comes twice must arrive once. */

/** Up to how many objects it is quicker to look at each of them than to ask a Set: measured on Node 20. */
const FEW = 16;

export class Identity {
  /** How many objects there have been. */
  count = 0;
  readonly #few: unknown[] = new Array<unknown>(FEW).fill(undefined);
  /** All objects, once there are more than a few. To add one to a Set takes half of what it takes to look it up in a Map first. */
  #all: Set<unknown> | undefined;
  /** The number of each object, from the first one on that came twice. */
  #numbers: Map<unknown, number> | undefined;

  /** The number of `object` if it came before; otherwise -1, and it is given the next number. */
  note(object: unknown): number {
    const { count } = this;
    if (count >= FEW) return this.#noteFurther(object, count);
    const few = this.#few;
    for (let i = 0; i < count; i++) if (few[i] === object) return i;
    few[count] = object;
    this.count = count + 1;
    return -1;
  }

  #noteFurther(object: unknown, count: number): number {
    const all = (this.#all ??= new Set(this.#few));
    if (this.#numbers !== undefined || all.add(object).size === count) {
      const numbers = (this.#numbers ??= new Map([...all].map((each, number) => [each, number])));
      const known = numbers.get(object);
      if (known !== undefined) return known;
      numbers.set(object, count);
    }
    this.count = count + 1;
    return -1;
  }

  /** Forgets all, so that nothing is kept alive. */
  clear(): void {
    for (let i = Math.min(this.count, FEW) - 1; i >= 0; i--) this.#few[i] = undefined;
    this.count = 0;
    this.#all = undefined;
    this.#numbers = undefined;
  }
}
