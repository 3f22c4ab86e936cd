/** Reads what `ValueWriter` has written. For any bytes, reading ends, and makes no larger value than that many bytes can stand for. */
import { isObject } from '../../core/options/checks.js';
import { byteLengthOf, makeView, UINT8 } from './builtins.js';
import { compile } from './engine.js';
import { makeError } from './error-codec.js';
import { defineOwn, deservesMaker, type Fields, isInherited, setOwn } from './plain-objects.js';
import { objectOf, type ShapeReader } from './shape-book.js';
import * as tag from './tags.js';
import { DamagedError } from './tags.js';
import { copyBytes, type Memory, NO_MEMORY, readLatin1, readWide } from './value-memory.js';

/** The values from UNDEFINED to TRUE. */
const CONSTANTS = [undefined, null, false, true];
const HEXADECIMAL = /^-?[0-9a-f]+$/;
/**
 * An object with this number of keys or more is filled as a dictionary, which inherits nothing until it has its keys. With fewer keys that are the
 * same each time, it is as quick to ask for each key whether objects inherit it.
 */
const DICTIONARY_FROM = 32;
const tooShort = () => new DamagedError('they end too early');
const { getPrototypeOf, setPrototypeOf, prototype: plain } = Object; // a task may replace them

/** Makes an object of the next values. */
type Maker = (reader: ValueReader) => Fields;
type SharedOf = (number: number) => ArrayBufferLike | undefined;

/** One per thread and direction: it is not reentrant. */
export class ValueReader {
  readonly #shapes: ShapeReader;
  readonly #shared: SharedOf;
  /** The functions that make the objects of the shapes that have one, by the numbers of the shapes. */
  readonly #makers: (Maker | undefined)[] = [];
  #memory = NO_MEMORY;
  #u8 = NO_MEMORY.u8;
  #view = NO_MEMORY.view;
  #at = 0;
  #end = 0;
  #depth = 0;
  /** All objects of the message in the order in which they begin; undefined: none of them comes twice. */
  #objects: unknown[] | undefined;

  /** @param shared gives shared memory by the number with which this thread was told of it */
  constructor(shapes: ShapeReader, shared: SharedOf = () => undefined) {
    this.#shapes = shapes;
    this.#shared = shared;
  }

  /** The value that was written at memory[at, end). Throws a DamagedError if there is none. */
  read(memory: Memory, at: number, end: number): unknown {
    this.#use(memory);
    this.#at = at + 1;
    this.#end = end;
    this.#depth = 0;
    const kind = at < end ? this.#u8[at] : undefined;
    if (kind === tag.TREE) return this.next();
    if (kind !== tag.GRAPH) throw new DamagedError('no value begins here');
    this.#objects = [];
    try {
      return this.next();
    } finally {
      this.#objects = undefined;
    }
  }

  /** Lets go of the memory that was read last, so that it can be given back. */
  forget(): void {
    this.#use(NO_MEMORY);
  }

