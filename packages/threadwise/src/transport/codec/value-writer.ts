/** Writes values into memory in a form of our own, for those kinds that most values are made of. */
import * as builtins from './builtins.js';
import { isErrorPrototype, partsOf } from './error-codec.js';
import { Identity } from './identity.js';
import { becomesPlain, type Fields } from './plain-objects.js';
import type { ShapeNode, ShapeWriter } from './shape-book.js';
import * as tag from './tags.js';
import { FULL, UNKNOWN } from './tags.js';
import { type Memory, NO_MEMORY, writeBytes, writeText } from './value-memory.js';

/** Only a part of a buffer was written, and more of it is needed: the message is written anew, with whole buffers. */
const AGAIN = -3;

const U16_MAX = 0xffff;
const U32_MAX = 0xffff_ffff;
const LIST_MAX = tag.UNDEFINED - tag.LIST - 1; // the longest array whose length fits its tag
const COUNT_VALUES_FROM = 4; // shorter arrays are counted by their keys, longer ones by their values: measured on Node 20
/** Longer blocks begin at addresses that can be divided by 8: from any other, copies take up to ten times as long. */
const UNALIGNED_MAX = 64;
const NOTHING: readonly unknown[] = [];

const isFraction = (value: unknown) => typeof value === 'number' && (value | 0) !== value;

/** The number by which the reader has been told of that shared memory; -1: the reader has not been told of it. */
export type NumberOf = (buffer: object) => number;

/**
 * One per thread and direction: it is not reentrant. Whatever comes out equals what structured clone makes of the
 * value; README.md lists the exceptions. A proxy cannot be told from what it stands for, and is read like that.
 */
export class ValueWriter {
  /** The shared memory in the message that was written last; undefined: none. The sender of the message holds it until the message was read. */
  shared: object[] | undefined;
  readonly #shapes: ShapeWriter;
  readonly #numberOf: NumberOf;
  readonly #identity = new Identity();
  #memory: Memory | undefined; // undefined between two messages
  #u8 = NO_MEMORY.u8;
  #view = NO_MEMORY.view;
  #end = 0;
  #hasSame = false; // whether an object came twice, so that the reader must count objects
  #wholeBuffers = false; // whether views take all of their buffers with them, or only what they see
  #partial: Set<number> | undefined; // the numbers of the buffers of which only a part was written

  /** @param numberOf default: shared memory is UNKNOWN */
  constructor(shapes: ShapeWriter, numberOf: NumberOf = () => -1) {
    this.#shapes = shapes;
    this.#numberOf = numberOf;
  }

  /**
   * Writes `value` into memory[at, end). Returns the position after it, or FULL, or UNKNOWN. Never throws.
   * @param wholeBuffers whether views take all of their buffers with them, as structured clone has it
   */
  write(value: unknown, memory: Memory, at: number, end: number, wholeBuffers = false): number {
    if (this.#memory !== undefined) return UNKNOWN; // a getter of the value that is being written has called this
    if (at >= end) return FULL;
    // A text cannot throw, and has nothing in it: what follows is not even compiled where only texts are sent.
    if (typeof value === 'string') {
      memory.u8[at] = tag.TREE;
      return writeText(value, memory, at + 1, end);
    }
    this.#memory = memory;
    this.#u8 = memory.u8;
    this.#view = memory.view;
    this.#end = end;
    let written = this.#message(value, at, wholeBuffers);
    if (written === AGAIN) written = this.#message(value, at, true);
    if (written < 0) this.shared = undefined;
    this.#memory = undefined;
    return written;
  }

  /** Lets go of the memory that was written last, so that it can be given back. Does nothing when a getter of a value being written calls this. */
  forget(): void {
    if (this.#memory === undefined) ({ u8: this.#u8, view: this.#view } = NO_MEMORY);
  }

  #message(value: unknown, at: number, wholeBuffers: boolean): number {
    this.#wholeBuffers = wholeBuffers;
    this.#hasSame = false;
    this.shared = undefined;
    try {
      // Properties that somebody gave to all objects would look like an object's own.
      for (const _ in NOTHING) return UNKNOWN;
      const written = this.#value(value, at + 1, 0);
      this.#u8[at] = this.#hasSame ? tag.GRAPH : tag.TREE;
      return written;
    } catch {
      return UNKNOWN;
    } finally {
      this.#identity.clear();
      this.#partial = undefined;
    }
  }

  #value(value: unknown, at: number, depth: number): number {
    if (typeof value === 'string') return writeText(value, this.#memory!, at, this.#end);
    if (typeof value === 'number') return this.#number(value, at);
    if (typeof value === 'object') {
      return value === null ? this.#tag(tag.NULL, at) : this.#object(value, at, depth);
    }
    if (typeof value === 'boolean') return this.#tag(value ? tag.TRUE : tag.FALSE, at);
    if (value === undefined) return this.#tag(tag.UNDEFINED, at);
    return typeof value === 'bigint' ? this.#bigint(value, at) : UNKNOWN;
  }

  #tag(kind: number, at: number): number {
    if (at >= this.#end) return FULL;
    this.#u8[at] = kind;
    return at + 1;
  }

  #number(value: number, at: number): number {
    const int = value | 0;
    if (int !== value || (int === 0 && 1 / value < 0)) return this.#double(tag.DOUBLE, value, at);
    if (int >= 0 && int < tag.TEXT) return this.#tag(int, at);
    if (int < -0x8000 || int >= 0x8000) return this.#word(tag.INT32, int, at);
    if (this.#end - at < 3) return FULL;
    return this.#head(tag.INT16, int, at);
  }

  #double(kind: number, value: number, at: number): number {
    if (this.#end - at < 9) return FULL;
    this.#u8[at] = kind;
    this.#view.setFloat64(at + 1, value, true);
    return at + 9;
  }

  #word(kind: number, value: number, at: number): number {
    if (this.#end - at < 5) return FULL;
    this.#u8[at] = kind;
    this.#view.setUint32(at + 1, value, true);
    return at + 5;
  }

  /** A tag and two bytes. The caller has checked that there is room. */
  #head(kind: number, number: number, at: number): number {
    this.#u8[at] = kind;
    this.#u8[at + 1] = number;
    this.#u8[at + 2] = number >> 8;
    return at + 3;
  }

