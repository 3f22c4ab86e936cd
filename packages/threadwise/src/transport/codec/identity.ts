/** Numbers the objects of a message in the order in which they begin: what comes twice must arrive once. */

/** Up to how many objects it is quicker to look at each of them than to ask a Set: measured on Node 20. */
const FEW = 16;

export class Identity {
  readonly #few: unknown[] = new Array<unknown>(FEW).fill(undefined);
  /** How many objects there have been. */
  count = 0;
  /** All objects, once there are more than a few. To add one to a Set takes half of what it takes to look it up in a Map first. */
  #all: Set<unknown> | undefined;
  /** The number of each object, from the first one on that came twice. */
  #numbers: Map<unknown, number> | undefined;

  /** The number of `object` if it came before; otherwise -1, and it is given the next number. */
  note(object: unknown): number {
    const { count } = this;
    if (count >= FEW) return this.#noteFurther(object);
    const few = this.#few;
    for (let i = 0; i < count; i++) if (few[i] === object) return i;
    few[count] = object;
    this.count = count + 1;
    return -1;
  }

  #noteFurther(object: unknown): number {
    const { count } = this;
    if (this.#numbers === undefined) {
      const all = (this.#all ??= new Set(this.#few));
      if (all.add(object).size > count) return this.#add();
      this.#numbers = new Map([...all].map((each, number) => [each, number]));
    }
    const known = this.#numbers.get(object);
    if (known !== undefined) return known;
    this.#numbers.set(object, count);
    return this.#add();
  }

  #add(): number {
    this.count++;
    return -1;
  }

  /** Forgets all, so that nothing is kept alive. */
  clear(): void {
    const used = Math.min(this.count, FEW);
    for (let i = 0; i < used; i++) this.#few[i] = undefined;
    this.count = 0;
    this.#all = undefined;
    this.#numbers = undefined;
  }
}
