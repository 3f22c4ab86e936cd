/** The worker's end of its two lines: to main, and to the coordinator. */

import type { Port } from '../../core/contracts.js';
import type { EncodedError } from '../codec/error-codec.js';
import { int32sOf } from '../codec/value-memory.js';
import type { Begun, Inlet, InletEvents, InletPlatform } from '../inlet.js';
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
  #line: Port | undefined;
  #tasks: () => void = () => undefined;
  #retire: () => void = () => undefined;
  #isReady = false;
  /** It takes no more from the coordinator but what nobody else can run. */
  #isLeaving = false;
  #left = Number.POSITIVE_INFINITY;
  /** Given by the coordinator and not begun, first in first out; `#next` is the first of them. */
  #backlog: PostedTask[] = [];
  #next = 0;
  readonly #running = new Map<number, Running>();
  #runningLetters = 0;
  #letterIsNext = false;

  constructor(port: Port, memory: SeatMemory, platform: InletPlatform) {
    this.#letters = new MessageInlet(this.#screened(port), memory.letters as ArrayBufferLike);
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
    this.#letters.done(cell, id, value, transfer, runMs);
    this.#ended(cell, runMs);
  }

  failed(cell: number, id: number, error: EncodedError, runMs: number): void {
    this.#letters.failed(cell, id, error, runMs);
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

  limit(tasks: number): void {
    this.#left = tasks;
  }

  /** What others can run, the coordinator has given to them by now. */
  retire(): boolean {
    this.#isLeaving = true;
    return this.#backlog.slice(this.#next).every(([, , , , , isMoved]) => !isMoved);
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
      const [, ticket, id, name, args, isMoved] = this.#backlog[this.#next++]!;
      if (this.#isLeaving && !isMoved) continue;
      const cell = this.#board.begin(ticket, this.#memory.seat, now);
      if (cell < 0) {
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

  /** The port to main, without the words that are for this file. */
  #screened(port: Port): Port {
    return {
      post: (message, transfer) => port.post(message, transfer),
      drain: () => port.drain(),
      close: () => port.close(),
      listen: (handler, onBatch, onBroken) => {
        const screen = (message: unknown) => {
          const [type, line] = message as LineWord;
          if ((type as number) === LINE) this.#join(line);
          else handler(message);
        };
        port.listen(screen, onBatch, onBroken);
      },
    };
  }

  /** A line of a new coordinator takes the place of that of a dead one. */
  #join(line: unknown): void {
    this.#line?.close();
    this.#line = this.#platform.port(line);
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
