/** The worker's end of its two lines: to main, and to the coordinator. */
import { Allowance } from '../../core/allowance.js';
import type { EncodedError } from '../codec/error-codec.js';
import { int32sOf } from '../codec/value-memory.js';
import type { Begun, Inlet, InletEvents, InletPlatform } from '../inlet.js';
import { AccountedLine, type Line } from '../line.js';
import { MessageInlet } from '../message/inlet.js';
import { becomeReady } from '../stage.js';
import { TO_MAIN, type WordToMain } from '../words.js';
import type { SeatMemory } from './link.js';
import { RUNNING_HERE, STAGE, THREAD_ID, TicketReader, UTILIZATION } from './ticket-board.js';
import {
  FROM_SEAT,
  LINE,
  type LineWord,
  type PostedTask,
  TO_SEAT,
  type WordFromSeat,
  type WordToSeat,
} from './words.js';

/** Added to the cells of the pool's board, so that they differ from those of the line to main. */
const OFFSET = 2 ** 20;

interface Running {
  readonly ticket: number;
  readonly name: string;
  /** The coordinator that gave it is dead: the next one knows nothing of it, and is told of it as of a letter. */
  isOrphan: boolean;
}

export class CoordinatedInlet implements Inlet {
  readonly #letters: MessageInlet;
  readonly #board: TicketReader;
  readonly #memory: SeatMemory;
  readonly #own: Int32Array;
  readonly #platform: InletPlatform;
  #line: Line | undefined;
  #tasks: () => void = () => undefined;
  #retire: () => void = () => undefined;
  #isReady = false;
  /** It takes no more from the coordinator but what nobody else can run. */
  #isLeaving = false;
  #allowance = new Allowance(undefined);
  /** Tasks that it has yet to begin before it is replaced. */
  #left = Number.POSITIVE_INFINITY;
  /** Given by the coordinator and not begun, first in first out; `#next` is the first of them. */
  #backlog: PostedTask[] = [];
  #next = 0;
  readonly #running = new Map<number, Running>();
  #runningLetters = 0;
  #letterIsNext = false;

  constructor(letters: Line, memory: SeatMemory, platform: InletPlatform) {
    this.#letters = new MessageInlet(this.#screened(letters), memory.letters as ArrayBufferLike);
    this.#board = new TicketReader(memory.board);
    this.#memory = memory;
    this.#own = int32sOf(memory.own);
    this.#platform = platform;
  }

  listen(events: InletEvents): void {
    this.#tasks = () => events.tasks();
    this.#retire = () => events.retire();
    this.#letters.listen(events);
  }

