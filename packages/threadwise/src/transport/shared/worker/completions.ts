/** How a worker says that a task has ended: the result into the cell or the stream, the cell's number into its ring. */
import { ShapeWriter } from '../../codec/shapes/shape-book.js';
import { float64sOf, int32sOf, type Memory, memoryOf } from '../../codec/value-memory.js';
import { FULL, UNKNOWN, ValueWriter } from '../../codec/value-writer.js';
import type { Line } from '../../line.js';
import {
  AWAKE,
  BATCHED,
  BY_PORT,
  CELL_BYTES,
  DONE_TAIL,
  DOUBLES,
  FORM,
  HEAD,
  INLINE_BYTES,
  INLINE_NUMBER,
  INLINE_START,
  IN_CELL,
  LENGTH,
  MAIN_PARKED,
  NOTHING,
  NUMBER,
  OUTSIDE,
  PLACE,
  PORT_FIRST,
  RESTING,
  RUN_MS,
  SEATS_TAKEN,
  STREAM_READ,
  type SharedMemory,
  TAIL,
  WORDS,
  donePlace,
} from '../layout.js';
import { RESULT } from '../messages.js';

/** When little is left for each worker: main takes a moment to wake up. */
const LITTLE = 4;
/** The smallest piece of the stream that is worth a try. */
const MIN_PIECE = 256;

export class Completions {
  readonly #sizes: SharedMemory['sizes'];
  readonly #board: Int32Array;
  readonly #own: Int32Array;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #cells: Memory;
  readonly #stream: Memory;
  readonly #writer: ValueWriter;
  readonly #port: Line;
  /** Bytes ever written to the stream. */
  #written = 0;
  /** Of those, before which none are unread, whatever main says yet. */
  #origin = 0;
  #tail = 0;
  /** Something was said over the port since the last completion. */
  #hasSpoken = false;

  constructor(memory: SharedMemory, port: Line) {
    this.#sizes = memory.sizes;
    this.#board = int32sOf(memory.board);
    this.#own = int32sOf(memory.own);
    this.#words = int32sOf(memory.cells);
    this.#doubles = float64sOf(memory.cells);
    this.#cells = memoryOf(memory.cells);
    this.#stream = memoryOf(memory.stream);
    this.#writer = new ValueWriter(new ShapeWriter(memory.ownShapes));
    this.#port = port;
  }

  /** A word is in the port that main must have heard before the next completion. */
  spoke(): void {
    this.#hasSpoken = true;
  }

  /** Throws, and has told nothing, when the value cannot cross. @param flag `IS_ERROR` of layout.ts, or 0 */
  end(
    cell: number,
    value: unknown,
    transfer: readonly unknown[] | undefined,
    flag: number,
    runMs: number,
  ): void {
    this.#words[cell * WORDS + FORM] = this.#write(cell, value, transfer) | flag;
    this.#doubles[cell * DOUBLES + RUN_MS] = runMs;
    const hint = this.#hasSpoken ? cell | PORT_FIRST : cell;
    this.#hasSpoken = false;
    this.#own[donePlace(this.#tail, this.#sizes)] = hint;
    this.#tail = (this.#tail + 1) | 0;
    Atomics.store(this.#own, DONE_TAIL, this.#tail);
    // K3
    const parked = Atomics.load(this.#board, MAIN_PARKED);
    if (parked === AWAKE || (parked === RESTING && this.#canWait())) return;
    if (Atomics.compareExchange(this.#board, MAIN_PARKED, parked, AWAKE) === parked) {
      Atomics.notify(this.#board, MAIN_PARKED);
    }
  }

  /** Neither is there a batch, nor are the workers about to have nothing to do. */
  #canWait(): boolean {
    if (this.#tail % BATCHED === 0) return false;
    const ready = (Atomics.load(this.#board, TAIL) - Atomics.load(this.#board, HEAD)) | 0;
    return ready > LITTLE * Atomics.load(this.#board, SEATS_TAKEN);
  }

  /** Returns the form. */
  #write(cell: number, value: unknown, transfer: readonly unknown[] | undefined): number {
    if (value === undefined) return NOTHING;
    if (typeof value === 'number') {
      this.#doubles[cell * DOUBLES + INLINE_NUMBER] = value;
      return NUMBER;
    }
    if (transfer !== undefined) return this.#post(cell, value, transfer);
    const start = cell * CELL_BYTES + INLINE_START;
    const end = this.#writer.write(value, this.#cells, start, start + INLINE_BYTES);
    if (end === UNKNOWN) return this.#post(cell, value, undefined);
    if (end === FULL) return this.#writeOutside(cell, value);
    this.#words[cell * WORDS + LENGTH] = end - start;
    return IN_CELL;
  }

  /** Into the longest free piece of the stream; where that is too short, over the port. */
  #writeOutside(cell: number, value: unknown): number {
    const size = this.#sizes.stream;
    const free = this.#freeOf(size);
    const start = this.#written & (size - 1);
    const atOnce = Math.min(free, size - start);
    // A piece does not wrap around: if there is more room at the start, the rest of the end is skipped.
    const skipped = free - atOnce > atOnce ? size - start : 0;
    const room = skipped > 0 ? free - skipped : atOnce;
    if (room < MIN_PIECE) return this.#post(cell, value, undefined);
    const from = skipped > 0 ? 0 : start;
    const end = this.#writer.write(value, this.#stream, from, from + room);
    if (end < 0) return this.#post(cell, value, undefined);
    this.#words[cell * WORDS + PLACE] = (this.#written + skipped) | 0;
    this.#words[cell * WORDS + LENGTH] = end - from;
    this.#written = (this.#written + skipped + end - from) | 0;
    return OUTSIDE;
  }

  /** Begins at the start again where nothing is unread: no more of the stream becomes resident than results lie in at a time. */
  #freeOf(size: number): number {
    const read = Atomics.load(this.#own, STREAM_READ);
    const first = ((read - this.#origin) | 0) > 0 ? read : this.#origin;
    if (first !== this.#written) return size - ((this.#written - first) | 0);
    this.#written = (this.#written + (-this.#written & (size - 1))) | 0;
    this.#origin = this.#written;
    return size;
  }

  #post(cell: number, value: unknown, transfer: readonly unknown[] | undefined): number {
    this.#port.post([RESULT, cell, value], transfer);
    this.#hasSpoken = true;
    return BY_PORT;
  }
}
