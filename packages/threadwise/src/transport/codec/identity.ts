/** Which objects a message has had already, and as the how-manieth: what comes twice must arrive once. */

/** Up to so many objects, looking at each is quicker than a Map: measured on Node 20. */
const FEW = 16;

export class Identity {
  readonly #few: unknown[] = new Array<unknown>(FEW).fill(undefined);
  #count = 0;
  #map: Map<unknown, number> | undefined;

  /** How many objects there have been. */
  get count(): number {
    return this.#count;
  }

  /** The number of `object` if it was here before; otherwise -1, and now it was. */
  note(object: unknown): number {
    const count = this.#count;
    if (count >= FEW) return this.#noteFurther(object);
    const few = this.#few;
    for (let i = 0; i < count; i++) if (few[i] === object) return i;
    few[count] = object;
    this.#count = count + 1;
    return -1;
  }

  #noteFurther(object: unknown): number {
    const map = this.#map ?? this.#toMap();
    const known = map.get(object);
    if (known !== undefined) return known;
    map.set(object, this.#count++);
    return -1;
  }

  #toMap(): Map<unknown, number> {
    this.#map = new Map(this.#few.map((object, number) => [object, number]));
    return this.#map;
  }

  /** Forgets all, so that nothing is kept alive. */
  clear(): void {
    const used = Math.min(this.#count, FEW);
    for (let i = 0; i < used; i++) this.#few[i] = undefined;
    this.#count = 0;
    this.#map = undefined;
  }
}
