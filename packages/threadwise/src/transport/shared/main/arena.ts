/** Shared memory in blocks, for leases and for arguments larger than a cell; only main gives it out. */
import type { TimerHandle } from '../../../core/contracts.js';
import type { Clone } from '../../../core/calls/payload.js';
import { ThreadwiseError } from '../../../core/options/errors.js';
import type { LeaseMemory } from '../../../core/lease.js';
import { int32sOf, type Memory, memoryOf, NO_MEMORY } from '../../codec/value-memory.js';
import type { NumberOf } from '../../codec/value-writer.js';
import { OFFSET_BITS, OFFSET_MASK, offsetOf, segmentOf, UNIT_BITS, UNIT_BYTES } from '../layout.js';

/*
 *   address   segment << 20 | offset / 64: fits an int32 and is never negative
 *   segment   shared memory of 64 MiB, made when needed; the system gives only the pages of it that are touched
 *   unit      64 bytes
 *   block     units side by side, taken or free. A free block has no free neighbour: the two would be one
 *
 * Free blocks are in lists by size, eight sizes for each power of two. What is asked for is rounded up to such a size, so that every block
 * of its list fits, and every block of a later list (M. Masmano et al.: TLSF, 2004). The block that came back last is taken first, as its
 * pages are resident; a larger one is cut at its start. A segment that is wholly free is cut only when nothing else fits.
 *
 * What does not fit a segment gets one of its own, a large one, which is a single block and in no list. Shared memory that users pass is a
 * segment, too, from which nothing is given out, so that workers are told of it in the same way.
 *
 * What is known of blocks lies in arrays of main's own, so that a task which writes where it should not does not destroy the arena. They have
 * a word for each unit, of which few are touched:
 *
 *   of the first unit of a block     its size in units; negative while it is taken
 *   of the second and the third      of a free block: the next and the previous one in its list, as address + 1; 0: none
 *   of the last                      of a free block its size; of one that is taken 0
 */

/** The smallest block: that many units have room for the four words. */
const MIN_UNITS = 4;
/** Blocks larger than a segment are whole pages. */
const PAGE_UNITS = 4096 / UNIT_BYTES;
const MAX_SEGMENT_BYTES = 2 ** (OFFSET_BITS + UNIT_BITS);
/** Segments whose addresses fit an int32. */
const MAX_SEGMENTS = 2 ** (31 - OFFSET_BITS);
/** Beyond that number no segment is adopted: the others are for blocks. Chosen by hand. */
const MAX_ADOPTED = MAX_SEGMENTS / 2;
const LISTS = listOf(2 ** OFFSET_BITS) + 1;
/** The share of the arena's maximum that leases may have. The rest stays free for arguments, even if no lease is ever given back. */
const LEASED_SHARE = 0.75;
/** After the runtime had no memory, this many takes are refused (`#refusals`) before it is asked again. Chosen by hand. */
const TAKES_BEFORE_RETRY = 1000;
/** A segment that was not used for one to two times this many milliseconds is given back to the system. Chosen by hand. */
const IDLE_MS = 5000;

const NONE = -1;
/** The words of a segment that was adopted: a block that is taken. */
const ADOPTED = Int32Array.of(-1);
/** The words of a free block that name its neighbours in its list. */
const NEXT = 1;
const PREVIOUS = 2;

export interface ArenaOptions {
  /** Throws a RangeError where the system has no memory. */
  allocate(byteLength: number): ArrayBufferLike;
  /** A segment was made, or is about to be forgotten: workers must hear of it before they see an address in it. */
  onSegment(index: number, buffer: ArrayBufferLike | undefined): void;
  /** How many bytes the arena may grow to; one segment is always allowed. Called once, when needed, as the answer takes a while. */
  maxBytes(): number;
  /** Called before the arena grows: frees blocks that are not needed any more; returns whether there were any. Default: frees none. */
  reclaim?: () => boolean;
  /** Sets the timer after which unused segments are given back; without it they are kept. */
  timer?: (ms: number, callback: () => void) => TimerHandle;
  /** A power of two from 64 KiB to 64 MiB, which is the default. */
  segmentBytes?: number;
}

