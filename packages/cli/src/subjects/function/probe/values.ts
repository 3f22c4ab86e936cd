/** Inputs and results as values: how large they are, whether they can cross, and copies with memory of their own. */
import { statSync } from 'node:fs';
import v8 from 'node:v8';
import type { Passing } from '../../../run/work/passing.js';

/** Returns undefined if `make` throws. */
export function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** How many bytes cross: those of a view or buffer, else those that V8 serializes to. Undefined: it cannot be serialized. */
export function bytesOf(value: unknown): number | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  return attempt(() => v8.serialize(value).length);
}

/** How many bytes the function gets for an input. Undefined: it cannot be serialized, or the file does not exist. */
export function bytesPassed(input: unknown, passing: Passing): number | undefined {
  return passing === 'read' ? statSync(input as string, { throwIfNoEntry: false })?.size : bytesOf(input);
}

/** Why it cannot be cloned; undefined: it can. */
export function uncloneable(value: unknown): string | undefined {
  try {
    structuredClone(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** How many values within a value are searched for instances, at most. Chosen by hand. */
const MOST_LOOKED_AT = 10_000;

/** The names of the classes whose instances in `value` arrive as plain objects in another thread. */
export function classesIn(value: unknown): string[] {
  const found = new Map<object, string | undefined>([[Object.prototype, undefined]]);
  const seen = new Set<unknown>([value]);
  for (const each of seen) {
    if (typeof each !== 'object' || each === null || ArrayBuffer.isView(each)) continue;
    const prototype = Object.getPrototypeOf(each) as object | null;
    if (prototype !== null && !found.has(prototype)) found.set(prototype, lostClassOf(each));
    const parts = each instanceof Map ? [...each].flat() : each instanceof Set ? each : valuesOf(each);
    for (const part of parts) if (seen.size < MOST_LOOKED_AT) seen.add(part);
  }
  return [...found.values()].filter((name) => name !== undefined);
}

/** None where a getter throws: such an object cannot be cloned, which `uncloneable` reports. */
function valuesOf(object: object): unknown[] {
  return attempt(() => Object.values(object)) ?? [];
}

/** Undefined: the instance arrives as more than a plain object, or cannot be cloned at all, which `uncloneable` reports. */
function lostClassOf(instance: object): string | undefined {
  const copy = attempt(() => structuredClone(instance));
  const isLost = copy !== undefined && Object.getPrototypeOf(copy) === Object.prototype;
  if (!isLost) return undefined;
  // A prototype without a prototype of its own may have no constructor, and a class may have a function of that name.
  const name = attempt(() => (instance.constructor as { readonly name: unknown }).name);
  return typeof name === 'string' && name !== '' ? name : 'a class without a name';
}

/**
 * Returns the value with every view copied into a buffer of its own: views that came by IPC share the buffer of the whole message, and
 * structured clone would copy all of that. Class instances do not come by IPC. What is there twice, or contains itself, does so in the copy.
 */
export function standalone(value: unknown): unknown {
  const copies = new Map<object, object>();
  const copyOf = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const copy = copies.get(part) ?? emptyLike(part);
    copies.set(part, copy);
    return copy;
  };
  const whole = copyOf(value);
  // `copyOf` puts the parts of a value behind it in this map, and the loop reaches them: there is no recursion, so no value is too deep.
  for (const [from, copy] of copies) {
    if (Array.isArray(copy)) for (const part of from as unknown[]) copy.push(copyOf(part));
    else if (isPlain(copy)) {
      const parts = Object.entries(from).map(([name, part]) => [name, copyOf(part)]);
      Object.defineProperties(copy, Object.getOwnPropertyDescriptors(Object.fromEntries(parts)));
    }
  }
  return whole;
}

function isPlain(object: object): boolean {
  return Object.getPrototypeOf(object) === Object.prototype;
}

function emptyLike(object: object): object {
  if (ArrayBuffer.isView(object)) return ownView(object);
  if (Array.isArray(object)) return [];
  return isPlain(object) ? {} : object;
}

function ownView(view: ArrayBufferView): ArrayBufferView {
  const { buffer, byteOffset, byteLength } = view;
  const own = new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
  if (Buffer.isBuffer(view)) return Buffer.from(own);
  const Kind = view.constructor as new (buffer: ArrayBuffer) => ArrayBufferView;
  return new Kind(own);
}