  #bigint(value: bigint, at: number): number {
    if (BigInt.asIntN(64, value) !== value) {
      at = this.#tag(tag.BIGINT, at);
      return at < 0 ? at : writeText(value.toString(16), this.#memory!, at, this.#end);
    }
    if (this.#end - at < 9) return FULL;
    this.#u8[at] = tag.BIGINT64;
    this.#view.setBigInt64(at + 1, value, true);
    return at + 9;
  }

  #object(value: object, at: number, depth: number): number {
    const known = this.#identity.note(value);
    if (known >= 0) return this.#same(known, at);
    if (depth === tag.MAX_DEPTH) return UNKNOWN;
    if (Array.isArray(value)) return this.#list(value, at, depth + 1);
    const prototype = Object.getPrototypeOf(value) as object | null;
    return prototype === Object.prototype
      ? this.#plain(value as Fields, at, depth + 1)
      : this.#special(value, prototype, at, depth + 1);
  }

  #same(known: number, at: number): number {
    if (this.#partial?.has(known)) return AGAIN;
    this.#hasSame = true;
    return this.#word(tag.SAME, known, at);
  }

  #list(value: readonly unknown[], at: number, depth: number): number {
    const { length } = value;
    const hasFractions = length > LIST_MAX && (isFraction(value[0]) || isFraction(value[length - 1]));
    at = hasFractions ? this.#doubles(value, length, at, depth) : this.#items(value, length, at, depth);
    if (at < 0) return at;
    // An array may have properties beside its items, as the match of a regular expression has. Nothing else tells.
    const own = length < COUNT_VALUES_FROM ? Object.keys(value) : Object.values(value);
    return own.length === length && value.length === length ? at : UNKNOWN;
  }

  #items(value: readonly unknown[], length: number, at: number, depth: number): number {
    if (this.#end - at <= length) return FULL;
    at = length <= LIST_MAX ? this.#tag(tag.LIST + length, at) : this.#word(tag.LIST32, length, at);
    for (let i = 0; i < length && at >= 0; i++) {
      const item = value[i];
      if (item === undefined && !(i in value)) return UNKNOWN;
      at = this.#value(item, at, depth);
    }
    return at;
  }

  /** Writes an array as numbers if all of its items are numbers, and like an array of anything if not. */
  #doubles(value: readonly unknown[], length: number, at: number, depth: number): number {
    const first = at + 5;
    const after = first + 8 * length;
    const hasRoom = after <= this.#end;
    const view = this.#view;
    for (let i = 0; i < length; i++) {
      const item = value[i];
      if (typeof item !== 'number') return this.#items(value, length, at, depth);
      if (hasRoom) view.setFloat64(first + 8 * i, item, true);
    }
    if (hasRoom) this.#word(tag.DOUBLES, length, at);
    return hasRoom ? after : FULL;
  }

  // The values come first: only when all keys have been seen is it known which shape the object has, if any in the book. A separate loop over
  // the keys would take 9 ns.
  #plain(value: Fields, at: number, depth: number): number {
    const start = at;
    at += 3;
    if (at > this.#end) return FULL;
    let node: ShapeNode = this.#shapes.root;
    /** All keys so far, once no shape of the book goes on with them. They are kept because a getter may change which keys the object has. */
    let keys: string[] | undefined;
    for (const key in value) {
      at = this.#value(value[key], at, depth);
      if (at < 0) return at;
      if (keys !== undefined) {
        keys.push(key);
        continue;
      }
      const next = node.key === key ? node.next : node.step(key);
      if (next === undefined) (keys = node.keys()).push(key);
      else node = next;
    }
    if (keys !== undefined || node.id < 0) return this.#record(keys ?? node.keys(), start, at);
    this.#head(tag.OBJECT, node.id, start);
    return at;
  }

  #record(keys: readonly string[], start: number, at: number): number {
    if (keys.length > U16_MAX) return UNKNOWN;
    const id = this.#shapes.idOf(keys);
    this.#head(id < 0 ? tag.RECORD : tag.OBJECT, id < 0 ? keys.length : id, start);
    if (id >= 0) return at;
    for (let i = 0; i < keys.length && at >= 0; i++) at = writeText(keys[i]!, this.#memory!, at, this.#end);
    return at;
  }

  #special(value: object, prototype: object | null, at: number, depth: number): number {
    if (ArrayBuffer.isView(value)) return this.#viewOf(value, at);
    switch (prototype) {
      case Date.prototype:
        return this.#double(tag.DATE, builtins.timeOf.call(value as Date), at);
      case Map.prototype:
      case Set.prototype:
        return this.#entries(value, prototype === Map.prototype, at, depth);
      case ArrayBuffer.prototype:
      case builtins.sharedPrototype:
        return this.#buffer(value, at);
      default:
        if (isErrorPrototype(prototype)) return this.#error(value, at, depth);
        return becomesPlain(value, prototype) ? this.#plain(value as Fields, at, depth) : UNKNOWN;
    }
  }

  #entries(value: object, isMap: boolean, at: number, depth: number): number {
    let left = builtins.sizeOf(value, isMap);
    at = this.#word(isMap ? tag.MAP : tag.SET, left, at);
    for (const item of isMap ? builtins.entriesOf(value) : builtins.valuesOf(value)) {
      const entry = isMap ? (item as readonly unknown[]) : undefined;
      if (at >= 0) at = this.#value(entry === undefined ? item : entry[0], at, depth);
      if (at >= 0 && entry !== undefined) at = this.#value(entry[1], at, depth);
      if (at < 0) return at;
      left--;
    }
    return left === 0 ? at : UNKNOWN; // a getter has changed the Map or Set
  }

  #error(value: object, at: number, depth: number): number {
    const parts = partsOf(value);
    if (parts === undefined) return UNKNOWN;
    const { kind, message, stack, cause } = parts;
    if (this.#end - at < 3) return FULL;
    at = this.#value(message, this.#head(tag.ERROR, kind | (cause === undefined ? 0 : 0x100), at), depth);
    if (at >= 0) at = this.#value(stack, at, depth);
    return at >= 0 && cause !== undefined ? this.#value(cause.value, at, depth) : at;
  }

  #buffer(buffer: object, at: number): number {
    const length = builtins.byteLengthOf(buffer);
    const isShared = builtins.isShared(buffer);
    const number = length >= 0 && isShared ? this.#numberOf(buffer) : length;
    if (number < 0) return UNKNOWN;
    if (isShared) {
      (this.shared ??= []).push(buffer);
      return this.#word(tag.SHARED, number, at);
    }
    at = this.#tag(tag.BUFFER, at);
    return at < 0 ? at : this.#block(buffer, 0, length, at);
  }

  #block(buffer: object, offset: number, length: number, at: number): number {
    const padding = length > UNALIGNED_MAX ? -(at + tag.BLOCK_HEAD) & 7 : 0;
    const start = at + tag.BLOCK_HEAD + padding;
    if (this.#end < start + length) return FULL;
    this.#view.setUint32(at, length, true);
    this.#u8[at + 4] = padding;
    writeBytes(this.#memory!, start, new Uint8Array(buffer as ArrayBuffer, offset, length));
    return start + length;
  }

  /** A view alone takes its own bytes with it and no others; views that share their bytes go on sharing them. */
  #viewOf(value: ArrayBufferView, at: number): number {
    const sight = builtins.sightOf(value);
    if (sight === undefined) return UNKNOWN;
    const { kind, buffer, offset, length } = sight;
    const bufferLength = builtins.byteLengthOf(buffer);
    if (bufferLength < 0 || bufferLength > U32_MAX) return UNKNOWN;
    const known = this.#identity.note(buffer);
    const isAlone = known < 0 && !this.#wholeBuffers && !builtins.isShared(buffer);
    if (this.#end - at < (isAlone ? 2 : 10)) return FULL;
    this.#u8[at] = isAlone ? tag.VIEW : tag.VIEW_OF;
    this.#u8[at + 1] = kind;
    if (isAlone) {
      if (length < bufferLength) (this.#partial ??= new Set()).add(this.#identity.count - 1);
      return this.#block(buffer, offset, length, at + 2);
    }
    this.#view.setUint32(at + 2, offset, true);
    this.#view.setUint32(at + 6, length, true);
    return known >= 0 ? this.#same(known, at + 10) : this.#buffer(buffer, at + 10);
  }
}
