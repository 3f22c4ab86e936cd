/** Finds the values of Node's own classes (a Blob, a URL) that `node:v8` writes as objects without properties, from Node.js 22 on. */
import { isObject, tagOf } from '../../core/options/checks.js';

const { getPrototypeOf } = Object;
const clone = structuredClone; // a task may replace the global
/** Prototypes of values that the serializer and structured clone write alike. */
const alike = new WeakSet<object>([Object, Array, Map, Set, Date].map(({ prototype }) => prototype));

export function cloneError(message: string): Error {
  return new DOMException(message, 'DataCloneError');
}

export function refuseHost(value: unknown, why = 'cannot be sent to another process or channel'): never {
  throw cloneError(`${tagOf(value)} ${why}`);
}

/** Throws if structured clone makes something else of a part of `value` than the serializer (`copyOf`). Looks once at each class. Getters run. */
export function refuseHosts(value: unknown, copyOf: (value: object) => unknown): void {
  try {
    refuse(value, copyOf, new Set());
  } catch (error) {
    // The serializer will throw all other errors itself: those of a getter, of a value that is nested too deeply.
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
