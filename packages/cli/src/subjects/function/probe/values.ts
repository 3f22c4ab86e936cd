/** Inputs and results as values: how large they are, whether they can cross, and copies with memory of their own. */
import { statSync } from 'node:fs';
import v8 from 'node:v8';
import type { Passing } from '../../../run/work/passing.js';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { tried } from '../../../system-error.js';

/** How many bytes cross: those of a view or buffer, else those that V8 serializes to. Undefined: it cannot be serialized. */
export function bytesOf(value: unknown): number | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  return tried(() => v8.serialize(value).length);
}

/** How many bytes the function gets for an input. Undefined: it cannot be serialized, or the file does not exist. */
export function bytesPassed(input: unknown, passing: Passing): number | undefined {
  return passing === 'read' ? statSync(input as string, { throwIfNoEntry: false })?.size : bytesOf(input);
}

/** Why the value cannot be cloned; undefined: it can. */
export function uncloneable(value: unknown): string | undefined {
  try {
    structuredClone(value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}

/** What the function returns for the input, or the error that it throws. */
export function outcomeOf(run: TaskFunction, input: unknown): unknown {
  try {
    return run(input);
  } catch (error) {
    return error;
  }
}

/** How many values within a value are searched for instances, at most. Chosen by hand. */
const MOST_LOOKED_AT = 10_000;

/** The names of the classes whose instances in `value` arrive as plain objects in another thread; `Buffer`, which arrives as a Uint8Array. */
export function classesIn(value: unknown): string[] {
  const found = new Map<object, string | undefined>([[Object.prototype, undefined]]);
  const seen = new Set<unknown>([value]);
  const look = (each: object): void => {
    const prototype = Object.getPrototypeOf(each) as object | null;
    if (prototype !== null && !found.has(prototype)) found.set(prototype, lostClassOf(each));
    const parts = each instanceof Map ? [...each].flat() : each instanceof Set ? each : Object.values(each);
    for (const part of parts) if (seen.size < MOST_LOOKED_AT) seen.add(part);
  };
  for (const each of seen) {
    if (ArrayBuffer.isView(each) && Buffer.isBuffer(each)) found.set(Buffer.prototype, 'Buffer');
    if (typeof each !== 'object' || each === null || ArrayBuffer.isView(each)) continue;
    // An object whose getter throws, or a proxy of a Map, cannot be cloned: `uncloneable` reports that, so nothing is said here.
    tried(() => look(each));
  }
  return [...found.values()].filter((name) => name !== undefined);
}

/** Undefined: the instance arrives as more than a plain object, or cannot be cloned at all, which `uncloneable` reports. */
function lostClassOf(instance: object): string | undefined {
  const copy = tried(() => structuredClone(instance));
  if (copy === undefined || Object.getPrototypeOf(copy) !== Object.prototype) return undefined;
  // A prototype without a prototype of its own may have no constructor, and a class may have a function of that name.
  const name = tried(() => (instance.constructor as { readonly name: unknown }).name);
  return typeof name === 'string' && name !== '' ? name : 'a class without a name';
}

/** A copy in which every view has a buffer of its own: a view that came by IPC has that of the whole message, which a clone would copy. */
export function standalone(value: unknown): unknown {
  const reader = new Reader(v8.serialize(value));
  reader.readHeader();
  return reader.readValue();
}

declare module 'v8' {
  interface DefaultDeserializer {
    _readHostObject(): ArrayBufferView;
  }
}

class Reader extends v8.DefaultDeserializer {
  override _readHostObject(): ArrayBufferView {
    const view = super._readHostObject();
    const { buffer, byteOffset, byteLength } = view;
    const own = new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
    const Kind = view.constructor as new (buffer: ArrayBuffer) => ArrayBufferView;
    return Buffer.isBuffer(view) ? Buffer.from(own) : new Kind(own);
  }
}