  /** Turn by turn, so that neither of the two lines starves. */
  take(now: number): Begun | undefined {
    this.#letterIsNext = !this.#letterIsNext;
    if (this.#letterIsNext) return this.#takeLetter(now) ?? this.#takeGiven(now);
    return this.#takeGiven(now) ?? this.#takeLetter(now);
  }

  done(
    cell: number,
    id: number,
    value: unknown,
    transfer: readonly unknown[] | undefined,
    runMs: number,
  ): void {
    if (cell < OFFSET) {
      this.#letters.done(cell, id, value, transfer, runMs);
    } else {
      this.#board.end(cell - OFFSET);
      this.#letters.answer(id, value, transfer, runMs);
    }
    this.#ended(cell, runMs);
  }

  failed(cell: number, id: number, error: EncodedError, runMs: number): void {
    if (cell < OFFSET) {
      this.#letters.failed(cell, id, error, runMs);
    } else {
      this.#board.end(cell - OFFSET);
      this.#letters.answerFailed(id, error, runMs);
    }
    this.#ended(cell, runMs);
  }

  say(word: WordToMain): void {
    this.#letters.say(word);
    if (word[0] !== TO_MAIN.ready) return;
    // Main can hear it by now. Where main was first, nobody gives it anything.
    this.#isReady = becomeReady(this.#own, STAGE);
    if (this.#isReady) this.#sayHello();
  }

  isAborting(cell: number): boolean {
    return cell < OFFSET ? this.#letters.isAborting(cell) : this.#board.isAborting(cell - OFFSET);
  }

  drain(): void {
    this.#letters.drain();
  }

  limit(allowance: Allowance): void {
    this.#allowance = allowance;
    this.#left = allowance.left;
  }

  /** What others can run, the coordinator has given to them by now. */
  retire(): boolean {
    this.#isLeaving = true;
    return this.#backlog.slice(this.#next).every(([, , , , isMoved]) => !isMoved);
  }

  /** The ports tell. */
  rest(): boolean {
    return false;
  }

  #takeLetter(now: number): Begun | undefined {
    const begun = this.#letters.take(now);
    if (begun === undefined) return undefined;
    this.#tell([FROM_SEAT.letters, ++this.#runningLetters]);
    this.#count();
    return begun;
  }

  #takeGiven(now: number): Begun | undefined {
    while (this.#next < this.#backlog.length) {
      const [, ticket, id, name, isMoved, args] = this.#backlog[this.#next]!;
      const isSkipped = this.#isLeaving && !isMoved;
      // What is left may be for letters on their way. If one is withdrawn, main says so.
      if (!isSkipped && this.#allowance.take() === 0) return undefined;
      this.#next++;
      if (isSkipped) continue;
      const cell = this.#board.begin(ticket, this.#memory.seat, now);
      if (cell < 0) {
        this.#allowance.give();
        this.#tell([FROM_SEAT.passed, ticket]);
        continue;
      }
      this.#running.set(cell + OFFSET, { ticket, name, isOrphan: false });
      Atomics.store(this.#own, RUNNING_HERE, this.#running.size);
      this.#count();
      return { cell: cell + OFFSET, id, name, args, fault: undefined };
    }
    if (this.#next > 0) [this.#backlog, this.#next] = [[], 0];
    return undefined;
  }

  #ended(cell: number, runMs: number): void {
    const task = this.#running.get(cell);
    if (task !== undefined) {
      this.#running.delete(cell);
      Atomics.store(this.#own, RUNNING_HERE, this.#running.size);
    }
    if (task === undefined || task.isOrphan) {
      return this.#tell([FROM_SEAT.letters, --this.#runningLetters]);
    }
    const utilization = this.#memory.measures ? (this.#platform.utilization?.() ?? 0) : 0;
    Atomics.store(this.#own, UTILIZATION, Math.round(utilization * 1000));
    this.#tell([FROM_SEAT.ended, task.ticket, task.name, runMs, utilization]);
  }

  #count(): void {
    if (--this.#left !== 0) return;
    this.#isLeaving = true;
    this.#tell([FROM_SEAT.enough]);
  }

  #tell(word: WordFromSeat): void {
    this.#line?.post(word);
  }

  /** The line to main, without the words that are for this file. */
  #screened(letters: Line): Line {
    return {
      post: (message, transfer) => letters.post(message, transfer),
      drain: () => letters.drain(),
      close: () => letters.close(),
      listen: (handler, onBatch, onUnread) => {
        const screen = (message: unknown) => {
          const [type, line] = message as LineWord;
          if ((type as number) === LINE) this.#join(line);
          else handler(message);
        };
        letters.listen(screen, onBatch, onUnread);
      },
    };
  }

  /** A line of a new coordinator takes the place of that of a dead one. */
  #join(line: unknown): void {
    this.#line?.close();
    this.#line = new AccountedLine(this.#platform.port(line));
    this.#line.listen((message) => this.#hear(message as WordToSeat));
    for (const task of this.#running.values()) {
      if (!task.isOrphan) this.#runningLetters++;
      task.isOrphan = true;
    }
    if (!this.#isReady) return;
    this.#sayHello();
    this.#tell([FROM_SEAT.letters, this.#runningLetters]);
  }

  #sayHello(): void {
    const threadId = this.#platform.threadId?.() ?? 0;
    Atomics.store(this.#own, THREAD_ID, threadId);
    this.#tell([FROM_SEAT.hello, threadId]);
  }

  #hear(word: WordToSeat): void {
    if (word[0] === TO_SEAT.retire) return this.#retire();
    this.#backlog.push(word);
    this.#tasks();
  }
}