interface Segment {
  /** 0: it was adopted. */
  readonly units: number;
  readonly words: Int32Array;
  readonly memory: Memory;
  /** Whether the segment was wholly free at the last look, and has been since. */
  isIdle: boolean;
}

export class Arena {
  /** The memory of each segment. Always the same list: a receiver of the list sees which segments were given back. */
  readonly segments: (ArrayBufferLike | undefined)[] = [];
  /** Bytes of the blocks that are taken, as large as they were rounded up to. */
  usedBytes = 0;
  reservedBytes = 0;
  readonly #options: ArenaOptions;
  readonly #segmentUnits: number;
  readonly #segments: (Segment | undefined)[] = [];
  readonly #heads = new Int32Array(LISTS);
  /** A bit for each list that has a block. */
  readonly #lists = new Int32Array((LISTS >> 5) + 1);
  #isClosed = false;
  /** 0: not asked yet. */
  #maxBytes = 0;
  #refusals = 0;
  #timer: TimerHandle | undefined;

  constructor(options: ArenaOptions) {
    this.#options = options;
    this.#segmentUnits = (options.segmentBytes ?? MAX_SEGMENT_BYTES) / UNIT_BYTES;
  }

  /** The most that `reservedBytes` may become. */
  get maxBytes(): number {
    const segmentBytes = this.#segmentUnits * UNIT_BYTES;
    const segments = () => Math.floor(this.#options.maxBytes() / segmentBytes);
    return (this.#maxBytes ||= segmentBytes * Math.min(MAX_SEGMENTS, Math.max(1, segments())));
  }

  /** Address of a block of at least `byteLength` bytes, or -1: the arena is full or closed, or there is no memory. What was in it stays there. */
  take(byteLength: number): number {
    const rounded = roundedUnits(byteLength);
    const isLarge = rounded > this.#segmentUnits;
    const units = isLarge ? Math.ceil(byteLength / UNIT_BYTES / PAGE_UNITS) * PAGE_UNITS : rounded;
    do {
      const address = isLarge ? this.#takeLarge(units) : this.#takeBlock(units);
      if (address !== NONE) return address;
    } while (this.#options.reclaim?.() === true || this.#addSegment(isLarge ? units : this.#segmentUnits));
    return NONE;
  }

  /** Inverse of `take`. A second free of a block is a bug of this library and throws. Does nothing after `close`. */
  free(address: number): void {
    if (this.#isClosed) return;
    const segment = this.#segments[segmentOf(address)];
    let at = address & OFFSET_MASK;
    let units = -(segment?.words[at] ?? 0);
    if (units <= 0) throw new Error(`threadwise: no block is taken at address ${address}`);
    const { words, units: all } = segment!;
    this.usedBytes -= units * UNIT_BYTES;
    const before = at === 0 ? 0 : words[at - 1]!;
    const after = at + units === all ? 0 : words[at + units]!;
    words[at] = 0;
    if (after > 0) {
      this.#unlink(address + units, after);
      units += after;
    }
    if (before > 0) {
      this.#unlink(address - before, before);
      at -= before;
      units += before;
    }
    words[at] = units;
    if (all === this.#segmentUnits) this.#link((segmentOf(address) << OFFSET_BITS) + at, units);
    if (units === all) this.#watch();
  }

  memory(address: number): Memory {
    return this.#segments[segmentOf(address)]!.memory;
  }

  /** Bytes of a block that is taken; all of them can be used. */
  size(address: number): number {
    return -this.#segments[segmentOf(address)]!.words[address & OFFSET_MASK]! * UNIT_BYTES;
  }

  /** Makes somebody's shared memory a segment. Returns its number; -1: it cannot, and does not ask for it. The segment is there until it is dropped. */
  adopt(memory: () => ArrayBufferLike): number {
    if (this.#isClosed || this.#unusedIndex() >= MAX_ADOPTED) return NONE;
    return this.#add(memory(), { units: 0, words: ADOPTED, memory: NO_MEMORY, isIdle: false });
  }

  /** Inverse of `adopt`. Does nothing after `close`. */
  drop(index: number): void {
    if (this.#isClosed) return;
    this.#options.onSegment(index, undefined);
    this.#forget(index);
  }

  /** From then on nothing can be taken. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const index of this.#segments.keys()) this.#forget(index);
    this.#lists.fill(0);
    this.usedBytes = 0;
  }

  /** Takes a free segment for more units than an ordinary one has, and less than twice as large. */
  #takeLarge(units: number): number {
    const index = this.#segments.findIndex((each) => {
      const free = each?.words[0] ?? 0;
      return free >= units && free < 2 * units;
    });
    return index < 0 ? NONE : this.#taken(index << OFFSET_BITS, this.#segments[index]!.units);
  }

  #takeBlock(units: number): number {
    const address = this.#find(listOf(units));
    if (address === NONE) return NONE;
    const { words } = this.#segments[segmentOf(address)]!;
    const at = address & OFFSET_MASK;
    const found = words[at]!;
    this.#unlink(address, found);
    const rest = found - units;
    if (rest < MIN_UNITS) return this.#taken(address, found);
    words[at + units] = rest;
    this.#link(address + units, rest);
    return this.#taken(address, units);
  }

  #taken(address: number, units: number): number {
    const segment = this.#segments[segmentOf(address)]!;
    const at = address & OFFSET_MASK;
    segment.words[at] = -units;
    segment.words[at + units - 1] = 0; // a large segment has only the first word
    segment.isIdle = false;
    this.usedBytes += units * UNIT_BYTES;
    return address;
  }

  /** The first block of the first list that has one. */
  #find(list: number): number {
    let word = list >> 5;
    let lists = this.#lists[word]! & (-1 << (list & 31));
    while (lists === 0) {
      if (++word === this.#lists.length) return NONE;
      lists = this.#lists[word]!;
    }
    return this.#heads[(word << 5) + 31 - Math.clz32(lists & -lists)]! - 1;
  }

  /** Puts a free block into its list, and writes its size at its end. */
  #link(address: number, units: number): void {
    const { words } = this.#segments[segmentOf(address)]!;
    const at = address & OFFSET_MASK;
    const list = listOf(units);
    const next = this.#heads[list]!;
    words[at + units - 1] = units;
    words[at + NEXT] = next;
    words[at + PREVIOUS] = 0;
    this.#lists[list >> 5]! |= 1 << (list & 31);
    this.#relink(next, PREVIOUS, address + 1);
    this.#heads[list] = address + 1;
  }

  #unlink(address: number, units: number): void {
    const { words } = this.#segments[segmentOf(address)]!;
    const at = address & OFFSET_MASK;
    const list = listOf(units);
    const next = words[at + NEXT]!;
    const previous = words[at + PREVIOUS]!;
    this.#relink(next, PREVIOUS, previous);
    this.#relink(previous, NEXT, next);
    if (previous === 0) this.#heads[list] = next;
    if (this.#heads[list] === 0) this.#lists[list >> 5]! &= ~(1 << (list & 31));
  }

  #relink(block: number, word: number, to: number): void {
    const address = block - 1;
    if (block !== 0) this.#segments[segmentOf(address)]!.words[(address & OFFSET_MASK) + word] = to;
  }

