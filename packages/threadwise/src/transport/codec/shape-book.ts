/** The book of shapes: the lists of keys that objects have, sent once through memory that both sides share. */
import { isName, WideRecords } from './plain-objects.js';
import { BOOK_BYTES, BOOK_HEADER_BYTES, DamagedError } from './tags.js';
import { int32sOf } from './value-memory.js';

/** Word 0: how many shapes are in the book; stored last, so that a thread that sees the number sees the shapes. */
const COUNT = 0;
/** How many keys a shape has at most: the count is a byte. An object with more keys is a dictionary rather than the row of a table. */
const MAX_KEYS = 0xff;
const MAX_KEY_LENGTH = 0xff;
/** How many bytes of the book one shape takes at most, so that a few cannot fill it. */
const MAX_SHAPE_BYTES = BOOK_BYTES / 8;
const NO_SHAPE = -1;
const MAX_HASHES = 1024; // how many lists of keys that came once, or are not for the book, are remembered
/** A shape of more keys than this number gets into the first half of the book only, and leaves the rest to smaller ones. */
const MANY_KEYS = 64;
/** How many keys at the end are hashed first, if there are more than MANY_KEYS: to hash all keys of each dictionary would take time. */
const LAST_KEYS = 16;

/** A place in the tree of the shapes in the book: the keys on the way to it are those of a shape, or begin one. */
export class ShapeNode {
  id = NO_SHAPE; // the number of the shape that ends here
  /** The step that was taken last: mostly the same step is taken next. */
  key = '';
  next: ShapeNode | undefined;
  /** The step that was taken before `key`: where there are records in records, two steps take turns. */
  #otherKey = '';
  #other: ShapeNode | undefined;
  /** Undefined: there is one step at most, which is `next`. Most nodes of wide shapes have only one. */
  #all: Map<string, ShapeNode> | undefined;
  readonly #before: ShapeNode | undefined;
  readonly #ownKey: string;

  /** @param ownKey the key of the step from `before` to this node */
  constructor(before?: ShapeNode, ownKey = '') {
    this.#before = before;
    this.#ownKey = ownKey;
  }

