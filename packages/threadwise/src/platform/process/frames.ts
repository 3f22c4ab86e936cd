/** Messages in a pipe. The value codec writes most, in a fifth of the time of structured clone, which writes the values that the codec does not know. */
import { ShapeReader, ShapeWriter } from '../../transport/codec/shape-book.js';
import { BOOK_BYTES, BOOK_HEADER_BYTES, FULL } from '../../transport/codec/tags.js';
import { type Memory, memoryOf, NO_MEMORY } from '../../transport/codec/value-memory.js';
import { ValueReader } from '../../transport/codec/value-reader.js';
import { ValueWriter } from '../../transport/codec/value-writer.js';
import { cloneError } from '../node/host-objects.js';
import { fromBytes, toBytes } from './clone.js';
import type { ringReader, ringWriter } from './ring.js';

/** Before each message: how many bytes it has (a Uint32), and its kind (one byte). */
const HEADER_BYTES = 5;
const KIND = 4;
/** A message in structured clone's format. */
const CLONED = 0;
/** The same, but for the port itself and not for its listener. */
const ASIDE = 1;
/** A message that the value codec has written. */
const CODED = 2;
/** No message: how many shapes the writer's book has (a Uint32), and the new bytes of it. Comes before the message that needs them. */
const BOOK = 3;
/** A message in the ring: its own kind (one byte), its offset and its length (a Uint32 each). */
const IN_RING = 4;
/** The kind that the reader gives to a message for which it has no memory; no frame carries this kind. */
const LOST = 5;
const MAX_BYTES = 2 ** 31 - 1; // of a message

/** How many bytes are read from a pipe at a time. */
export const PIECE_BYTES = 2 ** 18;
/** Size of the memory in which messages are written and put together: at first, and the most that is kept. Bytes; chosen by hand. */
const FIRST_BYTES = 2 ** 14;
export const KEPT_BYTES = 2 ** 22;
/** Messages of at least this many bytes go by the ring: one system call puts a shorter one into the pipe. Chosen by measurement. */
const RING_FROM = 2 ** 16;

const newMemory = (byteLength: number): Memory => memoryOf(new ArrayBuffer(byteLength));

export class FrameWriter {
  readonly #book = new Uint8Array(BOOK_BYTES);
  readonly #shapes = new ShapeWriter(this.#book.buffer);
  readonly #values = new ValueWriter(this.#shapes);
  /** How many bytes of the book the other end has. */
  #known = this.#shapes.byteLength;
  #memory = newMemory(FIRST_BYTES);
  /** Puts large messages into the ring; undefined: they go by the pipe. */
  put: ReturnType<typeof ringWriter> | undefined;

