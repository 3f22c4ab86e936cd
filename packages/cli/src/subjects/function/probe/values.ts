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
    const parts = each instanceof Map ? [...each].flat() : each instanceof Set ? each : Object.values(each);
    for (const part of parts) if (seen.size < MOST_LOOKED_AT) seen.add(part);
  }
  return [...found.values()].filter((name) => name !== undefined);
}

/** Undefined: the instance arrives as more than a plain object, or cannot be cloned at all, which `uncloneable` reports. */
function lostClassOf(instance: object): string | undefined {
  const copy = attempt(() => structuredClone(instance));
  const isLost = copy !== undefined && Object.getPrototypeOf(copy) === Object.prototype;
  return isLost ? instance.constructor.name || 'a class without a name' : undefined;
}

/**
 * Returns the value with every view copied into a buffer of its own: views that came by IPC share the buffer of the whole message, and
 * structured clone would copy all of that. Class instances do not come by IPC.
 */
export function standalone(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return ownView(value);
  if (Array.isArray(value)) return value.map(standalone);
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, standalone(part)]));
  }
  return value;
}

function ownView(view: ArrayBufferView): ArrayBufferView {
  const { buffer, byteOffset, byteLength } = view;
  const own = new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
  if (Buffer.isBuffer(view)) return Buffer.from(own);
  const Kind = view.constructor as new (buffer: ArrayBuffer) => ArrayBufferView;
  return new Kind(own);
}
