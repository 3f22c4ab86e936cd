/** Writes arguments and reads results: in a cell, or where that is too small, in the arena and in a worker's stream. */
import { type HeldLease, leaseOf } from '../../../core/lease.js';
import { int32sOf, type Memory, memoryOf, writeBytes } from '../../codec/value-memory.js';
import { ShapeReader } from '../../codec/shape-book.js';
import { ValueReader } from '../../codec/value-reader.js';
import { readLatin1, writeLatin1 } from '../../codec/text.js';
import { untrue } from '../../trust.js';
import { estimateItems } from '../../codec/estimate.js';
import { FULL, UNKNOWN, type ValueWriter } from '../../codec/value-writer.js';
import type { Arena } from './arena.js';
import type { CellPayload } from './cells.js';
import {
  BY_PORT,
  CELL_BYTES,
  DOUBLES,
  FORM,
  INLINE_BYTES,
  INLINE_NUMBER,
  INLINE_START,
  IN_CELL,
  LATIN1,
  LENGTH,
  NOTHING,
  NUMBER,
  ONE,
  OUTSIDE,
  PLACE,
  STREAM_READ,
  WITH_LEASES,
  WORDS,
  offsetOf,
} from '../layout.js';

/** Values up to about that size are written to a scratch first, and then into a block that fits. */
const SCRATCH_BYTES = 64 * 1024;

/** The cells as far as they are written to. */
export interface CellMemory {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly memory: Memory;
}

/** The cells, and what stands for the arguments in each of them. */
interface ArgumentCells extends CellMemory {
  payload(cell: number): CellPayload;
}

/** Writes the arguments of a call into its cell, or where the cell is too small, into the arena. */
export class ArgumentWriter {
  readonly #writer: ValueWriter;
  readonly #arena: Arena;
  readonly #scratch = memoryOf(new ArrayBuffer(SCRATCH_BYTES));

  constructor(writer: ValueWriter, arena: Arena) {
    this.#writer = writer;
    this.#arena = arena;
  }

  /** False, and nothing is kept: the arguments can only go by port. */
  write(cell: number, to: ArgumentCells, args: readonly unknown[]): boolean {
    const first = args[0];
    if (args.length === 1 && typeof first === 'string') {
      const start = cell * CELL_BYTES + INLINE_START;
      if (writeLatin1(first, to.memory, start, start + INLINE_BYTES) >= 0) {
        to.words[cell * WORDS + FORM] = LATIN1;
        to.words[cell * WORDS + LENGTH] = first.length;
        return true;
      }
    }
    const payload = to.payload(cell);
    const leases = leasesIn(args);
    if (leases !== undefined) return this.#writeLeases(payload, to, args, leases);
    return this.#writeValues(payload, to, args, 0);
  }

  /** Gives back the block. */
  free(payload: CellPayload): void {
    if (payload.block >= 0) this.#arena.free(payload.block);
    payload.block = -1;
  }