  /** Returns the frame, which is valid until the next message is written, or for good if it has more than `KEPT_BYTES`. Throws a DataCloneError. */
  write(message: unknown): Uint8Array {
    let end: number;
    for (;;) {
      const { length } = this.#memory.u8;
      end = this.#values.write(message, this.#memory, HEADER_BYTES, length);
      if (end !== FULL || length >= KEPT_BYTES) break;
      this.#memory = newMemory(length * 4);
    }
    if (end < 0) return this.#byRing(written(message, CLONED));
    setHeader(this.#memory.view, end - HEADER_BYTES, CODED);
    const frame = this.#byRing(this.#memory.u8.subarray(0, end));
    const { byteLength } = this.#shapes;
    if (byteLength === this.#known) return frame;
    const count = this.#book.subarray(0, BOOK_HEADER_BYTES);
    const growth = frameOf(BOOK, count, this.#book.subarray(this.#known, byteLength));
    this.#known = byteLength;
    return Buffer.concat([growth, frame]);
  }

  /** Puts the content of a large frame into the ring, and returns a frame that says where it is; without room, returns the given frame. */
  #byRing(frame: Uint8Array): Uint8Array {
    if (this.put === undefined || frame.length < RING_FROM) return frame;
    const start = this.put(frame.subarray(HEADER_BYTES));
    if (start < 0) return frame;
    const place = Buffer.alloc(9, frame[KIND]);
    place.writeUInt32LE(frame.length - HEADER_BYTES, place.writeUInt32LE(start, 1));
    return frameOf(IN_RING, place);
  }
}

/** The frame of a message for the port at the other end, not for its listener. */
export const asideFrame = (message: unknown): Uint8Array => written(message, ASIDE);

function written(message: unknown, kind: number): Uint8Array {
  const frame = toBytes(message, HEADER_BYTES);
  const length = frame.length - HEADER_BYTES;
  if (length > MAX_BYTES) throw cloneError(`a message of ${length} bytes is too long for a pipe`);
  setHeader(new DataView(frame.buffer, frame.byteOffset), length, kind);
  return frame;
}

function frameOf(kind: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const frame = Buffer.concat([new Uint8Array(HEADER_BYTES), ...parts]);
  setHeader(new DataView(frame.buffer, frame.byteOffset), frame.length - HEADER_BYTES, kind);
  return frame;
}

function setHeader(view: DataView, length: number, kind: number): void {
  view.setUint32(0, length, true);
  view.setUint8(KIND, kind);
}

/** Puts messages together from the pieces in which they come. */
export class FrameReader {
  /** Whether the message that `next` has found is for the port itself. */
  isAside = false;
  /** Takes large messages out of the ring; undefined: they come by the pipe. */
  take: ReturnType<typeof ringReader> | undefined;
  readonly #book = new Uint8Array(BOOK_BYTES);
  readonly #values = new ValueReader(new ShapeReader(this.#book.buffer));
  /** How many bytes of the writer's book have arrived. */
  #known = BOOK_HEADER_BYTES;
  /** Bytes that have arrived and were not read are in `#memory`, from `#at` to `#end`. */
  #memory = newMemory(FIRST_BYTES);
  #at = 0;
  #end = 0;
  /** Where the message begins that `next` has found, and its kind. */
  #start = 0;
  #kind = CLONED;
  /** Memory that messages in the ring are read into. */
  #large = NO_MEMORY;
  /** Why there is no memory for the message that `next` has found. */
  #fault: unknown;
  /** How many bytes of a message for which there is no memory are still to come: they are dropped. */
  #missing = 0;

  add(bytes: Uint8Array): void {
    const piece = this.#missing === 0 ? bytes : bytes.subarray(this.#missing);
    this.#missing -= bytes.length - piece.length;
    if (this.#at === this.#end) this.#at = this.#end = 0;
    this.#reserve(this.#end - this.#at + piece.length);
    this.#memory.u8.set(piece, this.#end);
    this.#end += piece.length;
  }

  /** Goes on to the next message, if all of it is here. */
  next(): boolean {
    for (;;) {
      const waiting = this.#end - this.#at;
      if (waiting < HEADER_BYTES) {
        this.#reserve(waiting);
        return false;
      }
      const { view, u8 } = this.#memory;
      const length = view.getUint32(this.#at, true) + HEADER_BYTES;
      this.#kind = view.getUint8(this.#at + KIND);
      this.isAside = this.#kind === ASIDE;
      if (waiting < length) return this.#isRefused(length);
      this.#start = this.#at + HEADER_BYTES;
      this.#at += length;
      if (this.#kind !== BOOK) return true;
      const growth = u8.subarray(this.#start + BOOK_HEADER_BYTES, this.#at);
      this.#book.set(u8.subarray(this.#start, this.#start + BOOK_HEADER_BYTES));
      this.#book.set(growth, this.#known);
      this.#known += growth.length;
    }
  }

  /** Makes room for a message that is not all here. Returns true if there is no memory for the message: then it counts as unreadable. */
  #isRefused(length: number): boolean {
    try {
      // Room for one more piece: the bytes behind the message in its last piece must not need as much memory again.
      this.#reserve(length > KEPT_BYTES ? length + PIECE_BYTES : length);
      return false;
    } catch (error) {
      this.#fault = error;
      this.#kind = LOST;
      this.#missing = length - (this.#end - this.#at);
      this.#at = this.#end;
      return true;
    }
  }

  /** The message that `next` has found; to be called once, before any other method. Throws if it cannot be read. */
  message(): unknown {
    if (this.#kind === LOST) throw this.#fault;
    if (this.#kind !== IN_RING) return this.#valueIn(this.#kind, this.#memory, this.#start, this.#at);
    const { view } = this.#memory;
    const kind = view.getUint8(this.#start);
    const length = view.getUint32(this.#start + 5, true);
    this.take!(view.getUint32(this.#start + 1, true), () => {
      if (this.#large.u8.length < length) this.#large = newMemory(length);
      return this.#large.u8.subarray(0, length);
    });
    const memory = this.#large;
    if (memory.u8.length > KEPT_BYTES) this.#large = NO_MEMORY;
    return this.#valueIn(kind, memory, 0, length);
  }

  #valueIn(kind: number, memory: Memory, start: number, end: number): unknown {
    if (kind === CODED) return this.#values.read(memory, start, end);
    return fromBytes(Buffer.from(memory.u8.buffer, start, end - start));
  }

  /** Makes room for `length` bytes from `#at` on, and gives up memory that has become too large. */
  #reserve(length: number): void {
    const { u8 } = this.#memory;
    const isTooLarge = u8.length > KEPT_BYTES && length <= FIRST_BYTES;
    if (this.#at + length <= u8.length && !isTooLarge) return;
    if (length > u8.length || isTooLarge)
      this.#memory = newMemory(Math.max(FIRST_BYTES, length, u8.length > KEPT_BYTES ? 0 : 2 * u8.length));
    this.#memory.u8.set(u8.subarray(this.#at, this.#end));
    this.#end -= this.#at;
    this.#at = 0;
  }
}
