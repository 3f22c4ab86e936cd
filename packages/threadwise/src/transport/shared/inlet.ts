/** The worker's end of a line through shared memory. README.md beside this file has the protocol. */
import type { Port } from '../../core/contracts.js';
import type { EncodedError } from '../codec/error-codec.js';
import { ShapeReader } from '../codec/shape-book.js';
import { type Memory, memoryOf } from '../codec/value-memory.js';
import { ValueReader } from '../codec/value-reader.js';
import { type Begun, hear, type Inlet, type InletEvents, type InletPlatform } from '../inlet.js';
import { TO_MAIN, type WordToMain, type WordToWorker } from '../words.js';
import { offsetOf, segmentOf } from './arena-address.js';
import { Board } from './board.js';
import { DOZE_MS } from './caller.js';
import { Claims, type Seat, type TaskSource } from './claims.js';
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
  PARKED,
  PLACE,
  phaseOf,
  RESERVED,
  type SharedMemory,
  SPINNERS,
  STATE,
  TASK_ID,
  WITH_LEASES,
  wakeupsOf,
} from './layout.js';
import { Sleeper, SpinBudget } from './waiting.js';
import { ARGUMENTS, NAMED, SEGMENT, type ToWorker } from './words.js';

const WORDS = CELL_BYTES / 4;
const DOUBLES = CELL_BYTES / 8;
/** How long a worker looks for its next task before it sleeps: about what being woken costs. Milliseconds. */
const SPIN_MS = 0.05;
type Posted = readonly [id: number, name: string, args: readonly unknown[]];
/** Those of a port: what comes for a cell takes the place of what came for a task that was in it before. */
export type ArgumentsByCell = Map<number, Posted>;

export function keepArguments(kept: ArgumentsByCell, [, cell, ...posted]: readonly unknown[]): void {
  kept.set(cell as number, posted as unknown as Posted);
}

/** What lies there may belong to a task that was withdrawn: its own comes behind it. */
export function takeArguments(kept: ArgumentsByCell, cell: number, id: number): Posted | undefined {
  const posted = kept.get(cell);
  if (posted?.[0] !== id) return undefined;
  kept.delete(cell);
  return posted;
}

const NO_ARGS: readonly unknown[] = [];

export class SharedInlet implements Inlet, Begun {
  // The task that was begun last, as `Begun` has it: an object for each would be garbage at once.
  cell = -1;
  id = 0;
  name = '';
  args: readonly unknown[] = NO_ARGS;
  fault: unknown;

  readonly #single: unknown[] = [undefined];
  readonly #port: Port;
  readonly #platform: InletPlatform;
  readonly #seat: number;
  readonly #board: Board;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #cells: Memory;
  readonly #segments: (Memory | undefined)[];
  readonly #names: string[];
  readonly #reader: ValueReader;
  readonly #claims: TaskSource;
  readonly #completions: Completions;
  readonly #budget: SpinBudget;
  readonly #hasNew = () => this.#claims.hasNew();
  /** Arguments that came over the port, by cell. */
  protected readonly posted: ArgumentsByCell = new Map();
  #sleeper: Sleeper | undefined;
  #isParked = false;
  #isDozing = false;
  /** Nobody called: it looks whether it is needed, and leaves spinning to those who are. */
  #isOneLook = false;
  #offeredBefore = 0;
  #tasks: () => void = () => undefined;

  /** @param newSource where it gets its tasks from */
  constructor(
    port: Port,
    memory: SharedMemory,
    platform: InletPlatform,
    newSource: (seat: Seat) => TaskSource = (seat) => new Claims(seat),
  ) {
    const { seat, sizes } = memory;
    this.#port = port;
    this.#platform = platform;
    this.#budget = new SpinBudget(SPIN_MS, platform.now);
    this.#seat = seat;
    this.#board = new Board(memory.board);
    this.#words = new Int32Array(memory.cells);
    this.#doubles = new Float64Array(memory.cells);
    this.#cells = memoryOf(memory.cells);
    this.#segments = memory.segments.map(memoryOf);
    this.#names = [...memory.names];
    this.#reader = new ValueReader(new ShapeReader(memory.mainShapes));
    const own = new Int32Array(memory.own);
    const [cells, cellDoubles] = [this.#words, this.#doubles];
    const { now } = platform;
    this.#claims = newSource({ seat, sizes, board: this.#board, own, cells, cellDoubles, now });
    this.#completions = new Completions(memory, port);
  }

  listen(events: InletEvents): void {
    this.#tasks = () => events.tasks();
    this.#sleeper = new Sleeper(this.#board.words, wakeupsOf(this.#seat), this.#tasks);
    this.#port.listen((message) => {
      const said = message as ToWorker;
      switch (said[0]) {
        case ARGUMENTS:
          return keepArguments(this.posted, said);
        case NAMED:
          this.#names[said[1] as number] = said[2] as string;
          return;
        case SEGMENT:
          this.#segments[said[1] as number] = memoryOf(said[2] as ArrayBufferLike);
          return;
        default:
          return this.hearMain(said as WordToWorker, events);
      }
    });
  }

  protected hearMain(word: WordToWorker, events: InletEvents): void {
    hear(word, events);
  }

  /** Takes the arguments that came over a port for the task that it has begun, if they are there. */
  protected takePosted(cell: number): Posted | undefined {
    return takeArguments(this.posted, cell, this.id);
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

  say(word: WordToMain): void {
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

  limit(tasks: number): void {
    this.#claims.limit(tasks);
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
    this.#claims.endSpinning();
    return !this.#park();
  }

  #spin(): boolean {
    if (!this.#claims.takesMore || !this.#budget.wants()) return false;
    const spinners = Atomics.load(this.#board.words, SPINNERS);
    if (spinners === 0 || !this.#claims.beginSpinning(spinners)) return false;
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
    if (!this.#claims.hasWork() && this.#sleeper!.sleep(wakeups)) {
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
        view.getInt32(entry + 8),
        view.getInt32(entry + 12),
      );
    }
    this.args = args;
  }

  #readPosted(cell: number): void {
    let posted = this.takePosted(cell);
    if (posted === undefined) {
      this.drain();
      posted = this.takePosted(cell);
    }
    const [, name, args] = posted!;
    this.name = name;
    this.args = args;
  }

  /** What main tells of in words, it tells before any task needs it; the words may lie in the port yet. */
  #nameOf(id: number): string {
    if (this.#names[id] === undefined) this.#port.drain();
    return this.#names[id]!;
  }

  #segment(index: number): Memory {
    if (this.#segments[index] === undefined) this.#port.drain();
    return this.#segments[index]!;
  }
}