  /** @param extra bytes to be kept free behind the values */
  #writeValues(payload: CellPayload, to: CellMemory, args: readonly unknown[], extra: number): boolean {
    const estimate = estimateItems(args) + extra;
    const isOne = args.length === 1 && extra === 0;
    const value = isOne ? args[0] : args;
    const flag = isOne ? ONE : 0;
    if (estimate <= INLINE_BYTES) {
      const end = this.#writeInCell(payload, to, value, flag, extra);
      if (end !== FULL) return end !== UNKNOWN;
    }
    if (estimate <= SCRATCH_BYTES / 2) {
      const end = this.#writer.write(value, this.#scratch, 0, SCRATCH_BYTES);
      if (end === UNKNOWN) return false;
      if (end !== FULL) return this.#copy(payload, to, OUTSIDE | flag, end, extra);
    }
    return this.#writeDirectly(payload, to, OUTSIDE | flag, value, estimate, extra);
  }

  /** What the writer said. */
  #writeInCell(payload: CellPayload, to: CellMemory, value: unknown, flag: number, extra: number): number {
    const start = payload.cell * CELL_BYTES + INLINE_START;
    const end = this.#writer.write(value, to.memory, start, start + INLINE_BYTES - extra);
    if (end >= 0) this.#wrote(payload, to, IN_CELL | flag, 0, end - start);
    return end;
  }

  #copy(payload: CellPayload, to: CellMemory, form: number, length: number, extra: number): boolean {
    const block = this.#arena.take(length + extra);
    if (block < 0) return false;
    payload.block = block;
    const memory = this.#arena.memory(block);
    writeBytes(memory, offsetOf(block), this.#scratch.u8.subarray(0, length));
    return this.#wrote(payload, to, form, block, length);
  }

  #writeDirectly(
    payload: CellPayload,
    to: CellMemory,
    form: number,
    value: unknown,
    estimate: number,
    extra: number,
  ): boolean {
    for (let size = estimate; ;) {
      const block = this.#arena.take(size);
      if (block < 0) return false;
      const start = offsetOf(block);
      const capacity = this.#arena.size(block);
      const end = this.#writer.write(value, this.#arena.memory(block), start, start + capacity - extra);
      if (end >= 0) {
        payload.block = block;
        return this.#wrote(payload, to, form, block, end - start);
      }
      this.#arena.free(block);
      if (end === UNKNOWN) return false;
      size = 2 * capacity;
    }
  }

  #wrote(payload: CellPayload, to: CellMemory, form: number, place: number, length: number): true {
    const at = payload.cell * WORDS;
    to.words[at + FORM] = form;
    to.words[at + PLACE] = place;
    to.words[at + LENGTH] = length;
    return true;
  }

  /** The values without the leases, and behind them where the leases are. */
  #writeLeases(
    payload: CellPayload,
    to: CellMemory,
    args: readonly unknown[],
    leases: readonly (HeldLease | undefined)[],
  ): boolean {
    const entries: number[] = [];
    for (const [i, lease] of leases.entries()) {
      if (lease === undefined) continue;
      const { buffer, byteOffset, byteLength } = lease.bytes; // throws where it was released
      const segment = this.#arena.segments.indexOf(buffer);
      if (segment < 0) return false;
      entries.push(i, segment, byteOffset, byteLength); // Int32 each, in the order in which the worker reads them
    }
    const values = args.map((value, i) => (leases[i] === undefined ? value : undefined));
    const extra = 4 + entries.length * 4;
    if (!this.#writeValues(payload, to, values, extra)) return false;
    const at = payload.cell * WORDS;
    const isOutside = payload.block >= 0;
    const { view } = isOutside ? this.#arena.memory(payload.block) : to.memory;
    const start = isOutside ? offsetOf(payload.block) : payload.cell * CELL_BYTES + INLINE_START;
    let end = start + to.words[at + LENGTH]!;
    for (const word of entries) {
      view.setInt32(end, word);
      end += 4;
    }
    view.setInt32(end, entries.length / 4);
    to.words[at + LENGTH] = end + 4 - start;
    to.words[at + FORM] = to.words[at + FORM]! | WITH_LEASES;
    payload.leases = leases.filter((lease) => lease !== undefined);
    return true;
  }
}

/** The leases among the arguments, each in its place; undefined where there is none. */
function leasesIn(args: readonly unknown[]): (HeldLease | undefined)[] | undefined {
  let found: (HeldLease | undefined)[] | undefined;
  for (let i = 0; i < args.length; i++) {
    const lease = leaseOf(args[i]);
    if (lease === undefined) continue;
    found ??= new Array(args.length).fill(undefined);
    found[i] = lease;
  }
  return found;
}

/** The result was sent over the port, and could not be read. */
export const LOST = Symbol('lost');

/** Reads the results of one worker: out of a cell, out of the worker's stream, or as they came over its port. */
export class ResultReader {
  readonly #cells: CellMemory;
  readonly #own: Int32Array;
  readonly #stream: Memory;
  readonly #reader: ValueReader;
  /** Results that came over the port, by cell. */
  readonly #posted = new Map<number, unknown>();

  /** @param own the words of the worker's seat */
  constructor(cells: CellMemory, own: ArrayBufferLike, stream: ArrayBufferLike, shapes: ArrayBufferLike) {
    this.#cells = cells;
    this.#own = int32sOf(own);
    this.#stream = memoryOf(stream);
    this.#reader = new ValueReader(new ShapeReader(shapes));
  }

  post(cell: number, value: unknown): void {
    this.#posted.set(cell, value);
  }

  /** Throws what is wrong with what the worker wrote. @param form of layout.ts, without its flags */
  read(cell: number, form: number): unknown {
    const { words, doubles, memory } = this.#cells;
    const length = words[cell * WORDS + LENGTH]!;
    switch (form) {
      case NOTHING:
        return undefined;
      case NUMBER:
        return doubles[cell * DOUBLES + INLINE_NUMBER];
      case LATIN1:
        if (!(length >= 0 && length <= INLINE_BYTES)) throw untrueLength(length, INLINE_BYTES);
        return readLatin1(memory, cell * CELL_BYTES + INLINE_START, length);
      case IN_CELL:
        return this.#readAt(memory, cell * CELL_BYTES + INLINE_START, length, INLINE_BYTES);
      case OUTSIDE:
        return this.#readStream(words[cell * WORDS + PLACE]!, length);
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
    const value = this.#readAt(this.#stream, start, length, size - start);
    Atomics.store(this.#own, STREAM_READ, (position + length) | 0);
    return value;
  }

  #readAt(memory: Memory, start: number, length: number, most: number): unknown {
    if (length >= 0 && length <= most) return this.#reader.read(memory, start, start + length);
    throw untrueLength(length, most);
  }
}

function untrueLength(length: number, most: number): Error {
  return untrue('the length of a result', length, `0 to ${most}`);
}
