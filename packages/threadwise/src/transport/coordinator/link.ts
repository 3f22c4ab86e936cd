/**
 * Main's line to a worker of a pool with a coordinator: a line of the message transport, over which main sends what is
 * for this worker alone, and over which the worker answers for all that it runs.
 */

import type { Link, LinkEvents, Wire } from '../../core/contracts.js';
import type { Task } from '../../core/task.js';
import { int32sOf } from '../codec/value-memory.js';
import { MessageLink } from '../message/link.js';
import { TASKS } from '../message/protocol.js';
import { forestall } from '../stage.js';
import { beganWithin, countWithin } from '../trust.js';
import type { CoordinatedExchange } from './exchange.js';
import { RUNNING_HERE, SEAT_BYTES, STAGE, THREAD_ID, UTILIZATION } from './ticket-board.js';
import { LINE, type LineWord, TO_COORDINATOR } from './words.js';

/** What the wire carries beside the port. */
export interface SeatMemory {
  readonly seat: number;
  /** Of the line to main. */
  readonly letters: unknown;
  /** Of the pool: see `ticket-board.ts`. */
  readonly board: ArrayBufferLike;
  /** Int32 words of this seat: RUNNING_HERE and STAGE of ticket-board.ts. */
  readonly own: ArrayBufferLike;
  /** Whether the coordinator wants to know the worker's event loop utilisation. */
  readonly measures: boolean;
}

export class CoordinatedLink implements Link {
  readonly wire: Wire;
  readonly seat: number;
  isRetiring = false;
  /** The coordinator has started its thread, or may do so. */
  readonly isReserved: boolean;
  readonly #exchange: CoordinatedExchange;
  readonly #letters: MessageLink;
  readonly #own: Int32Array;
  /** When the tasks began that a dead worker ran. */
  readonly #begunByDead = new Map<Task, number>();
  /** Those of them that ended before it did, and what they came to could not be read. */
  readonly #endedUnread = new Set<Task>();

  constructor(
    exchange: CoordinatedExchange,
    seat: number,
    events: LinkEvents,
    capacity: number,
    isReserved: boolean,
  ) {
    this.isReserved = isReserved;
    const { platform, board, boardMemory, measuresUtilization } = exchange;
    this.#exchange = exchange;
    this.seat = seat;
    this.#letters = new MessageLink(platform, events, capacity, {
      find: (id) => board.find(id),
      end: (id) => this.#end(id),
    });
    const own = platform.sharedMemory(SEAT_BYTES);
    this.#own = int32sOf(own);
    const letters = this.#letters.wire.memory;
    const memory: SeatMemory = {
      seat,
      letters,
      board: boardMemory,
      own,
      measures: measuresUtilization || isReserved,
    };
    this.wire = { transport: 'coordinator', port: this.#letters.wire.port, memory };
  }

  get room(): number {
    return this.#letters.room;
  }

  get pulled(): number {
    const held = this.#exchange.adopted.size === 0 ? [] : this.#exchange.board.heldBy(this.seat);
    const adopted = held.filter((task) => this.#exchange.adopted.has(task));
    const running = countWithin(Atomics.load(this.#own, RUNNING_HERE), this.#exchange.board.size);
    return Math.max(0, running - adopted.length);
  }

  forestall(): boolean {
    return forestall(this.#own, STAGE);
  }

  get threadId(): number {
    return Atomics.load(this.#own, THREAD_ID);
  }

  /** As its worker measured it last, 0 to 1. */
  get utilization(): number {
    return countWithin(Atomics.load(this.#own, UTILIZATION), 1000) / 1000;
  }

  hasRoomFor(): boolean {
    return this.room > 0;
  }

  send(task: Task): void {
    this.#letters.send(task);
  }

  flush(): void {
    this.#letters.flush();
  }

  withdraw(task: Task): boolean {
    if (this.#exchange.board.has(task)) return this.#exchange.pull.withdraw(task);
    return this.#letters.withdraw(task);
  }

  wake(): void {
    this.#letters.conversation.post([TASKS, []]);
  }

  startedAt(task: Task): number | undefined {
    const begun = this.#begunByDead.get(task);
    if (begun !== undefined) return begun;
    const { board, platform } = this.#exchange;
    if (!board.has(task)) return this.#letters.startedAt(task);
    return board.holder(task) === this.seat ? beganWithin(board.began(task), platform.now()) : undefined;
  }

  hasEndedUnread(task: Task): boolean {
    return (
      this.#endedUnread.has(task) || (!this.#begunByDead.has(task) && this.#letters.hasEndedUnread(task))
    );
  }

  abort(task: Task, reason: unknown): void {
    if (!this.#exchange.board.has(task)) return this.#letters.abort(task, reason);
    this.#letters.conversation.abort(task, reason);
    this.#exchange.board.abort(task); // after the message, so that whoever sees the word finds the reason
  }

  drain(): void {
    this.#letters.drain();
  }

  /** By way of the coordinator, so that the worker hears of it after the last task that it was given. */
  retire(): boolean {
    this.isRetiring = true;
    if (this.#exchange.isDown) this.#letters.conversation.retire();
    else this.#exchange.tell([TO_COORDINATOR.retire, this.seat]);
    return false;
  }

  stop(): void {
    this.#letters.stop();
  }

  adopt(): readonly Task[] {
    const held = this.#exchange.board.heldBy(this.seat);
    for (const task of held) this.#exchange.adopted.add(task);
    return held;
  }

  bury(): void {
    const { board, adopted, links, platform } = this.#exchange;
    for (const task of board.heldBy(this.seat)) {
      this.#begunByDead.set(task, beganWithin(board.began(task), platform.now()));
      if (this.#letters.hasUnread && board.hasEnded(task)) this.#endedUnread.add(task);
      adopted.delete(task);
      board.release(task);
    }
    links.delete(this.seat);
    this.#exchange.tell([TO_COORDINATOR.gone, this.seat]);
  }

  close(): void {
    this.#letters.close();
  }

  /** The worker's end of a line to the coordinator. */
  join(line: unknown): void {
    const word: LineWord = [LINE, line];
    this.#letters.conversation.post(word, [line]);
  }

  /** There is no coordinator any more. */
  stayWithout(): void {
    if (this.isRetiring) this.#letters.conversation.retire();
  }

  #end(id: number): Task | undefined {
    const { board, adopted } = this.#exchange;
    const task = board.find(id);
    if (task === undefined || board.holder(task) !== this.seat) return undefined;
    adopted.delete(task);
    board.release(task);
    return task;
  }
}
