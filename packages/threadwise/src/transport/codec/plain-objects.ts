/** Objects that cross as plain ones: which keys can be assigned to them, and which objects of classes structured clone makes plain. */

/** An object that is being made. */
export type Fields = Record<string, unknown>;

/** How many objects of a shape are made before it gets a function of its own, which has the keys in its source. */
const HOT = 32;
/** From this number of keys on, V8 makes a hash table of an object to which names are assigned that are not in the source. */
const HASHED_FROM = 20;

/**
 * Whether a shape is to get a function of its own. A wide one gets it at once: to read a hash table, and to go through its keys, takes a task
 * up to twenty times as long.
 */
export function deservesMaker(uses: number, keyCount: number): boolean {
  return uses === HOT || keyCount >= HASHED_FROM;
}

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

// --- objects without a shape ---

/**
 * An object with this number of keys or more is filled as a dictionary. With fewer keys, and the same ones each time, to ask of each whether
 * objects inherit it is as quick.
 */
const DICTIONARY_FROM = 32;
/** How many wide objects a reader takes for records before any of them has got a shape, and how many more for each that got one. Chosen by hand. */
const RECORDS = 64;
const RECORDS_PER_SHAPE = 4;

const { fromEntries, setPrototypeOf, prototype: plain } = Object; // a task may replace them

/** An object that is yet to get so many keys. */
export function begin(keyCount: number): Fields {
  return keyCount < DICTIONARY_FROM ? {} : ({ __proto__: null } as unknown as Fields);
}

/** Gives an object of `begin` its keys and values, and makes a plain one of it. */
export function fill(object: Fields, keys: readonly string[], values: readonly unknown[]): Fields {
  if (keys.length < DICTIONARY_FROM) {
    for (let i = 0; i < keys.length; i++) setOwn(object, keys[i]!, values[i]);
    return object;
  }
  // It inherits nothing yet: whatever a key is called, assigning to it makes a property of the object's own.
  for (let i = 0; i < keys.length; i++) object[keys[i]!] = values[i];
  return setPrototypeOf(object, plain) as Fields;
}

/** An object with these keys and values that is no hash table to V8, unless there are more than a thousand keys. */
export function recordOf(keys: readonly string[], values: readonly unknown[]): Fields {
  return fromEntries(keys.map((key, i) => [key, values[i]]));
}

/**
 * Tells wide records from dictionaries. A record comes again, and then has a shape. Until then it must be no hash table, either: V8 goes through all
 * later objects as slowly in a function that has met one. But that takes V8 ten times as long to make, so it is not done for dictionaries, which
 * have other keys each time.
 */
export class WideRecords {
  #left = RECORDS;

  /** Whether keys that come now are taken for those of a wide record, which is made by `recordOf`. */
  takes(keys: readonly string[]): boolean {
    if (keys.length < HASHED_FROM || this.#left === 0 || !isName(keys[0]!)) return false;
    this.#left--;
    return true;
  }

  gotShape(keyCount: number): void {
    if (keyCount >= HASHED_FROM) this.#left += RECORDS_PER_SHAPE;
  }
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
