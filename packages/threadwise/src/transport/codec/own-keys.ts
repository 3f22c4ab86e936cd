/** Which keys an object can simply be given, and which would do something else. */

/** What records have for keys. Those of dictionaries are numbers, dates, addresses, identifiers of things. */
const NAME = /^[A-Za-z_$][\w$]*$/;
/** Assigning to one of these may call a setter (`__proto__` has one), or fail where all objects are frozen. */
const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Whether `key` looks like one that a program has in its source, and can be assigned to any object. */
export function isName(key: string): boolean {
  return NAME.test(key) && !(key in Object.prototype);
}

/** Makes `key` a property of the object's own, whatever it is called. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (INHERITED.has(key)) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
