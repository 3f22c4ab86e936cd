/** The coordinator's queue, as main sees it. */
import type { PullQueue } from '../../core/contracts.js';
import type { Task } from '../../core/calls/task.js';
import { SharedQueue } from '../shared/main/queue.js';
import type { CoordinatedExchange } from './exchange.js';

export class CoordinatedQueue extends SharedQueue implements PullQueue {
  override readonly sorts = true;
  readonly #exchange: CoordinatedExchange;

  constructor(exchange: CoordinatedExchange) {
    super(exchange);
    this.#exchange = exchange;
  }

  override carries(task: Task): boolean {
    const { isDown, sendsMoved } = this.#exchange;
    return task.key === undefined && !isDown && !(sendsMoved && task.payload.transfer.length > 0);
  }

  /** Exactly, for it decides whether a worker is needed: those that nobody has begun. */
  override get unclaimed(): number {
    const { cells } = this.#exchange;
    if (cells.offeredCount === 0) return 0;
    let count = 0;
    for (let cell = 0; cell < cells.usedCount; cell++) if (cells.isUnbegun(cell)) count++;
    return count;
  }

  override offer(task: Task): boolean {
    if (!this.carries(task)) return false;
    const cell = this.#exchange.cellFor(task);
    if (cell < 0) return false;
    task.cell = cell;
    this.#exchange.handOver(task);
    return true;
  }

  override withdrawAll(): Task[] {
    return this.unbegun().filter((task) => this.withdraw(task));
  }

  /** Arguments that were moved to the coordinator are nowhere else: such a task waits there. */
  override pause(): Task[] {
    this.#exchange.pause('paused');
    return this.unbegun().filter((task) => !task.moves && this.withdraw(task));
  }

  override resume(): void {
    this.#exchange.pause('open');
  }

  override peek(): Task | undefined {
    return this.unbegun()[0];
  }

  override onReturned(callback: (tasks: readonly Task[]) => void): void {
    this.#exchange.onReturned = callback;
  }

  /** Tasks that nobody has begun, the oldest first. */
  unbegun(): Task[] {
    const { cells } = this.#exchange;
    const tasks: Task[] = [];
    for (let cell = 0; cell < cells.usedCount; cell++) {
      const task = cells.isUnbegun(cell) ? cells.taskIn(cell) : undefined;
      if (task !== undefined) tasks.push(task);
    }
    return tasks.sort((a, b) => a.id - b.id);
  }
}
