/** The worker's end of a line through shared memory. README.md beside this file has the protocol. */
import type { Allowance } from '../../../core/workers/allowance.js';
import { unreadable } from '../../../core/calls/payload.js';
import { isList } from '../../../core/options/checks.js';
import { decodeError, type EncodedError } from '../../codec/error-codec.js';
import { ShapeReader, ShapeWriter } from '../../codec/shape-book.js';
import { FULL, UNKNOWN } from '../../codec/tags.js';
import { type Memory, memoryOf, readLatin1, writeLatin1 } from '../../codec/value-memory.js';
import { ValueReader } from '../../codec/value-reader.js';
import { ValueWriter } from '../../codec/value-writer.js';
import { areBuffersWithin } from '../../codec/builtins.js';
import type { Begun, Endpoint, EndpointEvents, EndpointPlatform, Transfer } from '../../endpoint.js';
import { hear } from '../../endpoint.js';
import { type About, Line } from '../../line.js';
import { TO_MAIN, TO_WORKER, type MessageToMain, type MessageToWorker } from '../../messages.js';
import { Claims } from './claims.js';
import type { TaskSource } from './task-source.js';
import * as L from '../layout.js';
import { ARGUMENTS, LINE, NAMED, type Posted, RESULT, SEGMENT, type ToWorker } from '../messages.js';

/** A resting main is woken at once when the ring has at most this many hints for each worker: it takes a moment to wake up. */
const LITTLE = 4;
/** The smallest piece of the stream that is worth a try. Bytes. */
const MIN_PIECE = 256;
const NO_ARGS: readonly unknown[] = [];

type Abort = Extract<MessageToWorker, readonly [typeof TO_WORKER.abort, ...unknown[]]>;

export class SharedEndpoint implements Endpoint, Begun {
  // The task that was begun last, as a `Begun`: an object for each task would be garbage at once.
  cell = -1;
  id = 0;
  name = '';
  args: readonly unknown[] = NO_ARGS;
  fault: unknown;

  readonly #single: unknown[] = [undefined];
  readonly #port: Line;
  readonly #platform: EndpointPlatform;
  readonly #memory: L.SharedMemory;
  readonly #source: TaskSource;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #own: Int32Array;
  readonly #cells: Memory;
  readonly #stream: Memory;
  /** Views of the segments of the arena that arguments were read from. */
  readonly #segments: (Memory | undefined)[] = [];
  /** SEGMENTS_TOLD when messages about segments were last read. */
  #segmentsHeard = -1;
  readonly #names: string[];
  /** Made when first needed: a worker of numbers and texts alone does not even compile their code. */
  #reader: ValueReader | undefined;
  #writer: ValueWriter | undefined;
  /** Bytes ever written to the stream. */
  #written = 0;
  /** Main has read all bytes before this position, though STREAM_READ may not say so yet. */
  #origin = 0;
  #doneTail = 0;
  /** Whether a message was sent over the port since the last completion: main must hear it before the next one. */
  #hasSpoken = false;
  /** Arguments that came over ports, by cell: of the posting with the highest stamp, as there is no order among those of two ports. */
  readonly #posted = new Map<number, Posted>();
  #tellAbort: (said: Abort) => void = () => undefined;
  /** Whether ports are read for a task that the runner does not know yet: aborts that are heard meanwhile are held, as they may be about it. */
  #isReading = false;
  readonly #held: Abort[] = [];
  /** The line to the coordinator, where there is one. */
  #line: Line | undefined;

  constructor(port: Line, memory: L.SharedMemory, platform: EndpointPlatform, source?: TaskSource) {
    this.#port = port;
    this.#platform = platform;
    this.#memory = memory;
    this.#source = source ?? new Claims(memory, platform);
    this.#words = this.#source.cells;
    this.#doubles = this.#source.doubles;
    this.#own = this.#source.own;
    this.#cells = memoryOf(memory.cells);
    this.#stream = memoryOf(memory.stream);
    this.#names = [...memory.names];
  }