  /** The keys on the way from the root to this node. */
  keys(): string[] {
    const keys = this.#before?.keys();
    keys?.push(this.#ownKey);
    return keys ?? [];
  }

  /** The slow half of a step: `key` is not the last one. */
  step(key: string): ShapeNode | undefined {
    const next = this.#otherKey === key ? this.#other : this.#all?.get(key);
    if (next === undefined) return undefined;
    this.#otherKey = this.key;
    this.#other = this.next;
    this.key = key;
    this.next = next;
    return next;
  }

  grow(key: string): ShapeNode {
    const known = this.key === key ? this.next : this.step(key);
    if (known !== undefined) return known;
    const next = new ShapeNode(this, key);
    if (this.next === undefined) [this.key, this.next] = [key, next];
    else (this.#all ??= new Map([[this.key, this.next]])).set(key, next);
    return next;
  }
}

/** Writes the book. One per book. */
export class ShapeWriter {
  readonly root = new ShapeNode();
  /** How many bytes of the book are written. */
  byteLength = BOOK_HEADER_BYTES;
  readonly #u8: Uint8Array;
  readonly #words: Int32Array;
  /** The hashes of lists of keys that came once. */
  readonly #seen = new Set<number>();
  /** The hashes of the last keys of lists of many keys that are not for the book. */
  readonly #refused = new Set<number>();
  #count = 0;

  constructor(buffer: ArrayBufferLike) {
    this.#u8 = new Uint8Array(buffer, 0, buffer.byteLength);
    this.#words = int32sOf(buffer);
  }

  /** The number of the shape with these keys, which is put into the book if it deserves that; -1: it is not in the book. */
  idOf(keys: readonly string[]): number {
    if (keys.length === 0 || keys.length > MAX_KEYS) return NO_SHAPE;
    let node: ShapeNode | undefined = this.root;
    for (const key of keys) node = node?.key === key ? node.next : node?.step(key);
    if (node !== undefined && node.id !== NO_SHAPE) return node.id;
    // A dictionary has other keys each time: only what comes back is worth a place.
    if (!isName(keys[0]!)) return NO_SHAPE;
    if (keys.length <= MANY_KEYS) {
      return wasNoted(this.#seen, hashOf(keys)) ? this.#add(keys, this.#u8.length) : NO_SHAPE;
    }
    const last = hashOf(keys.slice(-LAST_KEYS));
    if (this.#refused.has(last)) return NO_SHAPE;
    if (!wasNoted(this.#seen, last) || !wasNoted(this.#seen, hashOf(keys))) return NO_SHAPE;
    const id = this.#add(keys, this.#u8.length / 2);
    if (id === NO_SHAPE) wasNoted(this.#refused, last);
    return id;
  }

  /** @param end where the shape ends at the latest */
  #add(keys: readonly string[], end: number): number {
    let size = 1;
    for (const key of keys) {
      if (key.length > MAX_KEY_LENGTH || !isName(key)) return NO_SHAPE;
      size += 1 + key.length;
    }
    if (size > MAX_SHAPE_BYTES || this.byteLength + size > end) return NO_SHAPE;
    this.#u8[this.byteLength++] = keys.length;
    let node = this.root;
    for (const key of keys) {
      this.#u8[this.byteLength++] = key.length;
      for (let i = 0; i < key.length; i++) this.#u8[this.byteLength++] = key.charCodeAt(i);
      node = node.grow(key);
    }
    node.id = this.#count++;
    Atomics.store(this.#words, COUNT, this.#count);
    return node.id;
  }
}

/** Whether a hash came before; notes that it came. */
function wasNoted(hashes: Set<number>, hash: number): boolean {
  if (hashes.has(hash)) return true;
  if (hashes.size === MAX_HASHES) hashes.clear();
  hashes.add(hash);
  return false;
}

function hashOf(keys: readonly string[]): number {
  let hash = keys.length;
  for (const key of keys) {
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15) ^ key.length, 0x9e3779b1);
  }
  return hash;
}

/** How many keys an object literal has at most: V8 makes a hash table of a literal with more (Node.js 26). The other keys are added after it. */
const LITERAL_KEYS = 127;

/** The source of a statement that makes a constant `object` with these keys. @param valueOf gives the source of a value, by that of its key */
export function objectOf(keys: readonly string[], valueOf: (name: string) => string): string {
  const names = keys.map((key) => JSON.stringify(key));
  const fields = names.slice(0, LITERAL_KEYS).map((name) => `${name}: ${valueOf(name)}`);
  const others = names.slice(LITERAL_KEYS).map((name) => `object[${name}] = ${valueOf(name)};`);
  return `const object = { ${fields.join()} }; ${others.join('')}`;
}

/** What a reader knows of a shape. `uses`: how many objects were made without a function of its own. */
interface Shape {
  readonly keys: readonly string[];
  uses: number;
}

/** Reads the book as it grows. */
export class ShapeReader {
  readonly wideRecords = new WideRecords();
  readonly #u8: Uint8Array;
  readonly #words: Int32Array;
  readonly #shapes: Shape[] = [];
  #at = BOOK_HEADER_BYTES;

  constructor(buffer: ArrayBufferLike) {
    this.#u8 = new Uint8Array(buffer, 0, buffer.byteLength);
    this.#words = int32sOf(buffer);
  }

  shape(id: number): Shape {
    return this.#shapes[id] ?? this.#lookUp(id);
  }

  #lookUp(id: number): Shape {
    const count = Atomics.load(this.#words, COUNT);
    while (this.#shapes.length < count) {
      const keys = Array.from({ length: this.#byte() }, () =>
        String.fromCharCode(...Array.from({ length: this.#byte() }, () => this.#byte())),
      );
      if (keys.length === 0) throw new DamagedError('a shape without keys');
      this.wideRecords.gotShape(keys.length);
      this.#shapes.push({ keys, uses: 0 });
    }
    const shape = this.#shapes[id];
    if (shape === undefined) throw new DamagedError(`there is no shape ${id}`);
    return shape;
  }

  #byte(): number {
    const byte = this.#u8[this.#at++];
    if (byte === undefined) throw new DamagedError('the book of shapes has no end');
    return byte;
  }
}
