/** Writes arguments and reads results: in a cell, or where that is too small, in the arena and in a worker's stream. */
import { type HeldLease, leaseOf } from '../../../core/lease.js';
import { int32sOf, type Memory, memoryOf, writeBytes } from '../../codec/value-memory.js';
import { ShapeReader } from '../../codec/shape-book.js';
import { ValueReader } from '../../codec/value-reader.js';
import { readLatin1, writeLatin1 } from '../../codec/text.js';
import { untrue } from '../../trust.js';
import { estimateItems } from '../../codec/estimate.js';
import { UNKNOWN } from '../../codec/tags.js';
import type { ValueWriter } from '../../codec/value-writer.js';
import type { Arena } from './arena.js';
import type { CellPayload, Cells } from './cells.js';
import * as L from '../layout.js';

/** Size of the scratch memory. Values that seem to need at most half of it are written there first, and then copied into a block that fits. */
const SCRATCH_BYTES = 64 * 1024;

/** Larger values go by port: the word LENGTH could not hold their length. */
const MOST_BYTES = 2 ** 31 - 1;

/** A lease among the arguments, and its place there. */
type Placed = readonly [place: number, lease: HeldLease];

/** Writes the arguments of a call into its cell, or where the cell is too small, into the arena. */
export class ArgumentWriter {
  readonly #cells: Cells;
  readonly #values: ValueWriter;
  readonly #arena: Arena;
  #scratch: Memory | undefined;

  constructor(cells: Cells, values: ValueWriter, arena: Arena) {
    this.#cells = cells;
    this.#values = values;
    this.#arena = arena;
  }

  /**
   * Writes the arguments. Returns false, and keeps nothing, if they can only go by port.
   * @param areMoved whether there are buffers among them that will be moved: these arrive whole, even if the arguments only have views of parts
   */
  write(cell: number, args: readonly unknown[], areMoved = false): boolean {
    const { words, doubles } = this.#cells;
    const { length } = args;
    const first = args[0];
    if (length === 0 || (length === 1 && typeof first === 'number')) {
      words[cell * L.WORDS + L.FORM] = length === 0 ? L.NOTHING : L.NUMBER;
      if (length === 1) doubles[cell * L.DOUBLES + L.INLINE_NUMBER] = first as number;
      return true;
    }
    if (length === 1 && typeof first === 'string' && this.writeText(cell, first)) return true;
    const payload = this.#cells.payload(cell);
    const leases = leasesIn(args);
    if (leases === undefined) return this.#writeValues(payload, args, 0, areMoved);
    return !areMoved && this.#writeLeases(payload, args, leases);
  }

  /** Writes the one argument of a call into its cell. False, and nothing is written: it is too long, or a character needs more than a byte. */
  writeText(cell: number, text: string): boolean {
    const { memory, words } = this.#cells;
    const start = cell * L.CELL_BYTES + L.INLINE_START;
    if (writeLatin1(text, memory, start, start + L.INLINE_BYTES) < 0) return false;
    words[cell * L.WORDS + L.FORM] = L.LATIN1;
    words[cell * L.WORDS + L.LENGTH] = text.length;
    return true;
  }

  /** Gives back the block. */
  free(payload: CellPayload): void {
    if (payload.block >= 0) this.#arena.free(payload.block);
    payload.block = -1;
  }

  /** @param extra bytes to be kept free behind the values */
  #writeValues(payload: CellPayload, args: readonly unknown[], extra: number, areMoved = false): boolean {
    const estimate = estimateItems(args) + extra;
    const isOne = args.length === 1 && extra === 0;
    const value = isOne ? args[0] : args;
    const flag = isOne ? L.ONE : 0;
    if (estimate <= L.INLINE_BYTES && !areMoved) {
      const start = payload.cell * L.CELL_BYTES + L.INLINE_START;
      const end = this.#values.write(value, this.#cells.memory, start, start + L.INLINE_BYTES - extra);
      if (end >= 0) return this.#wrote(payload, L.IN_CELL | flag, 0, end - start);
      if (end === UNKNOWN) return false;
    }
    if (estimate <= SCRATCH_BYTES / 2 && !areMoved) {
      const scratch = (this.#scratch ??= memoryOf(new ArrayBuffer(SCRATCH_BYTES)));
      const length = this.#values.write(value, scratch, 0, SCRATCH_BYTES);
      if (length === UNKNOWN) return false;
      if (length >= 0) {
        const block = this.#arena.take(length + extra);
        if (block < 0) return false;
        payload.block = block;
        writeBytes(this.#arena.memory(block), L.offsetOf(block), scratch.u8.subarray(0, length));
        return this.#wrote(payload, L.OUTSIDE | flag, block, length);
      }
    }
    return this.#writeDirectly(payload, value, flag, estimate, extra, areMoved);
  }

  /** Writes into a block of that size; if the value does not fit, into larger ones. */
  #writeDirectly(
    payload: CellPayload,
    value: unknown,
    flag: number,
    size: number,
    extra: number,
    wholeBuffers: boolean,
  ): boolean {
    while (size <= MOST_BYTES) {
      const block = this.#arena.take(size);
      if (block < 0) return false;
      const start = L.offsetOf(block);
      const capacity = this.#arena.size(block);
      const limit = start + Math.min(capacity, MOST_BYTES) - extra;
      const end = this.#values.write(value, this.#arena.memory(block), start, limit, wholeBuffers);
      this.#values.forget();
      if (end >= 0) {
        payload.block = block;
        return this.#wrote(payload, L.OUTSIDE | flag, block, end - start);
      }
      this.#arena.free(block);
      if (end === UNKNOWN) return false;
      size = 2 * capacity;
    }
    return false;
  }

