/** The layout of the memory that a pool's threads share; README.md beside this file says who writes each word. */

/** Sizes of a pool's shared memory; small ones are for tests. Each is a power of two. */
export interface Sizes {
  /** Tasks that can be open in shared memory at a time, up to 8192; the others wait in main's own queue. */
  readonly cells: number;
  /** Tasks that lie ready for one worker and no other. */
  readonly mail: number;
  /** Bytes for results that are larger than a cell, for each worker. */
  readonly stream: number;
  /**
   * Buffers to be moved that have at most this many bytes together are copied into shared memory instead, and taken from the sender all the same:
   * a task whose buffers go by port waits until a worker is free. Default: none.
   */
  readonly copied?: { readonly arguments: number; readonly results: number };
}

/**
 * About 1.2 MiB for a pool and 8.1 MiB for each worker, of which only what is used becomes resident. What does not fit goes by port, which takes several
 * times as long: 8 MiB are room for all results of a thousand calls of 8 KiB, whichever worker they are from. Measured with 2 to 500 calls outstanding:
 * arguments of 128 KiB are 3 x as fast copied as moved, those of 1 MiB 1.2 x, and those of 2 MiB take more CPU time; results of 128 KiB are slower.
 */
export const SIZES: Omit<Sizes, 'mail'> = {
  cells: 8192,
  stream: 8 * 2 ** 20,
  copied: { arguments: 2 ** 20, results: 64 * 2 ** 10 },
};

/** Workers that a board has a seat for; a pool has at most 1,024, and a few that are on their way out. */
export const SEATS = 1088;
/** Words between two words that different threads write: a cache line. */
const LINE = 16;
/** Words of a mask, which has a bit for each seat. */
const MASK = Math.ceil(SEATS / 32 / LINE) * LINE;

// --- the board: Int32 words ---

export const TAIL = 0;
export const HEAD = LINE;
/** Whether main sleeps: AWAKE, ASLEEP or RESTING. */
export const MAIN_PARKED = 2 * LINE;
/** Loops over seats end there. */
export const SEATS_USED = 3 * LINE;
export const SEATS_TAKEN = SEATS_USED + 1;
/** 0 until main has counted. */
export const CORES = SEATS_USED + 2;
export const SEGMENTS_TOLD = SEATS_USED + 3;
/** What a coordinator that sleeps wants to be woken for: `../coordinator/layout.ts`. */
export const COORDINATOR = 4 * LINE;
/** 1: the coordinator's thread is being ended, and waits for the word COORDINATOR no more. */
export const COORDINATOR_DISMISSED = COORDINATOR + 1;
export const PARKED = 5 * LINE;
export const SPINNING = PARKED + MASK;
export const DOZING = SPINNING + MASK;
export const RESERVED = DOZING + MASK;
const SEAT_WORDS = RESERVED + MASK;
export const MAX_CLAIM = 32;
/** Words of one seat on the board: three lines by themselves, then its claims. */
const SEAT_STRIDE = 3 * LINE + MAX_CLAIM;
/** The first of the Float64 words that say how long functions run. Only a coordinator uses these words. */
const RUN_TIMES = SEAT_WORDS + SEATS * SEAT_STRIDE;
/** How many functions have an average of their own; more share them. */
const FUNCTIONS = 1024;
const RING = RUN_TIMES + 2 * FUNCTIONS;

export const wakeupsOf = (seat: number) => SEAT_WORDS + seat * SEAT_STRIDE;
export const dismissedOf = (seat: number) => wakeupsOf(seat) + 1;
export const pulledOf = (seat: number) => wakeupsOf(seat) + LINE;
export const claimedOf = (seat: number) => wakeupsOf(seat) + 2 * LINE;
export const claimsOf = (seat: number) => wakeupsOf(seat) + 3 * LINE;
export const runTimeOf = (nameId: number) => RUN_TIMES / 2 + (nameId & (FUNCTIONS - 1));
/** The ring has a place for every cell, and as many again for stale hints. */
export const ringSize = (sizes: Sizes) => 2 * sizes.cells;
export const ringPlace = (position: number, sizes: Sizes) => RING + (position & (2 * sizes.cells - 1));
export const boardByteLength = (sizes: Sizes) => (RING + ringSize(sizes)) * 4;

