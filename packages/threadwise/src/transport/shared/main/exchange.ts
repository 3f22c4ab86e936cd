/** The part of the transport that all lines of a pool share: the cells, the ring that workers pull from, the arena, and the seats. */
import type { Exchange, LinkEvents, PlainWay, Platform, Transport } from '../../../core/contracts.js';
import { type LeaseMemory, leaseOf } from '../../../core/lease.js';
import { capture, notCloneable, type Payload } from '../../../core/calls/payload.js';
import type { ResolvedRun } from '../../../core/calls/run-options.js';
import type { Task } from '../../../core/calls/task.js';
import { encodeError } from '../../codec/error-codec.js';
import { ShapeWriter } from '../../codec/shape-book.js';
import { BOOK_BYTES } from '../../codec/tags.js';
import { ValueWriter } from '../../codec/value-writer.js';
import { areBuffersWithin } from '../../codec/builtins.js';
import { Arena, leaseMemory, numbersOfUserMemory } from './arena.js';
import { Board, RunTimes, Waker } from '../board.js';
import { CellPayload, isLease } from './cell-payload.js';
import { Cells } from './cells.js';
import { Drain } from './drain.js';
import * as L from '../layout.js';
import { SharedLink } from './link.js';
import { SharedQueue } from './queue.js';
import { ARGUMENTS, NAMED, type Posted, SEGMENT } from '../messages.js';

/** How many names workers keep. Further names go with each task: a program that makes up names must not fill the memory of workers. */
const MAX_NAMES = 4096;
/** The share of the memory that the process may use which a pool's arena may grow to. */
const ARENA_SHARE = 0.5;
/** How many bytes of memory the process is assumed to have where that is unknown. */
const UNKNOWN_MEMORY_BYTES = 2 * 2 ** 30;
/** How many further tasks of a burst are offered without asking whether to wake a worker, once a task needed none. Chosen by hand. */
const SPARED = 16;

export function sharedTransport(sizes: Omit<L.Sizes, 'mail'> = L.SIZES): Transport {
  return (platform, linkCapacity) => new SharedExchange(platform, sizes, linkCapacity);
}

export class SharedExchange implements Exchange, PlainWay {
  readonly name: string = 'shared';
  readonly pull: SharedQueue;
  readonly plain: PlainWay = this;
  readonly platform: Platform;
  readonly sizes: L.Sizes;
  readonly linkCapacity: number;
  readonly board: Board;
  readonly cells: Cells;
  readonly arena: Arena;
  readonly leaseMemory: LeaseMemory;
  readonly drain: Drain;
  readonly links = new Map<number, SharedLink>();
  readonly runTimes = new RunTimes();
  readonly waker: Waker;
  /** Copies of the board's words TAIL and SEATS_USED, which only main writes. */
  tail = 0;
  #seatsUsed = 0;
  /** The position up to which the ring has room, by main's last look at HEAD. */
  #roomUntil: number;
  readonly #mainShapes: ArrayBufferLike;
  /** The function of the last plain call, and its number: most programs call the same function again and again. */
  #lastName: string | undefined;
  #lastNameId = -1;
  readonly #nameIds = new Map<string, number>();
  /** Removes the callback for the end of the process, which is there while there are workers. */
  #forgetExit: () => void = () => undefined;
  /** Seats that were left; the others are given out in order. */
  readonly #freeSeats: number[] = [];

