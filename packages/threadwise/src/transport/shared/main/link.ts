/** The main side of one worker's line through shared memory: its mailbox, what it completed, and its port. */
import type { Link, LinkEvents, Wire } from '../../../core/contracts.js';
import { leaseOf } from '../../../core/lease.js';
import type { Task } from '../../../core/calls/task.js';
import { shapeBookByteLength } from '../../codec/shape-book.js';
import { int32sOf } from '../../codec/value-memory.js';
import { PortLink } from '../../port-link.js';
import { forestall } from '../../stage.js';
import { beganWithin, countWithin, untrue } from '../../trust.js';
import type { MessageToMain } from '../../messages.js';
import { CellPayload } from './cells.js';
import type { SharedExchange } from './exchange.js';
import { MAIL_HEAD, MAIL_TAIL, type SharedMemory, mailPlace, pulledOf, seatByteLength } from '../layout.js';
import { Completed } from './drain.js';
import { ARGUMENTS, RESULT, type ToMain } from '../messages.js';

export class SharedLink extends PortLink implements Link {
  readonly wire: Wire;
  readonly completed: Completed;
  readonly #exchange: SharedExchange;
  readonly seat: number;
  protected readonly own: Int32Array;
  readonly #capacity: number;
  /** Tasks that were sent to this worker and have not ended, by their numbers. */
  readonly #sent = new Map<number, Task>();
  /** Cells of a dead worker that no call holds any more: whether they had begun is yet to be asked. */
  #borrowed: number[] = [];

  constructor(
    exchange: SharedExchange,
    memory: Omit<SharedMemory, 'own' | 'stream' | 'ownShapes'>,
    events: LinkEvents,
    capacity: number,
  ) {
    super(exchange.platform, events);
    const { platform, sizes } = exchange;
    const own = platform.sharedMemory(seatByteLength(sizes));
    const stream = platform.sharedMemory(sizes.stream);
    const ownShapes = platform.sharedMemory(shapeBookByteLength());
    const all: SharedMemory = { ...memory, own, stream, ownShapes };
    this.wire = { transport: exchange.name, port: this.far, memory: all };
    this.#exchange = exchange;
    this.seat = memory.seat;
    this.own = int32sOf(own);
    this.#capacity = capacity;
    this.completed = new Completed(exchange, all, events, this, this.#sent);
  }

  get room(): number {
    return this.#exchange.cells.hasFree ? this.#places : 0;
  }

  hasRoomFor(task: Task): boolean {
    return (task.payload instanceof CellPayload || this.#exchange.cells.hasFree) && this.#places > 0;
  }

  forestall(): boolean {
    return forestall(this.own);
  }

  get #places(): number {
    const { mail } = this.#exchange.sizes;
    const mailed = (Atomics.load(this.own, MAIL_TAIL) - Atomics.load(this.own, MAIL_HEAD)) | 0;
    if (mailed >= 0 && mailed <= mail) return Math.min(this.#capacity - this.#sent.size, mail - mailed);
    this.completed.distrust(untrue('the number of unread mailed tasks', mailed, `0 to ${mail}`));
    return 0;
  }

  get pulled(): number {
    return countWithin(Atomics.load(this.#exchange.board.words, pulledOf(this.seat)), this.#exchange.open);
  }

  send(task: Task): void {
    const { cells, board, sizes, drain } = this.#exchange;
    const cell = this.#exchange.cellFor(task);
    if (cell < 0) throw new Error('threadwise: no free cell for a task that is sent');
    if (cells.isByPort(cell)) {
      const { wireName, payload } = task;
      this.tell([ARGUMENTS, cell, task.id, cells.nextStamp, wireName, argumentsOf(task)], payload.transfer);
    }
    this.#sent.set(task.id, task);
    cells.keep(cell, task);
    const tail = Atomics.load(this.own, MAIL_TAIL);
    this.own[mailPlace(tail, sizes)] = cells.post(cell, task.id, this.seat);
    Atomics.store(this.own, MAIL_TAIL, (tail + 1) | 0);
    board.wake(this.seat);
    drain.expect();
  }

  withdraw(task: Task): boolean {
    if (this.#sent.get(task.id) !== task) return this.#exchange.pull.withdraw(task);
    if (!this.#exchange.cells.withdraw(task.cell)) return false;
    this.#sent.delete(task.id);
    this.#exchange.parked(task);
    return true;
  }

  wake(): void {
    this.#exchange.board.wake(this.seat);
  }

  startedAt(task: Task): number | undefined {
    const { cells, platform } = this.#exchange;
    if (task.cell < 0 || cells.holder(task.cell) !== this.seat) return undefined;
    return beganWithin(cells.began(task.cell), platform.now());
  }

  override abort(task: Task, reason: unknown): void {
    super.abort(task, reason);
    this.#exchange.cells.abort(task.cell); // after the message, so that whoever sees the word finds the reason
  }

  override drain(): void {
    super.drain();
    this.completed.drain(Number.POSITIVE_INFINITY);
  }

  adopt(): readonly Task[] {
    const { cells } = this.#exchange;
    const begun: Task[] = [];
    for (let cell = 0; cell < cells.usedCount; cell++) {
      if (!cells.isOut(cell) || cells.holder(cell) !== this.seat) continue;
      const task = cells.taskIn(cell);
      if (task === undefined || this.#sent.has(task.id)) continue;
      cells.adopt(cell);
      this.#sent.set(task.id, task);
      begun.push(task);
    }
    return begun;
  }

  dismiss(): void {
    this.#exchange.board.dismiss(this.seat);
  }

  /** X2, X3. */
  bury(): void {
    const { cells } = this.#exchange;
    for (const task of this.#sent.values()) {
      const { cell } = task;
      if (cells.withdraw(cell)) {
        this.#exchange.parked(task);
        continue;
      }
      cells.takeBack(cell);
      cells.payload(cell).isSpoilt = true;
      if (cells.payload(cell) !== task.payload) this.#borrowed.push(cell);
    }
    this.#sent.clear();
  }

  override close(): void {
    for (const cell of this.#borrowed) this.#exchange.cells.freeIfHeld(cell);
    super.close();
    this.#exchange.leave(this.seat);
  }

  protected override hear(message: ToMain): void {
    if (message[0] === RESULT) this.completed.post(message[1] as number, message[2]);
    else super.hear(message as MessageToMain);
  }

  protected override taskOf(id: number): Task | undefined {
    const sent = this.#sent.get(id);
    if (sent !== undefined) return sent;
    // Rare enough to be looked for: a task out of the ring that speaks.
    const { cells } = this.#exchange;
    for (let cell = 0; cell < cells.usedCount; cell++) {
      if (cells.isOut(cell) && cells.idIn(cell) === id && cells.holder(cell) === this.seat) {
        return cells.taskIn(cell);
      }
    }
    return undefined;
  }
}

/** What goes over a port where shared memory cannot carry the arguments of a task. */
export function argumentsOf({ payload }: Task): readonly unknown[] {
  return payload.args.map((value) => leaseOf(value)?.bytes ?? value);
}