  /** Adds a segment. Returns whether there were room and memory for it. */
  #addSegment(units: number): boolean {
    if (this.#isClosed) return false;
    const byteLength = units * UNIT_BYTES;
    const { maxBytes } = this;
    if (this.reservedBytes + byteLength > maxBytes) this.#giveBack('all');
    if (this.reservedBytes + byteLength > maxBytes) return false;
    if (this.#refusals > 0) {
      this.#refusals--;
      return false;
    }
    if (this.#unusedIndex() >= MAX_SEGMENTS) return false;
    const isLarge = units > this.#segmentUnits;
    let buffer: ArrayBufferLike;
    let words: Int32Array;
    try {
      buffer = this.#options.allocate(byteLength);
      words = int32sOf(this.#options.allocate((isLarge ? 1 : units) * 4));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // There may be memory for an ordinary segment where there is none for a large one.
      if (!isLarge) this.#refusals = TAKES_BEFORE_RETRY;
      return false;
    }
    words[0] = units;
    const index = this.#add(buffer, { units, words, memory: memoryOf(buffer), isIdle: false });
    if (!isLarge) this.#link(index << OFFSET_BITS, units);
    return true;
  }

  #add(buffer: ArrayBufferLike, segment: Segment): number {
    const index = this.#unusedIndex();
    this.#options.onSegment(index, buffer);
    this.segments[index] = buffer;
    this.#segments[index] = segment;
    this.reservedBytes += segment.units * UNIT_BYTES;
    return index;
  }

  #unusedIndex(): number {
    const unused = this.#segments.indexOf(undefined);
    return unused < 0 ? this.#segments.length : unused;
  }

