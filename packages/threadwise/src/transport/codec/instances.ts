/**
 * Which objects of a class structured clone makes plain objects of: all but those that the engine or the runtime knows by more than their
 * prototype (a RegExp, a subclass of Map, a Blob). Only structured clone can tell, so it is asked once for each class, with its first object.
 */

const clone = structuredClone; // a task may replace the global
/** What was found out of each prototype so far. */
const answers = new WeakMap<object, boolean>();

/** Whether the object becomes a plain one with its own enumerable properties, which are those that `for in` finds. */
export function becomesPlain(value: object, prototype: object): boolean {
  for (const _ in prototype) return false; // `for in` would find what is inherited
  const known = answers.get(prototype);
  if (known !== undefined) return known;
  try {
    const isPlain = Object.getPrototypeOf(clone(value)) === Object.prototype;
    answers.set(prototype, isPlain);
    return isPlain;
  } catch {
    return false; // something in it cannot be cloned: the next one may do
  }
}
