/** The worker's end of a line through shared memory. README.md beside this file has the protocol. */
import type { Allowance } from '../../../core/workers/allowance.js';
import { unreadable } from '../../../core/calls/payload.js';
import type { EncodedError } from '../../codec/error-codec.js';
import { ShapeReader } from '../../codec/shapes/shape-book.js';
import { float64sOf, int32sOf, type Memory, memoryOf } from '../../codec/value-memory.js';
import { ValueReader } from '../../codec/value-reader.js';
import {
  type Begun,
  hear,
  type Endpoint,
  type EndpointEvents,
  type EndpointPlatform,
} from '../../endpoint.js';
import type { About, Line } from '../../line.js';
import { TO_MAIN, type MessageToMain, type MessageToWorker } from '../../messages.js';
import { Board } from '../board.js';
import { DOZE_MS } from '../waker.js';
import { Claims } from './claims.js';
import type { Seat, TaskSource } from './task-source.js';
import { Completions } from './completions.js';
import {
  ABORTING,
  BY_PORT,
  CELL_BYTES,
  DOZING,
  FORM,
  IN_CELL,
  INLINE_NUMBER,
  INLINE_START,
  IS_ERROR,
  LENGTH,
  NAME,
  NOTHING,
  NUMBER,
  ONE,
  OUTSIDE,
  offsetOf,
  PARKED,
  PLACE,
  phaseOf,
  RESERVED,
  SEGMENTS_TOLD,
  type SharedMemory,
  SPINNERS,
  STATE,
  segmentOf,
  TASK_ID,
  WITH_LEASES,
  wakeupsOf,
} from '../layout.js';
import { Sleeper, SpinBudget } from '../waiting.js';
import { ARGUMENTS, NAMED, RESULT, SEGMENT, type ToWorker } from '../messages.js';

const WORDS = CELL_BYTES / 4;
const DOUBLES = CELL_BYTES / 8;
/** How long a worker looks for its next task before it sleeps: about what being woken costs. Milliseconds. */
const SPIN_MS = 0.05;
export type Posted = readonly [id: number, name: string, args: readonly unknown[]];

const NO_ARGS: readonly unknown[] = [];

/** Arguments that came over one port, by cell. Two ports have one each: what is said there has no order among them. */
export class PostedArguments {
  readonly #posted = new Map<number, Posted>();

  keep([, cell, ...posted]: readonly unknown[]): void {
    this.#posted.set(cell as number, posted as unknown as Posted);
  }

  /** What lies there may belong to a task that was withdrawn: its own comes behind it. */
  take(cell: number, id: number): Posted | undefined {
    const posted = this.#posted.get(cell);
    if (posted?.[0] !== id) return undefined;
    this.#posted.delete(cell);
    return posted;
  }
}

export class SharedEndpoint implements Endpoint, Begun {
  // The task that was begun last, as `Begun` has it: an object for each would be garbage at once.
  cell = -1;
  id = 0;
  name = '';
  args: readonly unknown[] = NO_ARGS;
  fault: unknown;

  readonly #single: unknown[] = [undefined];
  readonly #port: Line;
  readonly #platform: EndpointPlatform;
  readonly #seat: number;
  readonly #board: Board;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #cells: Memory;
  /** Of the arena, as main has told; and the views of those that were looked into. */
  readonly #buffers: (ArrayBufferLike | undefined)[];
  readonly #segments: (Memory | undefined)[] = [];
  /** How many words about segments were heard, by SEGMENTS_TOLD. */
  #segmentsHeard = -1;
  readonly #names: string[];
  readonly #reader: ValueReader;
  readonly #claims: TaskSource;
  readonly #completions: Completions;
  readonly #budget: SpinBudget;
  readonly #hasNew = () => this.#claims.hasNew();
  readonly #posted = new PostedArguments();
  #sleeper: Sleeper | undefined;
  #isParked = false;
  #isDozing = false;
  /** Nobody called: it looks whether it is needed, and leaves spinning to those who are. */
  #isOneLook = false;
  #offeredBefore = 0;
  #tasks: () => void = () => undefined;

