/** The main side of a worker's line over a port. README.md beside this file has the protocol. */
import type { Link, LinkEvents, MainBoard, NewBoard, Platform, Transport } from '../../core/contracts.js';
import { capture, isImmutable, notCloneable, type Payload, unreadable } from '../../core/calls/payload.js';
import type { Task } from '../../core/calls/task.js';
import { KeptMemory } from '../../core/lease.js';
import { fixedByteLengthOf, sightOf, UINT8 } from '../codec/builtins.js';
import { decodeError } from '../codec/error-codec.js';
import { estimateItems } from '../codec/value-memory.js';
import type { About } from '../line.js';
import { PortLink } from '../port-link.js';
import { beganWithin } from '../trust.js';
import { boardByteLength, ClaimBoard } from './claim-board.js';
import { DONE, FAILED, type PostedTask, TASKS, type ToMain } from './protocol.js';

/** A task with arguments of more than about this many bytes is posted alone: its worker need not wait for the other tasks. Chosen by hand. */
const LARGE_BYTES = 2 ** 14;
/** Arrays of at least this many bytes are kept: for shorter ones the system is not asked for memory each time. Chosen by hand. */
const KEPT_FROM_BYTES = 2 ** 16;
const MOST_KEPT = 2 ** 24; // the most that is kept while no call uses it, in bytes; chosen by hand

/** @param newBoard makes the board of one worker, for as many posted tasks as `cells` */
export function messagesWith(newBoard: (cells: number, platform: Platform) => NewBoard): Transport {
  return (platform, linkCapacity) => {
    const kept = new KeptBytes();
    return {
      name: 'message',
      pull: undefined,
      leaseMemory: undefined,
      capture: (_name, args, { transfer }) =>
        (transfer.length === 0 ? kept.capture(args) : undefined) ?? capture(args, transfer, platform.clone),
      connect: (events) => new MessageLink(platform, events, newBoard(linkCapacity, platform)),
      close: () => undefined,
    };
  };
}

/** The transport between threads: they share the claim board. */
export const messageTransport = messagesWith((cells, platform) => {
  const memory = platform.sharedMemory(boardByteLength(cells));
  return { board: new ClaimBoard(memory), memory };
});

/** Captures large bytes in memory that is used again. */
export class KeptBytes {
  readonly #kept = new KeptMemory<Uint8Array>(MOST_KEPT);

  /** Captures arguments. Undefined unless they are one large Uint8Array, which sees all of its buffer, and values that cannot change. */
  capture(given: readonly unknown[]): Payload | undefined {
    const at = given.findIndex((value) => !isImmutable(value));
    const source = given[at];
    if (!isWhole(source) || given.some((value, i) => i !== at && !isImmutable(value))) return undefined;
    const { byteLength } = source;
    const copy = this.#kept.take(byteLength) ?? new Uint8Array(byteLength);
    copy.set(source);
    // What was posted is a copy of its own: a task that still runs does not touch this one.
    const onSettled = (stillRuns: boolean) => (stillRuns ? undefined : this.#kept.keep(copy));
    return { args: given.with(at, copy), transfer: [], onSettled };
  }
}

/** Whether the value is a large Uint8Array that sees all of its buffer, so that nothing but its bytes would have to be copied. */
function isWhole(value: unknown): value is Uint8Array<ArrayBuffer> {
  const sight = ArrayBuffer.isView(value) ? sightOf(value) : undefined;
  if (sight?.kind !== UINT8 || sight.length < KEPT_FROM_BYTES) return false;
  return fixedByteLengthOf(sight.buffer) === sight.length;
}

class MessageLink extends PortLink implements Link {
  readonly pulled = 0;
  readonly #board: MainBoard;
  /** Tasks that were posted and of which no end was heard, by id. */
  readonly #posted = new Map<number, Task>();
  #outbox: PostedTask[] = []; // tasks that are posted in one message at the end of the turn

  constructor(platform: Platform, events: LinkEvents, { board, memory }: NewBoard) {
    super(platform, events, { transport: 'message', memory });
    this.#board = board;
  }

