/** Objects that cross as plain ones: which keys can be assigned to them, and which objects of classes structured clone makes plain. */

/** An object that is being made. */
export type Fields = Record<string, unknown>;

/** How many objects of a shape are made before it gets a function of its own, which has the keys in its source. */
const HOT = 32;
/** V8 makes a hash table of an object with this number of keys or more, where their names are assigned and are not in the source. */
const HASHED_FROM = 20;

// A wide shape gets its function at once: a task takes up to twenty times as long to read a hash table and to go through its keys.
/** Whether a shape gets a function of its own, now that its object number `uses` is made. */
export const deservesMaker = (uses: number, keyCount: number) => uses === (keyCount < HASHED_FROM ? HOT : 1);

/** Whether assigning to `key` may call a setter, as that of `__proto__`, or fail, if `Object.prototype` is frozen. */
export const isInherited = (key: string) => key in Object.prototype;

/** Matches the keys of records. The keys of dictionaries are mostly numbers, dates, addresses or identifiers of things. */
const NAME = /^[A-Za-z_$][\w$]*$/;
/** Whether `key` looks like one that a program has in its source, and can be assigned. */
export const isName = (key: string) => NAME.test(key) && !isInherited(key);

/** Makes `key` a property of the object's own, also where it is `__proto__`. */
export function setOwn(object: Fields, key: string, value: unknown): void {
  if (isInherited(key)) defineOwn(object, key, value);
  else object[key] = value;
}

const { defineProperty } = Object; // a task may replace it

/** The same as `setOwn`, but V8 makes a hash table of the object only when it has more than a thousand keys. */
export function defineOwn(object: object, key: string, value: unknown, enumerable = true): void {
  // The attributes inherit nothing: what somebody has put on `Object.prototype` must not count as one of them.
  const attributes = { __proto__: null, value, writable: true, enumerable, configurable: true };
  defineProperty(object, key, attributes as PropertyDescriptor);
}

/** How many wide objects are taken for records before there is a wide shape, and how many more for each wide shape. Chosen by hand. */
const RECORDS = 64;
const RECORDS_PER_SHAPE = 4;

/**
 * Tells wide records from dictionaries. The keys of a record come again, and then have a shape. Records before that must not become hash tables,
 * either: a function that has met a hash table goes through all later objects as slowly. So they get their keys by `defineOwn`, which takes up to
 * ten times as long. This is not done for dictionaries, which have other keys each time.
 */
export class WideRecords {
  #left = RECORDS;

  /** Whether an object with `keyCount` keys may be taken for a record. */
  mayTake(keyCount: number): boolean {
    return keyCount >= HASHED_FROM && this.#left > 0;
  }

  /** Whether an object is taken for a record. */
  takes(keyCount: number, firstKey: string): boolean {
    const isRecord = this.mayTake(keyCount) && isName(firstKey);
    if (isRecord) this.#left--;
    return isRecord;
  }

  gotShape(keyCount: number): void {
    if (keyCount >= HASHED_FROM) this.#left += RECORDS_PER_SHAPE;
  }
}

const clone = structuredClone; // a task may replace the global
/** Kinds that structured clone keeps. It makes objects plain that only have such a prototype, and these must not answer for the kind. */
const KEPT = [RegExp, Promise, String, Number, Boolean, BigInt];
/** Whether objects with a prototype become plain, for each prototype that was asked about. */
const answers = new WeakMap<object, boolean>(KEPT.map((it) => [it.prototype, false]));

/**
 * Whether structured clone makes of `value` a plain object with its own enumerable properties, which are those that `for in` finds.
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
    return false; // a part of this object cannot be cloned: the next object of the class is asked again
  }
}
