/** The coordinator's queue, as main sees it. */
import type { Task } from '../../core/calls/task.js';
import { SharedQueue } from '../shared/main/queue.js';
import type { CoordinatedExchange } from './exchange.js';

export class CoordinatedQueue extends SharedQueue {
  override readonly sorts = true;
  declare protected readonly exchange: CoordinatedExchange;

  override carries(task: Task): boolean {
    const { thread, options } = this.exchange;
    const isSent = options.sendsMoved && task.payload.transfer.length > 0;
    return task.key === undefined && !thread.isDown && !isSent;
  }

  /** An exact number, as it decides whether a worker is needed: tasks that nobody has begun. */
  override get unclaimed(): number {
    const { cells } = this.exchange;
    if (cells.offeredCount === 0) return 0;
    let count = 0;
    for (let cell = 0; cell < cells.usedCount; cell++) if (cells.isUnbegun(cell)) count++;
    return count;
  }

  override offer(task: Task): boolean {
    const cell = this.carries(task) ? this.exchange.cellFor(task) : -1;
    if (cell < 0) return false;
    this.exchange.handOver(task, cell);
    return true;
  }

  override withdrawAll(): Task[] {
    return this.unbegun().filter((task) => this.withdraw(task));
  }

  /** Arguments that were moved to the coordinator are nowhere else: such a task waits there. */
  override pause(): Task[] {
    this.exchange.thread.set({ state: 'paused' });
    return this.unbegun().filter((task) => !task.moves && this.withdraw(task));
  }

  override resume(): void {
    this.exchange.thread.set({ state: 'open' });
  }

  override peek(): Task | undefined {
    return this.unbegun()[0];
  }

  override onReturned(callback: (tasks: readonly Task[]) => void): void {
    this.exchange.onReturned = callback;
  }

  /** Tasks that nobody has begun, the oldest first. @param seat only those that are assigned to it */
  unbegun(seat?: number): Task[] {
    const { cells } = this.exchange;
    const tasks: Task[] = [];
    for (let cell = 0; cell < cells.usedCount; cell++) {
      const isMeant = cells.isUnbegun(cell) && (seat === undefined || cells.assignedTo(cell) === seat);
      const task = isMeant ? cells.taskIn(cell) : undefined;
      if (task !== undefined) tasks.push(task);
    }
    return tasks.sort((a, b) => a.id - b.id);
  }
}