  get room(): number {
    return this.#board.room;
  }

  hasRoomFor(): boolean {
    return this.#board.room > 0;
  }

  send(task: Task): void {
    task.cell = this.#board.post();
    const isFirst = this.#posted.size === 0;
    this.#posted.set(task.id, task);
    const entry: PostedTask = [task.cell, task.id, task.wireName, task.payload.args];
    if (task.moves || estimateItems(task.payload.args) > LARGE_BYTES) {
      this.#flush();
      return this.#post([entry], task.payload.transfer);
    }
    this.#outbox.push(entry);
    // A worker with nothing to do is told at once: this turn may be long. The others can wait for its end.
    if (isFirst) this.#flush();
    else if (this.#outbox.length === 1) this.platform.defer(() => this.#flush());
  }

  withdraw(task: Task): boolean {
    if (!this.#board.withdraw(task.cell)) return false;
    this.#posted.delete(task.id);
    task.cell = -1;
    return true;
  }

  startedAt(task: Task): number | undefined {
    const began = this.#board.beganAt(task.cell);
    return began === undefined ? undefined : beganWithin(began, this.platform.now());
  }

  hasEndedUnread(task: Task): boolean {
    return this.line.unreadCount > 0 && this.#board.hasEnded?.(task.cell) === true;
  }

  override abort(task: Task, reason: unknown): void {
    super.abort(task, reason);
    this.#board.abort(task.cell); // after the message, so that whoever sees the word finds the reason
  }

  override close(): void {
    this.#outbox = [];
    super.close();
    this.#board.close?.();
  }

  // --- the worker takes nothing by itself ---

  forestall(): boolean {
    return true;
  }

  override retire(): boolean {
    return true;
  }

  wake(): void {}

  adopt(): readonly Task[] {
    return [];
  }

  bury(): void {}

  protected override taskOf(id: number): Task | undefined {
    return this.#posted.get(id);
  }

  protected override hear(message: ToMain): void {
    const { events } = this;
    if (message[0] === DONE) this.#finish(message[1], (task) => events.done(task, message[3], message[2]));
    else if (message[0] !== FAILED) super.hear(message);
    else this.#finish(message[1], (task) => events.failed(task, decodeError(message[3]), message[2]));
  }

  protected override unread(about: About, reason: string): void {
    if (about[0] !== TASKS) return super.unread(about, reason);
    this.#refused(about[1] as readonly number[], unreadable('args', reason));
  }

  /** A single task may have made the whole message unreadable: so each task of the message is sent again alone. */
  #refused(cells: readonly number[], error: unknown): void {
    for (const cell of cells) {
      const task = [...this.#posted.values()].find((posted) => posted.cell === cell);
      if (task === undefined) this.#board.pass(cell);
      else if (cells.length > 1) this.#post([[cell, task.id, task.wireName, task.payload.args]]);
      else this.#finish(task.id, () => this.events.failed(task, error, 0));
    }
  }

  #flush(): void {
    const tasks = this.#outbox;
    this.#outbox = []; // first, as an argument may have a getter that makes a call
    if (tasks.length > 0) this.#post(tasks);
  }

  #post(tasks: readonly PostedTask[], transfer?: readonly unknown[]): void {
    const cells = tasks.map(([cell]) => cell);
    try {
      this.tell([TASKS, cells, tasks], transfer);
    } catch (cause) {
      // The port refuses arguments that were captured: they are too long for a pipe, for instance. The calls fail later, because the caller of this
      // method is about to note that they were sent.
      this.platform.defer(() => {
        if (this.isClosed) return;
        this.#refused(cells, notCloneable(cause, undefined, 'args', [], this.platform.clone));
        this.events.settledBatch();
      });
    }
  }

  #finish(id: number, tell: (task: Task) => void): void {
    const task = this.#posted.get(id);
    if (task === undefined) return;
    this.#posted.delete(id);
    this.#board.release(task.cell);
    tell(task);
  }
}
