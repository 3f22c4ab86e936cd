/** The book of shapes: the lists of keys that objects have, sent once through memory that both sides share. */
import { DamagedError } from '../damaged.js';
import { isName } from '../own-keys.js';
import { Step } from './shape.js';

const BOOK_BYTES = 16 * 1024;
/** Word 0: how many shapes are in the book; stored last, so that whoever sees the number sees the shapes. */
const COUNT = 0;
const HEADER_BYTES = 4;
/** Objects of more keys are dictionaries rather than records. */
const MAX_KEYS = 64;
const MAX_KEY_LENGTH = 0xff;
/** No shape takes more of the book than that, so that a few cannot fill it. */
const MAX_SHAPE_BYTES = BOOK_BYTES / 16;
const NO_SHAPE = -1;
/** How many lists of keys that were seen once are remembered, at most: a power of two. */
const SIGHTINGS = 1024;

/** The size of the memory that a book needs, all zero at first. */
export function shapeBookByteLength(): number {
  return BOOK_BYTES;
}

/** A place in the tree of the shapes in the book: the keys on the way to it are those of a shape, or begin one. */
export class ShapeNode {
  /** Of the shape that ends here. */
  id = NO_SHAPE;
  /** The step that was taken last: mostly it is the next one, too. */
  key = '';
  next: ShapeNode | undefined;
  /** The one before: records within records take turns. */
  #otherKey = '';
  #other: ShapeNode | undefined;
  readonly #all = new Map<string, ShapeNode>();

  /** The slow half of a step: `key` is not the last one. */
  step(key: string): ShapeNode | undefined {
    const next = this.#otherKey === key ? this.#other : this.#all.get(key);
    if (next === undefined) return undefined;
    this.#otherKey = this.key;
    this.#other = this.next;
    this.key = key;
    this.next = next;
    return next;
  }

  grow(key: string): ShapeNode {
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    const next = new ShapeNode();
    this.#all.set(key, next);
    return next;
  }
}

/** Writes the book. One per book. */
export class ShapeWriter {
  readonly root = new ShapeNode();
  readonly #u8: Uint8Array;
  readonly #words: Int32Array;
  readonly #sightings = new Int32Array(SIGHTINGS);
  #turn = 0;
  #at = HEADER_BYTES;
  #count = 0;

  constructor(buffer: ArrayBufferLike) {
    this.#u8 = new Uint8Array(buffer, 0, buffer.byteLength);
    this.#words = new Int32Array(buffer, 0, 1);
  }

  /** The number of the shape with these keys, new in the book if need be; -1: it is not in the book. */
  idOf(keys: readonly string[]): number {
    if (keys.length === 0 || keys.length > MAX_KEYS) return NO_SHAPE;
    let node: ShapeNode | undefined = this.root;
    for (const key of keys) node = node?.step(key);
    if (node !== undefined && node.id !== NO_SHAPE) return node.id;
    // A dictionary has other keys each time: only what comes back is worth a place.
    return isName(keys[0]!) && this.#wasSeen(keys) ? this.#add(keys) : NO_SHAPE;
  }

  /** Each list has two places, and takes one or the other: two lists that want the same do not shut each other out. */
  #wasSeen(keys: readonly string[]): boolean {
    const seen = this.#sightings;
    const hash = hashOf(keys);
    const place = hash & (SIGHTINGS - 1);
    const other = (hash >>> 16) & (SIGHTINGS - 1);
    if (seen[place] === hash || seen[other] === hash) return true;
    seen[this.#turn++ & 1 ? place : other] = hash;
    return false;
  }

  #add(keys: readonly string[]): number {
    let size = 1;
    for (const key of keys) size += 1 + key.length;
    if (size > MAX_SHAPE_BYTES || this.#at + size > this.#u8.length) return NO_SHAPE;
    for (const key of keys) if (key.length > MAX_KEY_LENGTH || !isName(key)) return NO_SHAPE;
    this.#write(keys);
    let node = this.root;
    for (const key of keys) node = node.grow(key);
    node.id = this.#count++;
    Atomics.store(this.#words, COUNT, this.#count);
    return node.id;
  }

  #write(keys: readonly string[]): void {
    this.#u8[this.#at++] = keys.length;
    for (const key of keys) {
      this.#u8[this.#at++] = key.length;
      for (let i = 0; i < key.length; i++) this.#u8[this.#at++] = key.charCodeAt(i);
    }
  }
}

function hashOf(keys: readonly string[]): number {
  let hash = keys.length;
  for (const key of keys) {
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15) ^ key.length, 0x9e3779b1);
  }
  return hash;
}

/** Reads the book as it grows. */
export class ShapeReader {
  readonly #u8: Uint8Array;
  readonly #words: Int32Array;
  readonly #shapes: Step[] = [];
  #at = HEADER_BYTES;

  constructor(buffer: ArrayBufferLike) {
    this.#u8 = new Uint8Array(buffer, 0, buffer.byteLength);
    this.#words = new Int32Array(buffer, 0, 1);
  }

  shape(id: number): Step {
    return this.#shapes[id] ?? this.#lookUp(id);
  }

  #lookUp(id: number): Step {
    const count = Atomics.load(this.#words, COUNT);
    while (this.#shapes.length < count) this.#shapes.push(this.#read());
    const shape = this.#shapes[id];
    if (shape === undefined) throw new DamagedError(`there is no shape ${id}`);
    return shape;
  }

  #read(): Step {
    const keys = new Array<string>(this.#byte());
    if (keys.length === 0) throw new DamagedError('a shape without keys');
    for (let i = 0; i < keys.length; i++) {
      const length = this.#byte();
      let key = '';
      for (let j = 0; j < length; j++) key += String.fromCharCode(this.#byte());
      keys[i] = key;
    }
    return new Step(keys, 0);
  }

  #byte(): number {
    const byte = this.#u8[this.#at++];
    if (byte === undefined) throw new DamagedError('the book of shapes has no end');
    return byte;
  }
}