  listen(events: EndpointEvents): void {
    this.#source.onTasks = events.tasks;
    this.#tellAbort = ([, id, reason]) => events.abort(L.idWord(id), reason);
    const onWord = (said: ToWorker) => {
      switch (said[0]) {
        case ARGUMENTS:
          if (said[3] > (this.#posted.get(said[1])?.[3] ?? 0)) this.#posted.set(said[1], said);
          return;
        case NAMED:
          this.#names[said[1]] = said[2];
          return;
        case SEGMENT:
          return this.#hearSegment(said[1], said[2]);
        case LINE:
          // A new coordinator takes the place of a dead one, whose last words are heard before.
          this.#line?.drain();
          this.#line?.close();
          this.#line = new Line(this.#platform.port(said[1]));
          return this.#line.listen((message) => onWord(message as ToWorker));
        case TO_WORKER.abort:
          return this.#isReading ? void this.#held.push(said) : this.#tellAbort(said);
        default:
          return hear(said, events);
      }
    };
    // Main finds out by itself that a result could not be read: the cell says that the result came over the port.
    const onUnread = (about: About, reason: string) => {
      if (about[0] !== RESULT) events.unread(about, reason);
    };
    this.#port.listen((message) => onWord(message as ToWorker), undefined, onUnread);
  }

  take(now: number): Begun | undefined {
    if (this.#source.isParked) this.#source.unpark();
    const cell = this.#source.begin(now);
    if (cell < 0) return undefined;
    this.cell = cell;
    this.id = this.#words[cell * L.WORDS + L.TASK_ID]!;
    this.fault = undefined;
    try {
      this.#read(cell);
    } catch (error) {
      this.fault = error;
    }
    return this;
  }

  done(cell: number, _id: number, value: unknown, transfer: Transfer, runMs: number): void {
    this.#end(cell, this.#write(cell, value, transfer), runMs);
  }

  failed(cell: number, _id: number, error: EncodedError, runMs: number): void {
    this.#end(cell, this.#write(cell, error, undefined) | L.IS_ERROR, runMs);
  }

  say(word: MessageToMain, transfer?: readonly unknown[]): void {
    this.#port.post(word, transfer);
    if (word[0] !== TO_MAIN.memory) this.#hasSpoken = true;
    if (word[0] === TO_MAIN.ready) this.#source.open();
  }

  isAborting(cell: number): boolean {
    return L.phaseOf(Atomics.load(this.#words, cell * L.WORDS + L.STATE)) === L.ABORTING;
  }

  drain(): void {
    this.#port.drain();
    this.#line?.drain();
    if (!this.#isReading) for (const said of this.#held.splice(0)) this.#tellAbort(said);
  }

  /** Reads the ports for a task that is begun. Aborts are told in a turn of their own, if the task does not ask before. */
  #hearAhead(): void {
    this.#isReading = true;
    this.drain();
    this.#isReading = false;
    if (this.#held.length > 0) this.#platform.timer(0, () => this.drain());
  }

  limit(allowance: Allowance): void {
    this.#source.limit(allowance);
  }

  retire(): boolean {
    if (this.#source.isParked) this.#source.unpark();
    return this.#source.retire();
  }

  rest(isFree: boolean, canSpin = isFree): boolean {
    return this.#source.rest(isFree, canSpin);
  }

  #read(cell: number): void {
    const at = cell * L.WORDS;
    const form = this.#words[at + L.FORM]!;
    if (form === L.BY_PORT) return this.#readPosted(cell);
    const nameId = this.#words[at + L.NAME]!;
    if (this.#names[nameId] === undefined) this.#hearAhead(); // it lies in the port
    this.name = this.#names[nameId]!;
    const start = cell * L.CELL_BYTES + L.INLINE_START;
    if (form === L.NUMBER) this.args = this.#one(L.numberIn(this.#doubles, cell));
    else if (form === L.LATIN1)
      this.args = this.#one(readLatin1(this.#cells, start, this.#words[at + L.LENGTH]!));
    else this.args = form === L.NOTHING ? NO_ARGS : this.#readValues(at, form, start);
  }

  /** A list of one, the same one each time: it is valid until the next task is taken. */
  #one(value: unknown): readonly unknown[] {
    this.#single[0] = value;
    return this.#single;
  }

  /** @param start of the bytes that the cell has for values */
  #readValues(at: number, form: number, start: number): readonly unknown[] {
    const { segments, mainShapes } = this.#memory;
    const place = this.#words[at + L.PLACE]!;
    // The number of a segment may have been given anew, which the messages tell. They are not read while values are: then the reader may let go.
    const told = Atomics.load(this.#source.board.words, L.SEGMENTS_TOLD);
    if (told !== this.#segmentsHeard) this.#hearAhead();
    this.#segmentsHeard = told;
    const where = form & ~(L.WITH_LEASES | L.ONE);
    if (where !== L.IN_CELL && where !== L.OUTSIDE)
      throw new Error(`threadwise: arguments in an unknown form, ${form}`);
    const memory = where === L.IN_CELL ? this.#cells : this.#segment(L.segmentOf(place));
    const from = where === L.IN_CELL ? start : L.offsetOf(place);
    const reader = (this.#reader ??= new ValueReader(new ShapeReader(mainShapes), (i) => segments[i]));
    const end = from + this.#words[at + L.LENGTH]!;
    if ((form & L.WITH_LEASES) === 0) {
      const value = reader.read(memory, from, end);
      return (form & L.ONE) === 0 ? (value as unknown[]) : this.#one(value);
    }
    const { view } = memory;
    const entries = end - 4 - view.getInt32(end - 4) * 16;
    const args = reader.read(memory, from, entries) as unknown[];
    for (let entry = entries; entry < end - 4; entry += 16) {
      const { buffer } = this.#segment(view.getInt32(entry + 4)).u8;
      const [offset, bytes] = [view.getUint32(entry + 8), view.getUint32(entry + 12)];
      args[view.getInt32(entry)] = new Uint8Array(buffer, offset, bytes);
    }
    return args;
  }

  #readPosted(cell: number): void {
    // The arguments that were kept may be those of a withdrawn task: the right ones come behind them.
    if (this.#posted.get(cell)?.[2] !== this.id) this.#hearAhead();
    const posted = this.#posted.get(cell);
    if (posted?.[2] !== this.id) throw unreadable('args'); // they have come, and could not be read
    this.#posted.delete(cell);
    this.name = posted[4];
    const args = posted[6];
    if (!isList(args)) throw decodeError(args as EncodedError);
    this.args = args;
  }

  #hearSegment(index: number, buffer: ArrayBufferLike | undefined): void {
    const { segments } = this.#memory;
    const before = segments[index];
    segments[index] = buffer;
    this.#segments[index] = undefined;
    if (buffer !== undefined) return;
    // Nothing here must hold the segment: the last task, which is over, and the reader may have bytes in it.
    this.args = this.#one(undefined);
    this.#reader?.forget();
    this.#platform.collectSoon(before!);
  }

  #segment(index: number): Memory {
    return (this.#segments[index] ??= memoryOf(this.#memory.segments[index]!));
  }

  /** K1 to K3: the result is written; main finds it. */
  #end(cell: number, form: number, runMs: number): void {
    this.#words[cell * L.WORDS + L.FORM] = form;
    this.#doubles[cell * L.DOUBLES + L.RUN_MS] = runMs;
    const hint = this.#hasSpoken ? cell | L.PORT_FIRST : cell;
    this.#hasSpoken = false;
    this.#own[L.donePlace(this.#doneTail, this.#memory.sizes)] = hint;
    this.#doneTail = (this.#doneTail + 1) | 0;
    Atomics.store(this.#own, L.DONE_TAIL, this.#doneTail);
    const parked = Atomics.load(this.#source.board.words, L.MAIN_PARKED);
    this.#source.hasWokenMain = parked !== L.AWAKE && this.#wakeMain(parked);
    this.#source.ended(cell, runMs);
  }

  /** K3. Returns whether it woke main. @param parked what MAIN_PARKED was: main sleeps or rests */
  #wakeMain(parked: number): boolean {
    const { board } = this.#source;
    const { words } = board;
    if (parked === L.RESTING && this.#doneTail % L.BATCHED !== 0) {
      // Main need not be woken yet if this worker runs another tiny task next, or all workers have enough to do.
      if (this.#source.hasMoreTiny || board.length > LITTLE * Atomics.load(words, L.SEATS_TAKEN))
        return false;
    }
    if (Atomics.compareExchange(words, L.MAIN_PARKED, parked, L.AWAKE) !== parked) return false;
    Atomics.notify(words, L.MAIN_PARKED);
    return true;
  }

  /** Returns the form. Small buffers to be moved are copied: see `Sizes.copied`. */
  #write(cell: number, value: unknown, transfer: Transfer): number {
    if (transfer === undefined) return this.#copy(cell, value, undefined);
    const isCopied = isList(transfer) && areBuffersWithin(this.#memory.sizes.copied?.results ?? -1, transfer);
    const form = isCopied ? this.#copy(cell, value, transfer) : this.#post(cell, value, transfer);
    if (form !== L.BY_PORT) this.#platform.detach(transfer);
    return form;
  }

  /** Returns the form. What the codec does not know goes by port. */
  #copy(cell: number, value: unknown, transfer: Transfer): number {
    if (value === undefined) return L.NOTHING;
    if (typeof value === 'number') {
      this.#doubles[cell * L.DOUBLES + L.INLINE_NUMBER] = value;
      return L.NUMBER;
    }
    const start = cell * L.CELL_BYTES + L.INLINE_START;
    if (typeof value === 'string' && writeLatin1(value, this.#cells, start, start + L.INLINE_BYTES) >= 0) {
      this.#words[cell * L.WORDS + L.LENGTH] = value.length;
      return L.LATIN1;
    }
    const end = this.#values.write(value, this.#cells, start, start + L.INLINE_BYTES, transfer !== undefined);
    if (end === UNKNOWN) return this.#post(cell, value, transfer);
    if (end === FULL) return this.#writeOutside(cell, value, transfer);
    this.#words[cell * L.WORDS + L.LENGTH] = end - start;
    return L.IN_CELL;
  }

  get #values(): ValueWriter {
    return (this.#writer ??= new ValueWriter(new ShapeWriter(this.#memory.ownShapes)));
  }

  /** Writes into the longest free piece of the stream; if that is too short, the result goes over the port. */
  #writeOutside(cell: number, value: unknown, transfer: Transfer): number {
    const size = this.#memory.sizes.stream;
    const further = (Atomics.load(this.#own, L.STREAM_READ) - this.#origin) | 0;
    if (further > 0) this.#origin = (this.#origin + further) | 0; // kept, as positions wrap around: one that is 2 GiB old would seem to lie ahead
    // Where nothing is unread, begins at the start again: so no more than needed becomes resident.
    if (this.#origin === this.#written)
      this.#origin = this.#written = (this.#written + (-this.#written & (size - 1))) | 0;
    const free = size - ((this.#written - this.#origin) | 0);
    const start = this.#written & (size - 1);
    const atOnce = Math.min(free, size - start);
    // A piece does not wrap around: if there is more room at the start, the rest of the end is skipped.
    const skipped = free - atOnce > atOnce ? size - start : 0;
    const room = skipped > 0 ? free - skipped : atOnce;
    if (room < MIN_PIECE) return this.#post(cell, value, transfer);
    const from = skipped > 0 ? 0 : start;
    const end = this.#values.write(value, this.#stream, from, from + room, transfer !== undefined);
    if (end < 0) return this.#post(cell, value, transfer);
    this.#words[cell * L.WORDS + L.PLACE] = (this.#written + skipped) | 0;
    this.#words[cell * L.WORDS + L.LENGTH] = end - from;
    this.#written = (this.#written + skipped + end - from) | 0;
    return L.OUTSIDE;
  }

  #post(cell: number, value: unknown, transfer: Transfer): number {
    this.#port.post([RESULT, cell, value], transfer);
    this.#hasSpoken = true;
    return L.BY_PORT;
  }
}