/** Values of MAIN_PARKED; AWAKE is one of COORDINATOR, too. */
export const AWAKE = 0;
export const ASLEEP = 1;
export const RESTING = 2;
/** A resting main is woken for this many results of one worker. */
export const BATCHED = 16;

// --- a cell ---

export const CELL_BYTES = 128;
/** Int32 words of a cell: how many, and which. */
export const WORDS = CELL_BYTES / 4;
export const STATE = 0;
export const NAME = 1;
export const TASK_ID = 2;
/** The form of the arguments or the result; their length in bytes; their place, if that is not the cell. */
export const FORM = 3;
export const LENGTH = 4;
export const PLACE = 5;
/** Float64 words of a cell. */
export const DOUBLES = CELL_BYTES / 8;
export const BEGAN = 3;
export const RUN_MS = 4;
/** Bytes of a cell for values that lie in it; and the Float64 word there of a number that is a whole argument list or result. */
export const INLINE_START = 40;
export const INLINE_BYTES = CELL_BYTES - INLINE_START;
export const INLINE_NUMBER = INLINE_START / 8;

/**
 * The number at INLINE_NUMBER of a cell. A whole number of 32 bits is returned as an integer in V8's own sense: as it is read it is a double, V8
 * compiles the code that computes with it for doubles, and that made a loop of integers nearly seven times as slow on Node 20.
 */
export function numberIn(doubles: Float64Array, cell: number): number {
  const value = doubles[cell * DOUBLES + INLINE_NUMBER]!;
  const whole = value | 0;
  return Object.is(whole, value) ? whole : value;
}

/**
 * Phases of a cell: the lowest bits of its state. Above them is the seat that the cell is posted for, or that has begun it, plus one; and above
 * that, while the cell is posted, the stamp of the posting.
 */
export const FREE = 0;
export const POSTED = 1;
export const RUNNING = 2;
export const ABORTING = 3;
const PHASE_BITS = 2;
const STAMP_SHIFT = 13;
const UNSTAMPED = (1 << STAMP_SHIFT) - 1;
/** Stamps have 18 bits, so that words and hints are never negative. */
const STAMPS = 2 ** 18;
export const state = (phase: number, seat: number) => phase | ((seat + 1) << PHASE_BITS);
export const phaseOf = (word: number) => word & 3;
export const seatOf = (word: number) => ((word & UNSTAMPED) >>> PHASE_BITS) - 1;
/** The bits that a posting's stamp has in the state of its cell and in hints. */
export const stampBits = (stamp: number) => (stamp & (STAMPS - 1)) << STAMP_SHIFT;
export const POSTED_FOR_ALL = POSTED; // seat -1

/** The lowest 32 bits of a call's id, of which there may be more than 32 bits can count: TASK_ID and the worker have only these. */
export const idWord = (id: number) => id | 0;

// A hint: the number of a cell, and above it, where its state has it, the stamp of the posting that the hint is of.
export const cellOf = (hint: number) => hint & UNSTAMPED;
export const isOfStamp = (hint: number, stamp: number) => (hint & ~UNSTAMPED) === stampBits(stamp);
/** The state of a cell until the task of the hint's posting begins. @param phase POSTED_FOR_ALL, or posted for one seat */
export const postedBy = (hint: number, phase: number) => (hint & ~UNSTAMPED) | phase;
/** Whether the task of a hint has neither begun nor been withdrawn. @param phase as in `postedBy` */
export const isPosted = (cells: Int32Array, hint: number, phase: number) =>
  Atomics.load(cells, cellOf(hint) * WORDS + STATE) === postedBy(hint, phase);

