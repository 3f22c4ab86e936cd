/**
 * What `node:v8` would lose without a word: Node.js 22 and later write their own objects of classes in JavaScript (a Blob, a URL, a stream) as
 * objects without properties, where structured clone keeps or refuses them.
 */

import { isObject } from '../../core/options/checks.js';

const { getPrototypeOf } = Object;
const clone = structuredClone; // a task may replace the global
/** Prototypes of values that both write alike. */
const alike = new WeakSet<object>([Object, Array, Map, Set, Date].map(({ prototype }) => prototype));

export function cloneError(message: string): Error {
  return new DOMException(message, 'DataCloneError');
}

export function refuseHost(value: unknown, why = 'cannot be sent to another process or channel'): never {
  throw cloneError(`${Object.prototype.toString.call(value)} ${why}`);
}

/**
 * Throws structured clone's error, or a DataCloneError, if it would make something else of a part of `value`. Asks once for each class.
 * Getters run. @param copyOf what the serializer makes of a value
 */
export function refuseHosts(value: unknown, copyOf: (value: object) => unknown): void {
  try {
    refuse(value, copyOf, new Set());
  } catch (error) {
    // The serializer meets all else itself: a getter that throws, a value that is nested too deeply.
    if (error instanceof DOMException) throw error;
  }
}

function refuse(value: unknown, copyOf: (value: object) => unknown, met: Set<object>): void {
  if (!isObject(value) || met.has(value) || ArrayBuffer.isView(value)) return;
  met.add(value);
  if (value instanceof Error) return refuse(value.cause, copyOf, met);
  const prototype = getPrototypeOf(value) as object | null;
  if (prototype !== null && !alike.has(prototype)) {
    if (getPrototypeOf(copyOf(value)) !== getPrototypeOf(clone(value))) refuseHost(value);
    alike.add(prototype);
  }
  const isEntries = value instanceof Map || value instanceof Set;
  for (const part of isEntries ? value : Object.values(value)) refuse(part, copyOf, met);
}
