/** The results of one worker, as main reads them: out of a cell, out of the worker's stream, or as they came over its port. */
import { ShapeReader } from '../../codec/shapes/shape-book.js';
import { type Memory, memoryOf } from '../../codec/value-memory.js';
import { ValueReader } from '../../codec/value-reader.js';
import { untrue } from '../../trust.js';
import type { Cells } from './cells.js';
import {
  BY_PORT,
  CELL_BYTES,
  DOUBLES,
  INLINE_BYTES,
  INLINE_NUMBER,
  INLINE_START,
  IN_CELL,
  LENGTH,
  NOTHING,
  NUMBER,
  OUTSIDE,
  PLACE,
  STREAM_READ,
  WORDS,
} from '../layout.js';

/** The result was sent over the port, and could not be read. */
export const LOST = Symbol('lost');

export class Results {
  readonly #cells: Cells;
  readonly #own: Int32Array;
  readonly #stream: Memory;
  readonly #reader: ValueReader;
  /** Results that came over the port, by cell. */
  readonly #posted = new Map<number, unknown>();

  /** @param own the words of the worker's seat */
  constructor(cells: Cells, own: Int32Array, stream: ArrayBufferLike, shapes: ArrayBufferLike) {
    this.#cells = cells;
    this.#own = own;
    this.#stream = memoryOf(stream);
    this.#reader = new ValueReader(new ShapeReader(shapes));
  }

  post(cell: number, value: unknown): void {
    this.#posted.set(cell, value);
  }

  /** Throws what is wrong with what the worker wrote. @param form of layout.ts, without its flags */
  read(cell: number, form: number): unknown {
    const { words, doubles, memory } = this.#cells;
    switch (form) {
      case NOTHING:
        return undefined;
      case NUMBER:
        return doubles[cell * DOUBLES + INLINE_NUMBER];
      case IN_CELL: {
        const start = cell * CELL_BYTES + INLINE_START;
        const length = lengthWithin(words[cell * WORDS + LENGTH]!, INLINE_BYTES);
        return this.#reader.read(memory, start, start + length);
      }
      case OUTSIDE:
        return this.#readStream(words[cell * WORDS + PLACE]!, words[cell * WORDS + LENGTH]!);
      case BY_PORT: {
        const value = this.#posted.has(cell) ? this.#posted.get(cell) : LOST;
        this.#posted.delete(cell);
        return value;
      }
      default:
        throw new Error(`threadwise: a result in an unknown form, ${form}`);
    }
  }

  #readStream(position: number, length: number): unknown {
    const size = this.#stream.u8.byteLength;
    const start = position & (size - 1);
    const value = this.#reader.read(this.#stream, start, start + lengthWithin(length, size - start));
    Atomics.store(this.#own, STREAM_READ, (position + length) | 0);
    return value;
  }
}

function lengthWithin(length: number, most: number): number {
  if (length >= 0 && length <= most) return length;
  throw untrue('the length of a result', length, `0 to ${most}`);
}