  /** @param newSource where it gets its tasks from */
  constructor(
    port: Line,
    memory: SharedMemory,
    platform: EndpointPlatform,
    newSource: (seat: Seat) => TaskSource = (seat) => new Claims(seat),
  ) {
    const { seat, sizes } = memory;
    this.#port = port;
    this.#platform = platform;
    this.#budget = new SpinBudget(SPIN_MS, platform.now);
    this.#seat = seat;
    this.#board = new Board(memory.board);
    this.#words = int32sOf(memory.cells);
    this.#doubles = float64sOf(memory.cells);
    this.#cells = memoryOf(memory.cells);
    this.#buffers = memory.segments;
    this.#names = [...memory.names];
    this.#reader = new ValueReader(new ShapeReader(memory.mainShapes));
    const own = int32sOf(memory.own);
    const [cells, cellDoubles] = [this.#words, this.#doubles];
    const { now } = platform;
    this.#claims = newSource({ seat, sizes, board: this.#board, own, cells, cellDoubles, now });
    this.#completions = new Completions(memory, port);
  }

  listen(events: EndpointEvents): void {
    this.#tasks = () => events.tasks();
    this.#sleeper = new Sleeper(this.#board.words, wakeupsOf(this.#seat), this.#tasks);
    const onWord = (said: ToWorker) => {
      switch (said[0]) {
        case ARGUMENTS:
          return this.#posted.keep(said);
        case NAMED:
          this.#names[said[1] as number] = said[2] as string;
          return;
        case SEGMENT:
          return this.#hearSegment(said[1] as number, said[2] as ArrayBufferLike | undefined);
        default:
          return this.hearMain(said as MessageToWorker, events);
      }
    };
    // Of a result, main knows by itself: its cell says that it came by the port.
    const onUnread = (about: About, reason: string) => {
      if (about[0] !== RESULT) events.unread(about, reason);
    };
    this.#port.listen((message) => onWord(message as ToWorker), undefined, onUnread);
  }

  protected hearMain(word: MessageToWorker, events: EndpointEvents): void {
    hear(word, events);
  }

  /** Of a task whose arguments came over a port, as far as they were heard. */
  protected takePosted(cell: number, id: number): Posted | undefined {
    return this.#posted.take(cell, id);
  }

  take(now: number): Begun | undefined {
    if (this.#isParked) this.#unpark();
    const cell = this.#claims.begin(now);
    if (cell < 0) return undefined;
    this.cell = cell;
    this.id = this.#words[cell * WORDS + TASK_ID]!;
    this.fault = undefined;
    try {
      this.#read(cell);
    } catch (error) {
      this.fault = error;
    }
    return this;
  }

  done(
    cell: number,
    _id: number,
    value: unknown,
    transfer: readonly unknown[] | undefined,
    runMs: number,
  ): void {
    this.#completions.end(cell, value, transfer, 0, runMs);
    this.#claims.ended(cell, runMs);
  }

  failed(cell: number, _id: number, error: EncodedError, runMs: number): void {
    this.#completions.end(cell, error, undefined, IS_ERROR, runMs);
    this.#claims.ended(cell, runMs);
  }

  say(word: MessageToMain): void {
    this.#port.post(word);
    if (word[0] !== TO_MAIN.memory) this.#completions.spoke();
    if (word[0] === TO_MAIN.ready) this.#claims.open();
  }

  isAborting(cell: number): boolean {
    return phaseOf(Atomics.load(this.#words, cell * WORDS + STATE)) === ABORTING;
  }

  drain(): void {
    this.#port.drain();
  }

  limit(allowance: Allowance): void {
    this.#claims.limit(allowance);
  }

  retire(): boolean {
    if (this.#isParked) this.#unpark();
    return this.#claims.retire();
  }

  rest(canSpin: boolean): boolean {
    this.#board.refresh();
    this.#claims.search();
    if (this.#claims.hasWork()) return true;
    if (canSpin && !this.#isOneLook && this.#spin()) return true;
    this.#claims.spinning.end();
    return !this.#park();
  }

  #spin(): boolean {
    if (!this.#claims.takesMore || !this.#budget.wants()) return false;
    const spinners = Atomics.load(this.#board.words, SPINNERS);
    if (spinners === 0 || !this.#claims.spinning.begin(spinners)) return false;
    return this.#budget.spin(this.#hasNew);
  }

  /** P1 to P3. Returns whether it sleeps. */
  #park(): boolean {
    const { words } = this.#board;
    const wakeups = Atomics.load(words, wakeupsOf(this.#seat));
    const { takesMore } = this.#claims;
    if (this.#isDozing && takesMore) this.#board.set(DOZING, this.#seat);
    this.#board.set(takesMore ? PARKED : RESERVED, this.#seat);
    this.#isParked = true;
    // Main may have given back meanwhile what it had taken of the allowance, and have found neither bit set.
    const isSame = this.#claims.takesMore === takesMore;
    if (isSame && !this.#claims.hasWork() && this.#sleeper!.sleep(wakeups)) {
      this.#doze();
      return true;
    }
    this.#unpark();
    return false;
  }

  /** While tasks come, nobody may have been called for the last of them: one more look, after a while. */
  #doze(): void {
    const { offered, takesMore } = this.#claims;
    if (this.#isDozing || !takesMore || offered === this.#offeredBefore) return;
    this.#offeredBefore = offered;
    this.#isDozing = true;
    this.#board.set(DOZING, this.#seat);
    this.#platform.timer(DOZE_MS, () => {
      this.#isDozing = false;
      this.#board.clear(DOZING, this.#seat);
      if (!this.#isParked) return;
      this.#isOneLook = true;
      this.#tasks();
      this.#isOneLook = false;
    });
  }

  #unpark(): void {
    this.#isParked = false;
    this.#board.clear(PARKED, this.#seat);
    this.#board.clear(RESERVED, this.#seat);
    // Last, and before it looks: whoever relies on it comes earlier, or sees that it is about to run a task.
    this.#board.clear(DOZING, this.#seat);
  }

  #read(cell: number): void {
    const at = cell * WORDS;
    const form = this.#words[at + FORM]!;
    if (form === BY_PORT) return this.#readPosted(cell);
    this.name = this.#nameOf(this.#words[at + NAME]!);
    switch (form & ~(WITH_LEASES | ONE)) {
      case NOTHING:
        this.args = NO_ARGS;
        return;
      case NUMBER:
        this.args = this.#one(this.#doubles[cell * DOUBLES + INLINE_NUMBER]);
        return;
      case IN_CELL:
        return this.#readValues(this.#cells, cell * CELL_BYTES + INLINE_START, at, form);
      case OUTSIDE: {
        const place = this.#words[at + PLACE]!;
        return this.#readValues(this.#segment(segmentOf(place)), offsetOf(place), at, form);
      }
      default:
        throw new Error(`threadwise: arguments in an unknown form, ${form}`);
    }
  }

  /** A list of one, the same one each time: it is valid until the next task is taken. */
  #one(value: unknown): readonly unknown[] {
    this.#single[0] = value;
    return this.#single;
  }

  #readValues(memory: Memory, start: number, at: number, form: number): void {
    const end = start + this.#words[at + LENGTH]!;
    if ((form & WITH_LEASES) === 0) {
      const value = this.#reader.read(memory, start, end);
      this.args = (form & ONE) === 0 ? (value as unknown[]) : this.#one(value);
      return;
    }
    const { view } = memory;
    const count = view.getInt32(end - 4);
    const entries = end - 4 - count * 16;
    const args = this.#reader.read(memory, start, entries) as unknown[];
    for (let entry = entries; entry < end - 4; entry += 16) {
      const { buffer } = this.#segment(view.getInt32(entry + 4)).u8;
      args[view.getInt32(entry)] = new Uint8Array(
        buffer,
        view.getUint32(entry + 8),
        view.getUint32(entry + 12),
      );
    }
    this.args = args;
  }

  #readPosted(cell: number): void {
    let posted = this.takePosted(cell, this.id);
    if (posted === undefined) {
      this.drain();
      posted = this.takePosted(cell, this.id);
    }
    if (posted === undefined) throw unreadable('args'); // they have come, and could not be read
    const [, name, args] = posted;
    this.name = name;
    this.args = args;
  }

  /** What main tells of in words, it tells before any task needs it; the words may lie in the port yet. */
  #nameOf(id: number): string {
    if (this.#names[id] === undefined) this.#port.drain();
    return this.#names[id]!;
  }

  /** The number of a segment that was given back is given again: only who has heard all knows which one is meant. */
  #segment(index: number): Memory {
    const told = Atomics.load(this.#board.words, SEGMENTS_TOLD);
    if (told !== this.#segmentsHeard) this.#port.drain();
    this.#segmentsHeard = told;
    this.#segments[index] ??= memoryOf(this.#buffers[index]!);
    return this.#segments[index];
  }

  #hearSegment(index: number, buffer: ArrayBufferLike | undefined): void {
    this.#buffers[index] = buffer;
    this.#segments[index] = undefined;
    // The last task is over, and its arguments may be a lease's bytes in a segment that is given back.
    if (buffer === undefined) this.args = NO_ARGS;
  }
}
