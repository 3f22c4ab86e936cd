/** Writes arguments into cells, and what does not fit there into the arena. */
import { leaseOf } from '../../../core/lease.js';
import { estimateItems, type Memory, memoryOf, writeBytes, writeLatin1 } from '../../codec/value-memory.js';
import { UNKNOWN } from '../../codec/tags.js';
import type { ValueWriter } from '../../codec/value-writer.js';
import type { Arena } from './arena.js';
import type { CellPayload, Cells } from './cells.js';
import * as L from '../layout.js';

/** Size of the scratch memory. Values that seem to need at most half of it are written there first, and then copied into a block that fits. */
const SCRATCH_BYTES = 64 * 1024;
/** Larger values go by port: the word LENGTH could not hold their length. */
const MOST_BYTES = 2 ** 31 - 1;

export const isLease = (value: unknown): boolean => leaseOf(value) !== undefined;

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
    if (!args.some(isLease)) return this.#writeValues(payload, args, 0, areMoved);
    return !areMoved && this.#writeLeases(payload, args);
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
    let size = estimateItems(args) + extra;
    const isOne = args.length === 1 && extra === 0;
    const value = isOne ? args[0] : args;
    if (size <= L.INLINE_BYTES && !areMoved) {
      const start = payload.cell * L.CELL_BYTES + L.INLINE_START;
      const end = this.#values.write(value, this.#cells.memory, start, start + L.INLINE_BYTES - extra);
      if (end >= 0) return this.#wrote(payload, L.IN_CELL, isOne, end - start);
      if (end === UNKNOWN) return false;
    }
    if (size <= SCRATCH_BYTES / 2 && !areMoved) {
      this.#scratch ??= memoryOf(new ArrayBuffer(SCRATCH_BYTES));
      const length = this.#values.write(value, this.#scratch, 0, SCRATCH_BYTES);
      if (length === UNKNOWN) return false;
      if (length >= 0) {
        const block = this.#arena.take(length + extra);
        if (block < 0) return false;
        payload.block = block;
        writeBytes(this.#arena.memory(block), L.offsetOf(block), this.#scratch.u8.subarray(0, length));
        return this.#wrote(payload, L.OUTSIDE, isOne, length);
      }
    }
    // Into a block of the estimated size; if the value does not fit, into larger ones.
    while (size <= MOST_BYTES) {
      const block = this.#arena.take(size);
      if (block < 0) return false;
      const start = L.offsetOf(block);
      const capacity = this.#arena.size(block);
      const limit = start + Math.min(capacity, MOST_BYTES) - extra;
      const end = this.#values.write(value, this.#arena.memory(block), start, limit, areMoved);
      this.#values.forget();
      if (end >= 0) {
        payload.block = block;
        return this.#wrote(payload, L.OUTSIDE, isOne, end - start);
      }
      this.#arena.free(block);
      if (end === UNKNOWN) return false;
      size = 2 * capacity;
    }
    return false;
  }

  #wrote(payload: CellPayload, form: number, isOne: boolean, length: number): true {
    const { words } = this.#cells;
    const at = payload.cell * L.WORDS;
    payload.shared = this.#values.shared;
    this.#values.shared = undefined;
    words[at + L.FORM] = isOne ? form | L.ONE : form;
    words[at + L.PLACE] = payload.block;
    words[at + L.LENGTH] = length;
    return true;
  }

  /** Writes the values without the leases, and behind them the places of the leases. */
  #writeLeases(payload: CellPayload, args: readonly unknown[]): boolean {
    const { words, memory } = this.#cells;
    const leases = args.map(leaseOf);
    const held = leases.filter((lease) => lease !== undefined);
    const values = args.map((value, place) => (leases[place] === undefined ? value : undefined));
    // The values are written before the leases are looked at, because a getter among them may release a lease.
    if (!this.#writeValues(payload, values, 16 * held.length + 4)) return false;
    const at = payload.cell * L.WORDS;
    const isOutside = payload.block >= 0;
    const { view } = isOutside ? this.#arena.memory(payload.block) : memory;
    const start = isOutside ? L.offsetOf(payload.block) : payload.cell * L.CELL_BYTES + L.INLINE_START;
    let end = start + words[at + L.LENGTH]!;
    for (const [place, lease] of leases.entries()) {
      if (lease === undefined) continue;
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
    view.setInt32(end, held.length);
    words[at + L.LENGTH] = end + 4 - start;
    words[at + L.FORM]! |= L.WITH_LEASES;
    payload.leases = held;
    return true;
  }
}
