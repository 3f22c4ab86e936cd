/** The arguments of a call, in its cell; what does not fit there is in the arena. */
import type { Payload } from '../../../core/calls/payload.js';
import { type HeldLease, leaseOf } from '../../../core/lease.js';
import { estimateItems, memoryOf, writeBytes } from '../../codec/value-memory.js';
import { UNKNOWN } from '../../codec/tags.js';
import type { Cells } from './cells.js';
import * as L from '../layout.js';

/** Size of the scratch memory. Values that seem to need at most half of it are written there first, and then copied into a block that fits. */
const SCRATCH_BYTES = 64 * 1024;
/** Larger values go by port: the word LENGTH could not hold their length. */
const MOST_BYTES = 2 ** 31 - 1;
const NO_VALUES: readonly unknown[] = [];

export const isLease = (value: unknown): boolean => leaseOf(value) !== undefined;

/** There is one for each cell that has needed it, used again and again. */
export class CellPayload implements Payload {
  readonly cell: number;
  /** Kept only if they are to be written again after a crash. */
  args: readonly unknown[] = NO_VALUES;
  readonly transfer = NO_VALUES;
  /** The block of the arena in which the arguments lie; -1: none. */
  block = -1;
  /** Whether a worker died while it had the cell: then its content is unknown. */
  isSpoilt = false;
  #leases: readonly HeldLease[] | undefined;
  /** Shared memory of users that the arguments name by number: while it is held here, other memory does not get its number. */
  #shared: readonly object[] | undefined;
  #ends: readonly ((stillRuns: boolean) => void)[] | undefined;
  readonly #owner: Cells;

  constructor(cell: number, owner: Cells) {
    this.cell = cell;
    this.#owner = owner;
  }

  /** Whether something has to be given back when the call has ended. */
  get holds(): boolean {
    return this.block >= 0 || this.#leases !== undefined || this.#shared !== undefined;
  }

  /** Marks the leases as used by the call; not before the call is accepted. */
  lend(): void {
    if (this.#leases !== undefined) this.#ends = this.#leases.map((lease) => lease.lend());
  }

  onSettled(stillRuns: boolean): void {
    if (this.#ends !== undefined) {
      for (const end of this.#ends) end(stillRuns);
      if (!stillRuns) this.#ends = undefined;
    }
    this.#owner.freeIfHeld(this.cell);
  }

  /** Returns how many blocks were freed. */
  freeBlock(): number {
    if (this.block < 0) return 0;
    this.#owner.arena.free(this.block);
    this.block = -1;
    return 1;
  }

  clear(): void {
    this.freeBlock();
    this.args = NO_VALUES;
    this.#leases = this.#shared = undefined;
    this.isSpoilt = false;
  }

  /**
   * Writes the arguments. Returns false, and keeps nothing, if they can only go by port.
   * @param areMoved whether there are buffers among them that will be moved: these arrive whole, even if the arguments only have views of parts
   */
  write(args: readonly unknown[], areMoved: boolean): boolean {
    if (!args.some(isLease)) return this.#writeValues(args, 0, areMoved);
    return !areMoved && this.#writeLeases(args);
  }

  /** @param extra bytes to be kept free behind the values */
  #writeValues(args: readonly unknown[], extra: number, areMoved = false): boolean {
    const { arena, values, memory } = this.#owner;
    let size = estimateItems(args) + extra;
    const isOne = args.length === 1 && extra === 0;
    const value = isOne ? args[0] : args;
    if (size <= L.INLINE_BYTES && !areMoved) {
      const start = this.cell * L.CELL_BYTES + L.INLINE_START;
      const end = values.write(value, memory, start, start + L.INLINE_BYTES - extra);
      if (end >= 0) return this.#wrote(L.IN_CELL, isOne, end - start);
      if (end === UNKNOWN) return false;
    }
    if (size <= SCRATCH_BYTES / 2 && !areMoved) {
      const scratch = (this.#owner.scratch ??= memoryOf(new ArrayBuffer(SCRATCH_BYTES)));
      const length = values.write(value, scratch, 0, SCRATCH_BYTES);
      if (length === UNKNOWN) return false;
      if (length >= 0) {
        const block = arena.take(length + extra);
        if (block < 0) return false;
        this.block = block;
        writeBytes(arena.memory(block), L.offsetOf(block), scratch.u8.subarray(0, length));
        return this.#wrote(L.OUTSIDE, isOne, length);
      }
    }
    // Into a block of the estimated size; if the value does not fit, into larger ones.
    while (size <= MOST_BYTES) {
      const block = arena.take(size);
      if (block < 0) return false;
      const start = L.offsetOf(block);
      const capacity = arena.size(block);
      const limit = start + Math.min(capacity, MOST_BYTES) - extra;
      const end = values.write(value, arena.memory(block), start, limit, areMoved);
      values.forget();
      if (end >= 0) {
        this.block = block;
        return this.#wrote(L.OUTSIDE, isOne, end - start);
      }
      arena.free(block);
      if (end === UNKNOWN) return false;
      size = 2 * capacity;
    }
    return false;
  }

  #wrote(form: number, isOne: boolean, length: number): true {
    const { words, values } = this.#owner;
    const at = this.cell * L.WORDS;
    this.#shared = values.shared;
    values.shared = undefined;
    words[at + L.FORM] = isOne ? form | L.ONE : form;
    words[at + L.PLACE] = this.block;
    words[at + L.LENGTH] = length;
    return true;
  }

  /** Writes the values without the leases, and behind them the places of the leases. */
  #writeLeases(args: readonly unknown[]): boolean {
    const { words, memory, arena } = this.#owner;
    const leases = args.map(leaseOf);
    const held = leases.filter((lease) => lease !== undefined);
    const values = args.map((value, place) => (leases[place] === undefined ? value : undefined));
    // The values are written before the leases are looked at, because a getter among them may release a lease.
    if (!this.#writeValues(values, 16 * held.length + 4)) return false;
    const at = this.cell * L.WORDS;
    const isOutside = this.block >= 0;
    const { view } = isOutside ? arena.memory(this.block) : memory;
    const start = isOutside ? L.offsetOf(this.block) : this.cell * L.CELL_BYTES + L.INLINE_START;
    let end = start + words[at + L.LENGTH]!;
    for (const [place, lease] of leases.entries()) {
      if (lease === undefined) continue;
      // `bytes` throws if the lease was released. A task that is tried again still has its lease, even if the caller has released it.
      const { buffer, byteOffset, byteLength } = this.#leases === undefined ? lease.bytes : lease.lentBytes;
      const segment = arena.segments.indexOf(buffer);
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
    this.#leases = held;
    return true;
  }
}
