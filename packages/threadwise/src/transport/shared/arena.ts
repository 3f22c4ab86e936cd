/** Shared memory in blocks, for leases and for payloads larger than a cell; only main gives it out. */
import type { LeaseMemory } from '../../core/lease.js';
import { OFFSET_BITS, offsetOf, segmentOf, UNIT_BITS, UNIT_BYTES } from './arena-address.js';
import { CLASS_OF, LARGEST, PAGE_BYTES, SIZES, SPAN_PAGES, UNITS } from './arena-classes.js';
import { grown, PageLists, PageRuns } from './page-runs.js';

/*
 *   address   segment << 16 | offset / 64: fits an int32 and is never negative
 *   segment   made when needed, of 4 MiB; never given up, since workers may have it in use
 *   page      4 KiB; free ones side by side are a run, which joins free neighbours
 *   span      a run that was cut into blocks of one class; it is a run again when none of its blocks is taken
 *
 * A class has a list of its spans with free blocks. A block that comes back goes first, and so does the span
 * that was full until then: few spans fill up, the others empty. A class keeps an empty span if it has no
 * other, so that a lone block which is taken and freed in turn does not cut its span each time; what is kept
 * is cut anew for another class before the arena grows. Small blocks make do with what pages are left.
 *
 * All of this is in arrays of main's own, not in the shared memory: a task that writes where it should not
 * destroys the bytes of others but not the arena. They take at most 6 % of what is reserved, in addition.
 */

/** An address without these bits is a page's number. */
const PAGE_BITS = 6;
const MAX_PAGES_PER_SEGMENT = 2 ** (OFFSET_BITS - PAGE_BITS);
const MAX_SEGMENT_BYTES = MAX_PAGES_PER_SEGMENT * PAGE_BYTES;
/** Small enough for tests, large enough for a span of every class below 32 KiB. */
const MIN_SEGMENT_BYTES = 16 * PAGE_BYTES;
/** Segments whose addresses fit an int32. */
const MAX_SEGMENTS = 2 ** (31 - OFFSET_BITS);
/** What an arena may grow to unless told otherwise, in bytes. Chosen by hand: 64 payloads of 1 MiB. */
const DEFAULT_MAX_BYTES = 64 * 2 ** 20;
/** What leases may have of an arena: the rest is there for payloads, also if nobody gives back any lease. */
const LEASED_SHARE = 0.5;

/** So many takes are refused after the runtime had no memory, before it is asked again. Chosen by hand. */
const TAKES_BEFORE_RETRY = 1000;

/**
 * From 256 KiB on, what classes keep is joined to the rest before a span is cut: long runs are not to be cut
 * around spans that nobody uses. Shorter ones are cut too often for that. Chosen by hand.
 */
const LONG_SPAN_PAGES = 64;

const CLASSES = SIZES.length;
const NONE = -1;
/** The link of a block that is taken is this, less the last two bits of its address; see `#links`. */
const TAKEN = -2;

/** What is noted of a page: up to eight numbers, on one line of the processor's cache. */
const PAGE_NOTE_BITS = 3;
/** Of any page with the start of a block: the first page of its span. */
const SPAN = 0;
/** Of a span's first page: its class; how many blocks are taken; the first freed; the first never taken. */
const CLASS = 1;
const USED = 2;
const FREED = 3;
const FRESH = 4;
/** And how many blocks it was cut into, and out of how many pages. */
const BLOCKS = 5;
const PAGES = 6;

export interface ArenaOptions {
  allocate(byteLength: number): ArrayBufferLike;
  /** A segment was made: workers must hear of it before they see an address in it. */
  onSegment(index: number, buffer: ArrayBufferLike): void;
  /** Asked before a block is refused: frees what nobody needs any more; returns whether there was any. Default: none is. */
  reclaim?: () => boolean;
  /** Default and maximum 4 MiB, minimum 64 KiB, in pages of 4 KiB. No block is larger than a segment. */
  segmentBytes?: number;
  /** The arena grows to that, by whole segments, and never shrinks. Default 64 MiB. */
  maxBytes?: number;
}

export class Arena {
  readonly #options: ArenaOptions;
  readonly #segmentPages: number;
  /** The largest block that a segment holds, in bytes. */
  readonly #largest: number;
  #state: 'open' | 'closed' = 'open';
  #maxSegments: number;
  #segments: ArrayBufferLike[] = [];
  #usedBytes = 0;
  /** How many takes are refused before memory is asked for again. */
  #refusals = 0;
  /** By page: PAGE_NOTE_BITS. */
  #notes = new Int32Array(0);
  /**
   * By address / 4, as no block is shorter: the next free block of the span, or NONE; or that the block is
   * taken, and at which address exactly, so that nothing else passes for a block.
   */
  #links = new Int32Array(0);
  /** Of each class the spans that have free blocks. */
  #open = new PageLists(CLASSES);
  #runs = new PageRuns(LARGEST / PAGE_BYTES, MAX_PAGES_PER_SEGMENT);
  /** The empty span that a class keeps, or one that it kept once. */
  readonly #kept = new Int32Array(CLASSES).fill(NONE);