  #use(memory: Memory): void {
    this.#memory = memory;
    this.#u8 = memory.u8;
    this.#view = memory.view;
  }

  /** Whether an object has to be there before its values: one of them may be the object itself. */
  get numbersObjects(): boolean {
    return this.#objects !== undefined;
  }

  /** Reads the next value. Also called by the functions that make the objects of a shape. */
  next(): unknown {
    const at = this.#at;
    if (at >= this.#end) throw tooShort();
    const kind = this.#u8[at]!;
    this.#at = at + 1;
    if (kind < tag.TEXT) return kind;
    if (kind < tag.LIST) return this.#text(kind - tag.TEXT);
    if (kind < tag.UNDEFINED) return this.#list(kind - tag.LIST);
    return this.#other(kind);
  }

  /** Passes `length` bytes and returns where they begin. */
  #take(length: number): number {
    const at = this.#at;
    const after = at + length;
    if (after > this.#end) throw tooShort();
    this.#at = after;
    return at;
  }

  #other(kind: number): unknown {
    if (kind <= tag.TRUE) return CONSTANTS[kind - tag.UNDEFINED];
    switch (kind) {
      case tag.INT16:
        return this.#view.getInt16(this.#take(2), true);
      case tag.INT32:
        return this.#view.getInt32(this.#take(4), true);
      case tag.DOUBLE:
        return this.#view.getFloat64(this.#take(8), true);
      case tag.OBJECT:
        return this.#object(this.#u16());
      case tag.RECORD:
        return this.#record(this.#u16());
      case tag.TEXT8:
        return this.#text(this.#byte());
      case tag.TEXT32:
        return this.#text(this.#u32());
      case tag.WIDE:
        return this.#wide(this.#u32());
      case tag.LIST32:
        return this.#list(this.#u32());
      case tag.SAME:
        return this.#same(this.#u32());
      case tag.DOUBLES:
        return this.#doubles(this.#u32());
      default:
        return this.#rare(kind);
    }
  }

  #rare(kind: number): unknown {
    switch (kind) {
      case tag.BIGINT64:
        return this.#view.getBigInt64(this.#take(8), true);
      case tag.BIGINT:
        return this.#bigint();
      case tag.DATE:
        return this.begun(new Date(this.#view.getFloat64(this.#take(8), true)));
      case tag.MAP:
        return this.#map(this.#u32());
      case tag.SET:
        return this.#set(this.#u32());
      case tag.BUFFER:
        return this.begun(this.#block().buffer);
      case tag.SHARED:
        return this.begun(this.#shared(this.#u32()) ?? damaged('shared memory that nobody has told of'));
      case tag.VIEW:
        return this.#viewWithBuffer(this.#byte());
      case tag.VIEW_OF:
        return this.#viewOf(this.#byte(), this.#u32(), this.#u32());
      case tag.ERROR:
        return this.#error(this.#byte(), this.#byte() === 1);
      default:
        return damaged(`there is no kind ${kind}`);
    }
  }

  #byte(): number {
    return this.#u8[this.#take(1)]!;
  }

  #u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  #u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  #text(length: number): string {
    return readLatin1(this.#memory, this.#take(length), length);
  }

  #wide(length: number): string {
    return readWide(this.#memory, this.#take(2 * length), length);
  }

  #bigint(): bigint {
    const digits = this.next();
    if (typeof digits !== 'string' || !HEXADECIMAL.test(digits)) return damaged('no bigint');
    return digits.startsWith('-') ? -BigInt(`0x${digits.slice(1)}`) : BigInt(`0x${digits}`);
  }

  /** Gives `object` the next number, if the message numbers its objects. Call it before the parts of the object are read. */
  begun<T>(object: T): T {
    if (this.#objects !== undefined) this.#objects.push(object);
    return object;
  }

  #same(number: number): unknown {
    return this.#objects?.[number] ?? damaged(`there is no object ${number}`);
  }

  /** Begins an object with that many parts. Each part takes a byte at least, so there cannot be more parts than bytes that are left. */
  #deeper(parts: number): void {
    if (parts > this.#end - this.#at) throw tooShort();
    if (++this.#depth > tag.MAX_DEPTH) damaged('it is too deep');
  }

  #list(length: number): unknown[] {
    this.#deeper(length);
    const list = this.begun(new Array<unknown>(length));
    for (let i = 0; i < length; i++) list[i] = this.next();
    this.#depth--;
    return list;
  }

  #doubles(length: number): number[] {
    const at = this.#take(8 * length);
    const list = this.begun(new Array<number>(length));
    for (let i = 0; i < length; i++) list[i] = this.#view.getFloat64(at + 8 * i, true);
    return list;
  }

  #object(id: number): Fields {
    this.#deeper(1);
    const object = this.#makers[id]?.(this) ?? this.#makeAny(id);
    this.#depth--;
    return object;
  }

  #makeAny(id: number): Fields {
    const shape = this.#shapes.shape(id);
    const maker = deservesMaker(++shape.uses, shape.keys.length) ? makerOf(shape.keys) : undefined;
    this.#makers[id] = maker;
    if (maker !== undefined) return maker(this);
    const object = this.begun<Fields>({});
    for (const key of shape.keys) setOwn(object, key, this.next());
    return object;
  }

  #record(count: number): Fields {
    this.#deeper(2 * count);
    const { wideRecords } = this.#shapes;
    const begin = (isRecord: boolean) =>
      (count >= DICTIONARY_FROM && !isRecord ? { __proto__: null } : {}) as Fields;
    // Where objects are numbered, this one has to be there before its values; elsewhere its first key tells what it is.
    let object = this.#objects === undefined ? undefined : this.begun(begin(wideRecords.mayTake(count)));
    const values = new Array<unknown>(count);
    for (let i = 0; i < count; i++) values[i] = this.next();
    let isRecord = false;
    let isDictionary = false;
    for (let i = 0; i < count; i++) {
      const key = this.next();
      if (typeof key !== 'string') return damaged('a key that is no text');
      if (i === 0) {
        isRecord = wideRecords.takes(count, key);
        object ??= begin(isRecord);
        isDictionary = getPrototypeOf(object) === null;
      }
      if (isDictionary) object![key] = values[i];
      else if (isRecord) defineOwn(object!, key, values[i]);
      else setOwn(object!, key, values[i]);
    }
    object ??= {};
    // To ask for each key of a dictionary whether objects inherit it would take up to as long as all else.
    if (isDictionary) setPrototypeOf(object, plain);
    this.#depth--;
    return object;
  }

  #map(size: number): Map<unknown, unknown> {
    this.#deeper(2 * size);
    const map = this.begun(new Map<unknown, unknown>());
    for (let i = 0; i < size; i++) map.set(this.next(), this.next());
    this.#depth--;
    return map;
  }

  #set(size: number): Set<unknown> {
    this.#deeper(size);
    const set = this.begun(new Set<unknown>());
    for (let i = 0; i < size; i++) set.add(this.next());
    this.#depth--;
    return set;
  }

  #error(kind: number, hasCause: boolean): Error {
    this.#deeper(0);
    // The error's number comes before those of its parts, of which only the cause is an object.
    const error = this.begun(makeError(kind, this.next(), this.next()));
    if (hasCause) defineOwn(error, 'cause', this.next(), false);
    this.#depth--;
    return error;
  }

  #block(): Uint8Array<ArrayBuffer> {
    const length = this.#u32();
    this.#take(this.#byte());
    return copyBytes(this.#memory, this.#take(length), length);
  }

  #viewWithBuffer(kind: number): ArrayBufferView {
    const bytes = this.#block();
    const view = kind === UINT8 ? bytes : makeView(kind, bytes.buffer, 0, bytes.length);
    // `buffer` is only read if it has to be: V8 makes the buffer of a short array when it is read, which costs several times what the array does.
    this.#objects?.push(view, bytes.buffer);
    return view;
  }

  #viewOf(kind: number, offset: number, length: number): ArrayBufferView {
    // The number of the view comes before that of its buffer, but the view can only be made after the buffer.
    const number = this.#objects?.push(undefined) ?? 0;
    const buffer = this.next();
    if (!isObject(buffer) || byteLengthOf(buffer) < 0) return damaged('a view of no buffer');
    const view = makeView(kind, buffer as ArrayBufferLike, offset, length);
    if (this.#objects !== undefined) this.#objects[number - 1] = view;
    return view;
  }
}

// A function that has the keys in its source: the engine makes objects several times as fast by it as by a loop that meets
// the keys of all shapes. Each key is a JSON text in the source, so that it cannot become code.
function makerOf(keys: readonly string[]): Maker | undefined {
  // Some keys must not be assigned. The writer takes none into the book, but what objects inherit may differ between the two threads.
  if (keys.some(isInherited)) return undefined;
  const begun = `${objectOf(keys, () => 'undefined')} reader.begun(object);`;
  const values = keys.map((key) => `object[${JSON.stringify(key)}] = reader.next();`).join('');
  // An object that has its values from the first moment on is twice as fast to read: V8 learns from them which of its fields are numbers.
  const filled = objectOf(keys, () => 'reader.next()');
  const code = `if (reader.numbersObjects) { ${begun} ${values} return object; } ${filled} return object;`;
  return compile<Maker>('reader', code);
}

function damaged(what: string): never {
  throw new DamagedError(what);
}