  #watch(): void {
    this.#timer ??= this.#options.timer?.(IDLE_MS, () => {
      this.#timer = undefined;
      this.#giveBack('idle');
    });
  }

  /** Gives back segments that are wholly free, all or those that were so at the last look. */
  #giveBack(which: 'all' | 'idle'): void {
    for (const [index, segment] of this.#segments.entries()) {
      if (segment === undefined || segment.words[0] !== segment.units) continue;
      if (which === 'idle' && !segment.isIdle) {
        segment.isIdle = true;
        this.#watch();
        continue;
      }
      if (segment.units === this.#segmentUnits) this.#unlink(index << OFFSET_BITS, segment.units);
      this.drop(index);
    }
  }

  #forget(index: number): void {
    this.reservedBytes -= (this.#segments[index]?.units ?? 0) * UNIT_BYTES;
    this.#segments[index] = undefined;
    this.segments[index] = undefined;
  }
}

/** Rounded up so that every block of its list is large enough. */
function roundedUnits(byteLength: number): number {
  const units = Math.max(MIN_UNITS, Math.ceil(byteLength / UNIT_BYTES));
  const step = 2 ** Math.max(0, 28 - Math.clz32(units));
  return Math.ceil(units / step) * step;
}

/** Lists of one size up to 16 units; after that eight for each power of two. */
function listOf(units: number): number {
  const shift = Math.max(0, 28 - Math.clz32(units));
  return (shift << 3) + (units >> shift);
}

export function leaseMemory(arena: Arena): LeaseMemory {
  let leasedBytes = 0;
  return {
    take(byteLength) {
      const maxBytes = arena.maxBytes * LEASED_SHARE;
      const address = leasedBytes + byteLength > maxBytes ? NONE : arena.take(byteLength);
      if (address === NONE) {
        throw new ThreadwiseError(
          'ERR_LEASE_MEMORY',
          `There is no memory for a lease of ${byteLength} bytes: leases of this pool have ${leasedBytes} bytes, of ` +
            `${maxBytes} at most, and arguments of open calls ${arena.usedBytes - leasedBytes}, of ${arena.maxBytes} with ` +
            'the leases. Calls give theirs back when they settle, leases when they are released',
        );
      }
      const size = arena.size(address);
      leasedBytes += size;
      const give = () => {
        arena.free(address);
        leasedBytes -= size;
      };
      return { bytes: new Uint8Array(arena.memory(address).u8.buffer, offsetOf(address), byteLength), give };
    },
  };
}

/**
 * Workers are told of shared memory of users when its number is asked for the third time, which is the second or third call with it: a plain call
 * whose arguments go by port asks twice. To tell all workers of memory that a single call has would cost more than to send it to one.
 */
const TIMES_ASKED = 3;

/**
 * Numbers of shared memory that users pass again and again. The arena has an object of its own for the same memory, so that the engine can collect
 * the user's object. Then no open call names the memory, as cells hold the objects that their arguments name; and no later call can name it.
 */
export function numbersOfUserMemory(arena: Arena, clone: Clone): NumberOf {
  /** The number of a buffer's segment; below 0: how many times more it is asked for until it has one. */
  const numbers = new WeakMap<object, number>();
  const collected = new FinalizationRegistry<number>((index) => arena.drop(index));
  return (buffer) => {
    const known = numbers.get(buffer) ?? -TIMES_ASKED;
    if (known >= 0) return known;
    const index = known === -1 ? arena.adopt(() => clone(buffer) as ArrayBufferLike) : -1;
    numbers.set(buffer, known === -1 ? index : known + 1);
    if (index >= 0) collected.register(buffer, index);
    return index;
  };
}