  #wrote(payload: CellPayload, form: number, place: number, length: number): true {
    const { words } = this.#cells;
    const { cell } = payload;
    payload.shared = this.#values.shared;
    this.#values.shared = undefined;
    words[cell * L.WORDS + L.FORM] = form;
    words[cell * L.WORDS + L.PLACE] = place;
    words[cell * L.WORDS + L.LENGTH] = length;
    return true;
  }

  /** Writes the values without the leases, and behind them the places of the leases. */
  #writeLeases(payload: CellPayload, args: readonly unknown[], leases: readonly Placed[]): boolean {
    const { words, memory } = this.#cells;
    const values = args.slice();
    for (const [place] of leases) values[place] = undefined;
    // The values are written before the leases are looked at, because a getter among them may release a lease.
    if (!this.#writeValues(payload, values, 16 * leases.length + 4)) return false;
    const at = payload.cell * L.WORDS;
    const isOutside = payload.block >= 0;
    const { view } = isOutside ? this.#arena.memory(payload.block) : memory;
    const start = isOutside ? L.offsetOf(payload.block) : payload.cell * L.CELL_BYTES + L.INLINE_START;
    let end = start + words[at + L.LENGTH]!;
    for (const [place, lease] of leases) {
      // `bytes` throws if the lease was released. A task that is tried again still has its lease, even if the caller has released it.
      const { buffer, byteOffset, byteLength } = payload.leases === undefined ? lease.bytes : lease.lentBytes;
      const segment = this.#arena.segments.indexOf(buffer);
      if (segment < 0) return false;
      // The worker reads these words in the same order.
      for (const word of [place, segment, byteOffset, byteLength]) {
        view.setInt32(end, word);
        end += 4;
      }
    }
    view.setInt32(end, leases.length);
    words[at + L.LENGTH] = end + 4 - start;
    words[at + L.FORM] = words[at + L.FORM]! | L.WITH_LEASES;
    payload.leases = leases.map(([, lease]) => lease);
    return true;
  }
}

/** The leases among the arguments; undefined where there is none. */
function leasesIn(args: readonly unknown[]): readonly Placed[] | undefined {
  let found: Placed[] | undefined;
  for (let place = 0; place < args.length; place++) {
    const lease = leaseOf(args[place]);
    if (lease !== undefined) (found ??= []).push([place, lease]);
  }
  return found;
}

/** Read in the place of a result that was sent over the port and could not be read. */
export const LOST = Symbol('lost');

/** Reads the results of one worker: out of a cell, out of the worker's stream, or as they came over its port. */
export class ResultReader {
  readonly #cells: Cells;
  readonly #own: Int32Array;
  readonly #stream: Memory;
  readonly #reader: ValueReader;
  /** Results that came over the port, by cell; a hint that names the cell comes behind each. */
  readonly posted = new Map<number, unknown>();

  constructor(cells: Cells, { own, stream, ownShapes }: L.SharedMemory) {
    this.#cells = cells;
    this.#own = int32sOf(own);
    this.#stream = memoryOf(stream);
    this.#reader = new ValueReader(new ShapeReader(ownShapes));
  }

  /** Throws if what the worker wrote is no result. @param form of layout.ts, without its flags */
  read(cell: number, form: number): unknown {
    const { words, doubles, memory } = this.#cells;
    const length = words[cell * L.WORDS + L.LENGTH]!;
    switch (form) {
      case L.NOTHING:
        return undefined;
      case L.NUMBER:
        return L.numberIn(doubles, cell);
      case L.LATIN1:
        checkLength(length, L.INLINE_BYTES);
        return readLatin1(memory, cell * L.CELL_BYTES + L.INLINE_START, length);
      case L.IN_CELL: {
        checkLength(length, L.INLINE_BYTES);
        const start = cell * L.CELL_BYTES + L.INLINE_START;
        return this.#reader.read(memory, start, start + length);
      }
      case L.OUTSIDE:
        return this.#readStream(words[cell * L.WORDS + L.PLACE]!, length);
      case L.BY_PORT: {
        const value = this.posted.has(cell) ? this.posted.get(cell) : LOST;
        this.posted.delete(cell);
        return value;
      }
      default:
        throw new Error(`threadwise: a result in an unknown form, ${form}`);
    }
  }

  #readStream(position: number, length: number): unknown {
    const size = this.#stream.u8.byteLength;
    const start = position & (size - 1);
    checkLength(length, size - start);
    const value = this.#reader.read(this.#stream, start, start + length);
    Atomics.store(this.#own, L.STREAM_READ, (position + length) | 0);
    return value;
  }
}

function checkLength(length: number, most: number): void {
  if (!(length >= 0 && length <= most)) throw untrue('the length of a result', length, `0 to ${most}`);
}
