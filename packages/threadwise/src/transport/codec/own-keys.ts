/** Which keys an object can simply be given, and which would do something else. */

/** An object in the making. */
export type Fields = Record<string, unknown>;

/** What records have for keys. Those of dictionaries are numbers, dates, addresses, identifiers of things. */
const NAME = /^[A-Za-z_$][\w$]*$/;

/** Whether `key` looks like one that a program has in its source, and can be assigned. */
export function isName(key: string): boolean {
  return NAME.test(key) && !isInherited(key);
}

/** Whether to assign to `key` may call a setter, as that of `__proto__`, or fail, where all objects are frozen. */
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