/** Forms of arguments and results. NUMBER, LATIN1: one argument or the result, a Float64 or a text of one-byte characters in the cell. */
export const NOTHING = 0;
export const NUMBER = 1;
export const IN_CELL = 2;
/** The value lies in the arena (arguments: PLACE is an address) or in the seat's stream (results: PLACE is a position). */
export const OUTSIDE = 3;
export const BY_PORT = 4;
export const LATIN1 = 5;
/** Added to a form. The list of arguments is followed by the places of leases; the result is an error; one argument is without the list around it. */
export const WITH_LEASES = 8;
export const IS_ERROR = 16;
export const ONE = 32;

// --- addresses in the arena: `segment << 20 | offset / 64` ---

export const UNIT_BITS = 6;
export const UNIT_BYTES = 2 ** UNIT_BITS;
/** Bits of an address that say the unit within a segment: 2^20 units are 64 MiB. */
export const OFFSET_BITS = 20;
export const OFFSET_MASK = 2 ** OFFSET_BITS - 1;
export const segmentOf = (address: number) => address >> OFFSET_BITS;
export const offsetOf = (address: number) => (address & OFFSET_MASK) << UNIT_BITS;

// --- what a seat has for itself ---

export const DONE_TAIL = 0;
export const MAIL_TAIL = LINE;
export const MAIL_HEAD = 2 * LINE;
/** Bytes of the stream that main has read. */
export const STREAM_READ = 3 * LINE;
/** It changes once: the worker, which has said to main that it is ready, sets READY; or main, which can end the worker then, sets FORESTALLED. */
export const STAGE = STREAM_READ + 1;
export const NOT_READY = 0;
export const READY = 1;
export const FORESTALLED = 2;
// The others, up to DONE, are for a pool with a coordinator: `../coordinator/README.md` says what they mean.
export const MEASURES = STREAM_READ + 2;
export const GIVEN_TAIL = 4 * LINE;
export const WAKE_AT = GIVEN_TAIL + 1;
/** Two numbers in one word, so that a task which begins is never seen as both unread and running. */
export const PROGRESS = 5 * LINE;
export const LEAVING = PROGRESS + 1;
/** The system's number of the worker's thread; 0 if it is unknown. */
export const THREAD_ID = PROGRESS + 2;
/** In thousandths, where it is measured. */
export const UTILIZATION = PROGRESS + 3;
/** Float64 words: how many tasks it has ended, for how many milliseconds they ran altogether, and since when it has had nothing to do. */
export const ENDED = PROGRESS / 2 + 2;
export const RAN_MS = ENDED + 1;
export const IDLE_SINCE = ENDED + 2;
const DONE = 6 * LINE;
export const donePlace = (position: number, sizes: Sizes) => DONE + (position & (sizes.cells - 1));
export const mailPlace = (position: number, sizes: Sizes) =>
  DONE + sizes.cells + (position & (sizes.mail - 1));
/** There are as many places for given tasks as for mailed ones. */
export const givenPlace = (position: number, sizes: Sizes) => mailPlace(position, sizes) + sizes.mail;
export const seatByteLength = (sizes: Sizes) => (DONE + sizes.cells + 2 * sizes.mail) * 4;
/** A flag on the hint of a completed task: messages that were sent before it lie in the port. */
export const PORT_FIRST = 1 << 30;

/** Whether `at` is one of the last `count` positions up to `tail`, also where it was left behind for so long that positions have come around. */
export const isAmongLast = (count: number, tail: number, at: number) => (tail - at) >>> 0 < count;

/** All the memory that a worker is given. */
export interface SharedMemory {
  readonly sizes: Sizes;
  readonly seat: number;
  readonly board: ArrayBufferLike;
  readonly cells: ArrayBufferLike;
  readonly own: ArrayBufferLike;
  readonly stream: ArrayBufferLike;
  /** Shapes of objects that main sends, and that the worker sends. */
  readonly mainShapes: ArrayBufferLike;
  readonly ownShapes: ArrayBufferLike;
  /** Segments of the arena. The worker keeps this very list up to date: it alone holds the segments. */
  readonly segments: (ArrayBufferLike | undefined)[];
  readonly names: readonly string[];
}