  constructor(options: ArenaOptions) {
    const { segmentBytes = MAX_SEGMENT_BYTES, maxBytes = DEFAULT_MAX_BYTES } = options;
    if (!(segmentBytes >= MIN_SEGMENT_BYTES && segmentBytes <= MAX_SEGMENT_BYTES)) {
      throw new Error(`threadwise: a segment cannot have ${segmentBytes} bytes`);
    }
    this.#options = options;
    this.#segmentPages = Math.floor(
      Math.min(segmentBytes, Math.max(maxBytes, MIN_SEGMENT_BYTES)) / PAGE_BYTES,
    );
    this.#maxSegments = Math.min(MAX_SEGMENTS, Math.floor(maxBytes / this.#segmentBytes));
    this.#largest = SIZES.findLast((size) => size <= this.#segmentBytes)!;
  }

  /** Bytes of the blocks that are taken, as large as their classes are. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  get reservedBytes(): number {
    return this.#segments.length * this.#segmentBytes;
  }

  /** What `reservedBytes` can become. */
  get maxBytes(): number {
    return this.#maxSegments * this.#segmentBytes;
  }

  get segments(): readonly ArrayBufferLike[] {
    return this.#segments;
  }

  /**
   * Address of a block of at least `byteLength` bytes (a whole number, not below 0), or -1: larger than the
   * largest class, the arena is full or closed, or there is no memory. What was in a block stays there.
   */
  take(byteLength: number): number {
    if (byteLength > this.#largest) return NONE;
    const kind = CLASS_OF[(byteLength + UNIT_BYTES - 1) >> UNIT_BITS]!;
    let span = this.#open.head(kind);
    if (span === NONE) {
      span = this.#makeSpan(kind);
      if (span === NONE) return this.#options.reclaim?.() === true ? this.take(byteLength) : NONE;
    }
    const notes = this.#notes;
    const at = span << PAGE_NOTE_BITS;
    let address = notes[at + FREED]!;
    if (address !== NONE) {
      notes[at + FREED] = this.#links[address >> 2]!;
    } else {
      address = notes[at + FRESH]!;
      notes[at + FRESH] = address + UNITS[kind]!;
    }
    this.#links[address >> 2] = TAKEN - (address & 3);
    const used = notes[at + USED]! + 1;
    notes[at + USED] = used;
    if (used === notes[at + BLOCKS]) this.#open.remove(kind, span);
    this.#usedBytes += SIZES[kind]!;
    return address;
  }

  /** Inverse of `take`. A second free of a block is a bug of ours and throws. Does nothing after `close`. */
  free(address: number): void {
    if (this.#links[address >> 2] !== TAKEN - (address & 3)) return this.#notTaken(address);
    const notes = this.#notes;
    const span = notes[((address >> PAGE_BITS) << PAGE_NOTE_BITS) + SPAN]!;
    const at = span << PAGE_NOTE_BITS;
    const kind = notes[at + CLASS]!;
    this.#links[address >> 2] = notes[at + FREED]!;
    notes[at + FREED] = address;
    const used = notes[at + USED]! - 1;
    notes[at + USED] = used;
    this.#usedBytes -= SIZES[kind]!;
    if (used === notes[at + BLOCKS]! - 1) this.#open.put(kind, span);
    if (used === 0) this.#emptied(kind, span);
  }

  segment(address: number): number {
    return segmentOf(address);
  }

  /** Only of an address in an arena that is open; so are `offset` and `size`. */
  buffer(address: number): ArrayBufferLike {
    return this.#segments[segmentOf(address)]!;
  }

  /** Bytes from the start of its segment. */
  offset(address: number): number {
    return offsetOf(address);
  }

  /** Bytes of the block's class: those can be used. Only of a block that is taken. */
  size(address: number): number {
    const span = this.#note(address >> PAGE_BITS, SPAN);
    return SIZES[this.#note(span, CLASS)]!;
  }

  /** Lets go of all memory. From then on nothing can be taken, and `free` does nothing. */
  close(): void {
    this.#state = 'closed';
    this.#maxSegments = 0;
    this.#segments = [];
    this.#usedBytes = 0;
    this.#notes = new Int32Array(0);
    this.#links = new Int32Array(0);
    this.#open = new PageLists(CLASSES);
    this.#runs = new PageRuns(LARGEST / PAGE_BYTES, MAX_PAGES_PER_SEGMENT);
    this.#kept.fill(NONE);
  }

  get #segmentBytes(): number {
    return this.#segmentPages * PAGE_BYTES;
  }

  #notTaken(address: number): void {
    if (this.#state === 'open') throw new Error(`threadwise: no block is taken at address ${address}`);
  }

  // --- spans ---

  /** A new span at the head of its class, or NONE. */
  #makeSpan(kind: number): number {
    const size = SIZES[kind]!;
    const fewest = Math.ceil(size / PAGE_BYTES);
    let pages = SPAN_PAGES[kind]!;
    let span = this.#takeRun(pages);
    while (span === NONE && pages > fewest) span = this.#runs.take(--pages);
    if (span === NONE) return NONE;
    const blocks = Math.floor((pages * PAGE_BYTES) / size);
    // A lone block begins in the first page: what is noted of the others is never looked at.
    const starts = blocks === 1 ? 1 : pages;
    for (let page = span; page < span + starts; page++) this.#setNote(page, SPAN, span);
    this.#setNote(span, CLASS, kind);
    this.#setNote(span, USED, 0);
    this.#setNote(span, FREED, NONE);
    this.#setNote(span, FRESH, span << PAGE_BITS);
    this.#setNote(span, BLOCKS, blocks);
    this.#setNote(span, PAGES, pages);
    this.#open.put(kind, span);
    return span;
  }

  /** A class keeps at most one empty span, and that only for want of another with free blocks. */
  #emptied(kind: number, span: number): void {
    if (this.#open.isAlone(kind, span)) this.#kept[kind] = span;
    else this.#dropSpan(kind, span);
  }

  #dropSpan(kind: number, span: number): void {
    if (this.#kept[kind] === span) this.#kept[kind] = NONE;
    this.#open.remove(kind, span);
    this.#runs.free(span, this.#note(span, PAGES));
  }

  /** Whether any class kept an empty span, which is free for all then. */
  #dropKept(): boolean {
    let dropped = false;
    for (let kind = 0; kind < CLASSES; kind++) {
      const span = this.#kept[kind]!;
      if (span === NONE || this.#note(span, USED) > 0) continue;
      this.#dropSpan(kind, span);
      dropped = true;
    }
    return dropped;
  }

  // --- pages ---

  #takeRun(pages: number): number {
    if (pages >= LONG_SPAN_PAGES) this.#dropKept();
    const run = this.#runs.take(pages);
    if (run !== NONE) return run;
    return this.#dropKept() || this.#addSegment() ? this.#takeRun(pages) : NONE;
  }

  /** Whether there was room for one, and memory. */
  #addSegment(): boolean {
    const index = this.#segments.length;
    if (index >= this.#maxSegments) return false;
    if (this.#refusals > 0) {
      this.#refusals--;
      return false;
    }
    const buffer = this.#allocate(index);
    if (buffer === undefined) return false;
    this.#options.onSegment(index, buffer);
    this.#segments.push(buffer);
    this.#runs.free(index * MAX_PAGES_PER_SEGMENT, this.#segmentPages);
    return true;
  }

  #allocate(index: number): ArrayBufferLike | undefined {
    try {
      this.#growNotes(index + 1);
      return this.#options.allocate(this.#segmentBytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#refusals = TAKES_BEFORE_RETRY;
      return undefined;
    }
  }

  /** Doubles what it has, so that an arena of many segments does not copy its notes for each of them. */
  #growNotes(segments: number): void {
    const pages = segments * MAX_PAGES_PER_SEGMENT;
    if (this.#notes.length >= pages << PAGE_NOTE_BITS) return;
    const most = Math.min(2 * pages, this.#maxSegments * MAX_PAGES_PER_SEGMENT);
    this.#links = grown(this.#links, (most << PAGE_BITS) >> 2);
    this.#open.grow(most);
    this.#runs.grow(most);
    this.#notes = grown(this.#notes, most << PAGE_NOTE_BITS); // last: the others can grow once more
  }

  #note(page: number, which: number): number {
    return this.#notes[(page << PAGE_NOTE_BITS) + which]!;
  }

  #setNote(page: number, which: number, value: number): void {
    this.#notes[(page << PAGE_NOTE_BITS) + which] = value;
  }
}

/** Memory for leases out of an arena, `maxBytes` at most. What does not fit is the store's own business. */
export function leaseMemory(arena: Arena, maxBytes = arena.maxBytes * LEASED_SHARE): LeaseMemory {
  let leasedBytes = 0;
  return {
    take(byteLength) {
      if (leasedBytes + byteLength > maxBytes) return undefined;
      const address = arena.take(byteLength);
      if (address === NONE) return undefined;
      const size = arena.size(address);
      leasedBytes += size;
      const give = () => {
        arena.free(address);
        leasedBytes -= size;
      };
      return { bytes: new Uint8Array(arena.buffer(address), arena.offset(address), byteLength), give };
    },
  };
}