  /** @param linkCapacity how many tasks can be sent to one worker before they end */
  constructor(platform: Platform, given: Omit<L.Sizes, 'mail'>, linkCapacity: number) {
    const sizes = { ...given, mail: 2 ** Math.ceil(Math.log2(linkCapacity)) };
    this.platform = platform;
    this.sizes = sizes;
    this.linkCapacity = linkCapacity;
    this.#roomUntil = L.ringSize(sizes);
    this.#mainShapes = platform.sharedMemory(BOOK_BYTES);
    this.board = new Board(platform.sharedMemory(L.boardByteLength(sizes)));
    this.waker = new Waker(this.board, this.runTimes, platform.burstNow, SPARED);
    this.arena = new Arena({
      allocate: platform.sharedMemory,
      onSegment: (index, buffer) => this.tellSegment(index, buffer),
      maxBytes: () => (platform.memory()?.limitBytes ?? UNKNOWN_MEMORY_BYTES) * ARENA_SHARE,
      reclaim: () => [...this.links.values()].filter((link) => link.reclaim() > 0).length > 0,
      timer: platform.timer,
    });
    this.leaseMemory = leaseMemory(this.arena);
    const numberOf = numbersOfUserMemory(this.arena, platform.clone);
    const values = new ValueWriter(new ShapeWriter(this.#mainShapes), numberOf);
    this.cells = new Cells(platform.sharedMemory(sizes.cells * L.CELL_BYTES), values, this.arena);
    this.drain = new Drain(this);
    this.pull = this.newQueue();
  }

  /** G1, G2. @param buffer undefined: the segment is about to be given back */
  protected tellSegment(index: number, buffer: ArrayBufferLike | undefined): void {
    this.#tellAll([SEGMENT, index, buffer]);
    Atomics.add(this.board.words, L.SEGMENTS_TOLD, 1); // after the messages: a worker that sees this finds the message in its port
    if (buffer === undefined) this.platform.collectSoon(this.arena.segments[index]!);
  }

  protected newQueue(): SharedQueue {
    return new SharedQueue(this);
  }

  protected newLink(memory: L.SharedMemory, events: LinkEvents): SharedLink {
    return new SharedLink(this, memory, events);
  }

  enter(name: string, args: readonly unknown[], id: number): number {
    if (name !== this.#lastName) {
      // The admission says what is wrong with a name that only looks like one that crosses.
      this.#lastNameId = name.includes('\0') ? -1 : this.nameId(name);
      this.#lastName = name;
    }
    const hint = this.#lastNameId < 0 ? -1 : this.cells.enter(this.#lastNameId, args, id);
    if (hint < 0) return -1;
    this.hint(hint);
    this.drain.expect();
    return L.cellOf(hint);
  }

  settleUp(): void {
    this.drain.settleUp();
  }

  capture(name: string, args: readonly unknown[], run: ResolvedRun): Payload {
    const { transfer, retries } = run;
    const { clone, detach } = this.platform;
    const isMoved = transfer.length > 0;
    const isCopied = !isMoved || areBuffersWithin(this.sizes.copied?.arguments ?? -1, transfer);
    const nameId = isCopied ? this.nameId(name) : -1;
    const hasCell = this.cells.hasSpare;
    if (nameId >= 0 && hasCell) {
      // Copied before the arguments are written, because writing ends with a look whether a getter has released a lease. Structured clone
      // refuses some values that the codec writes: a proxy, for instance.
      const kept = retries > 0 ? this.#copyForRetries(args) : undefined;
      const cell = this.cells.write(nameId, args, isMoved);
      if (cell >= 0) {
        try {
          if (isMoved) detach(transfer); // the caller loses the buffers
        } catch (cause) {
          this.cells.freeIfHeld(cell);
          throw notCloneable(cause, args, 'args', transfer, clone);
        }
        const payload = this.cells.payload(cell);
        if (kept !== undefined) payload.args = kept;
        payload.lend();
        return payload;
      }
    }
    const copied = capture(args, transfer, clone);
    return hasCell ? { ...copied, byPort: true } : copied;
  }

  /** Copies the arguments, but not leases: their memory is the same the next time. */
  #copyForRetries(args: readonly unknown[]): readonly unknown[] {
    const others = args.map((value) => (isLease(value) ? undefined : value));
    const copies = capture(others, [], this.platform.clone).args;
    return args.map((value, i) => (isLease(value) ? value : copies[i]));
  }

  connect(events: LinkEvents): SharedLink {
    const seat = this.#freeSeats.at(-1) ?? this.#seatsUsed;
    if (seat >= L.SEATS) throw new Error(`threadwise: a pool has at most ${L.SEATS} workers at a time`);
    const { platform, sizes } = this;
    // Throws where there is no memory: then the seat is as free as before.
    const memory: L.SharedMemory = {
      sizes,
      seat,
      board: this.board.words.buffer,
      cells: this.cells.words.buffer,
      mainShapes: this.#mainShapes,
      own: platform.sharedMemory(L.seatByteLength(sizes)),
      stream: platform.sharedMemory(sizes.stream),
      ownShapes: platform.sharedMemory(BOOK_BYTES),
      segments: this.arena.segments,
      names: [...this.#nameIds.keys()],
    };
    const { words } = this.board;
    this.#freeSeats.pop();
    this.#seatsUsed = Math.max(this.#seatsUsed, seat + 1);
    Atomics.store(words, L.SEATS_USED, this.#seatsUsed);
    Atomics.store(words, L.dismissedOf(seat), 0);
    this.board.refresh();
    if (this.links.size === 0) this.#forgetExit = platform.atExit(() => this.dismissAll());
    const link = this.newLink(memory, events);
    this.links.set(seat, link);
    Atomics.store(words, L.SEATS_TAKEN, this.links.size);
    return link;
  }

  /** Called at the end of the process, where Node ends the threads one by one: those that still run would wake others that are being ended. */
  protected dismissAll(): void {
    for (const seat of this.links.keys()) this.board.dismiss(seat);
  }

  /** X3, X4: the seat's worker is gone. Its claims are given out anew. */
  leave(seat: number): void {
    const { words } = this.board;
    const count = Math.min(L.MAX_CLAIM, Atomics.load(words, L.claimedOf(seat)));
    Atomics.store(words, L.claimedOf(seat), 0);
    for (let i = 0; i < count; i++) {
      const hint = words[L.claimsOf(seat) + i]!;
      if (this.cells.isOffered(hint)) this.hint(hint);
    }
    for (const mask of [L.PARKED, L.SPINNING, L.DOZING, L.RESERVED]) this.board.clear(mask, seat);
    Atomics.store(words, L.pulledOf(seat), 0);
    this.links.delete(seat);
    if (this.links.size === 0) this.#forgetExit();
    Atomics.store(words, L.SEATS_TAKEN, this.links.size);
    this.freeSeat(seat);
    // X5, X6: the worker may have died after it had chosen a thread to wake, and before it woke that thread.
    for (const living of this.links.keys()) {
      this.board.clear(L.DOZING, living);
      this.board.wakeAgain(living);
    }
    this.drain.expect();
  }

  protected freeSeat(seat: number): void {
    this.#freeSeats.push(seat);
  }

  /** O4, O5: tells all workers. @param hint of what was posted */
  hint(hint: number): void {
    const { words } = this.board;
    if (this.tail === this.#roomUntil) this.#makeRoom();
    words[L.ringPlace(this.tail, this.sizes)] = hint;
    this.tail = (this.tail + 1) | 0;
    Atomics.store(words, L.TAIL, this.tail);
    this.callForTask();
  }

  protected callForTask(): void {
    this.waker.call();
  }

  /** The position of the first unclaimed hint. If the word cannot be true, a task has overwritten it: then all that the ring holds counts. */
  get #head(): number {
    const head = Atomics.load(this.board.words, L.HEAD);
    const size = L.ringSize(this.sizes);
    return (this.tail - head) >>> 0 <= size ? head : (this.tail - size) | 0;
  }

  /** The hints in the ring whose tasks no worker has begun. */
  *offeredHints(): Generator<number> {
    const { tail } = this;
    for (let at = this.#head; at !== tail; at = (at + 1) | 0) {
      const hint = this.board.words[L.ringPlace(at, this.sizes)]!;
      if (this.cells.isOffered(hint)) yield hint;
    }
  }

  /** Main claims all hints. Returns those whose tasks no worker has begun. */
  claimAll(): Set<number> {
    const { words } = this.board;
    for (;;) {
      const head = Atomics.load(words, L.HEAD);
      const hints = new Set(this.offeredHints());
      if (Atomics.compareExchange(words, L.HEAD, head, this.tail) === head) return hints;
    }
  }

  /** If the ring is full, most hints are old, as there are only half as many cells: main claims all, and puts back those that are not. */
  #makeRoom(): void {
    const size = L.ringSize(this.sizes);
    this.#roomUntil = (this.#head + size) | 0;
    if (this.tail !== this.#roomUntil) return;
    const hints = this.claimAll();
    this.#roomUntil = (this.tail + size) | 0;
    for (const hint of hints) this.hint(hint);
  }

  close(): Promise<void> | undefined {
    this.drain.close();
    const { reservedBytes } = this.arena;
    this.platform.defer(() => this.platform.collectShared(reservedBytes));
    this.arena.close();
    return undefined;
  }

  /** The cell for a task: the one that it was captured into, or one that is borrowed until it comes back, perhaps `isByPort`. -1: none is free. */
  cellFor(task: Task): number {
    const { payload } = task;
    if (payload instanceof CellPayload) {
      this.cells.rewrite(payload);
      return payload.cell;
    }
    const nameId = payload.byPort || payload.transfer.length > 0 ? -1 : this.nameId(task.wireName);
    const borrowed = nameId < 0 ? -1 : this.cells.write(nameId, payload.args);
    return borrowed < 0 ? this.cells.reserve() : borrowed;
  }

  /** Posts arguments by port. A port may refuse what was captured: then the worker hears why, and fails the task. */
  postArguments(task: Task, cell: number, post: (posted: Posted) => void): void {
    const { clone } = this.platform;
    const { transfer } = task.payload;
    const args = task.payload.args.map((value) => leaseOf(value)?.lentBytes ?? value);
    const about = [ARGUMENTS, cell, L.idWord(task.id), this.cells.nextStamp, task.wireName] as const;
    try {
      post([...about, transfer, args]);
    } catch (cause) {
      post([...about, [], encodeError(notCloneable(cause, args, 'args', transfer, clone), clone)]);
    }
  }

  /** Main has the cell of the task again, and does not post it at once. */
  parked(task: Task): void {
    if (!(task.payload instanceof CellPayload)) this.cells.freeIfHeld(task.cell);
    task.cell = -1;
  }

  nameId(name: string): number {
    const known = this.#nameIds.get(name);
    if (known !== undefined) return known;
    if (this.#nameIds.size >= MAX_NAMES) return -1;
    const id = this.#nameIds.size;
    this.#nameIds.set(name, id);
    this.#tellAll([NAMED, id, name]);
    return id;
  }

  #tellAll(word: readonly unknown[]): void {
    for (const link of this.links.values()) link.tell(word);
  }
}
