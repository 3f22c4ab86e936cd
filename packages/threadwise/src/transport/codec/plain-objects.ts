/** Objects that cross as plain ones: which keys can be assigned to them, and which objects of classes structured clone makes plain. */

/** An object that is being made. */
export type Fields = Record<string, unknown>;

/** How many objects of a shape are made before it gets a function of its own. */
export const HOT = 32;

/** What the keys of records are like; those of dictionaries are numbers, dates, addresses, identifiers of things. */
const NAME = /^[A-Za-z_$][\w$]*$/;

/** Whether `key` looks like one that a program has in its source, and can be assigned. */
export function isName(key: string): boolean {
  return NAME.test(key) && !isInherited(key);
}

/** Whether assigning to `key` may call a setter, as that of `__proto__`, or fail, if `Object.prototype` is frozen. */
export function isInherited(key: string): boolean {
  return key in Object.prototype;
}

/** Makes `key` a property of the object's own, whatever it is called. */
export function setOwn(object: Fields, key: string, value: unknown): void {
  if (isInherited(key)) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

// --- dictionaries ---

/**
 * An object with this number of keys or more is filled as a dictionary. It is a hash table to V8 from 20 keys on, each assigned by a name
 * that is not in the source; with fewer keys than this, and the same ones each time, to ask of each is as quick as to begin a dictionary.
 */
export const DICTIONARY_FROM = 32;

const { setPrototypeOf, prototype: plain } = Object; // a task may replace them

/** Begins an object that inherits nothing: whatever a key is called, assigning to it makes a property of the object's own. */
export function beginDictionary(): Fields {
  return { __proto__: null } as unknown as Fields;
}

/** Makes a plain object of one that has got all its keys. To ask of each key whether objects inherit it takes up to as long as all else. */
export function endDictionary(object: Fields): void {
  setPrototypeOf(object, plain);
}

// --- objects of classes ---

const clone = structuredClone; // a task may replace the global
/** What structured clone keeps as it is, but not an object that only has the prototype: such a one must not answer for all. */
const KEPT = [RegExp, Promise, String, Number, Boolean, BigInt];
/** Whether objects with a prototype become plain, for each prototype that was asked about. */
const answers = new WeakMap<object, boolean>(KEPT.map((it) => [it.prototype, false]));

/**
 * Whether structured clone makes of `value` a plain object with its own enumerable properties, which are those that `for in` finds.
 *
 * It does so with all but those that the engine or the runtime knows by more than their prototype (a RegExp, a subclass of Map, a Blob).
 * Only structured clone can tell, so it is asked once for each class, with its first object.
 */
export function becomesPlain(value: object, prototype: object | null): boolean {
  // Without a prototype, an object may still be special to the engine, as a module is.
  if (prototype === null) return !(Symbol.toStringTag in value);
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
