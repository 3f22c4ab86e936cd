/** The coordinator's queue, as main sees it. */
import type { Link, PullQueue } from '../../core/contracts.js';
import type { Task } from '../../core/task.js';
import type { CoordinatedExchange } from './exchange.js';

export class CoordinatedQueue implements PullQueue {
  readonly sorts = true;
  readonly #exchange: CoordinatedExchange;

  constructor(exchange: CoordinatedExchange) {
    this.#exchange = exchange;
  }

  carries(task: Task): boolean {
    const { isDown, sendsMoved } = this.#exchange;
    return task.key === undefined && !isDown && !(sendsMoved && task.payload.transfer.length > 0);
  }

  get open(): number {
    return this.#exchange.board.size - this.#exchange.adopted.size;
  }

  get unclaimed(): number {
    return this.#exchange.board.postedCount;
  }

  get hasRoom(): boolean {
    return this.#exchange.board.hasFree;
  }

  offer(task: Task): boolean {
    if (!this.carries(task) || !this.hasRoom) return false;
    this.#exchange.handOver(task);
    return true;
  }

  withdraw(task: Task): boolean {
    const ticket = this.#exchange.board.withdraw(task);
    if (ticket === undefined) return false;
    this.#exchange.forget(ticket);
    return true;
  }

  withdrawAll(): Task[] {
    return this.#exchange.board.posted().filter((task) => this.withdraw(task));
  }

  /** Arguments that were moved to the coordinator are nowhere else: such a task waits there. */
  pause(): Task[] {
    this.#exchange.pause('paused');
    return this.#exchange.board.posted().filter((task) => !task.moves && this.withdraw(task));
  }

  resume(): void {
    this.#exchange.pause('open');
  }

  holder(task: Task): Link | undefined {
    return this.#exchange.links.get(this.#exchange.board.holder(task));
  }

  peek(): Task | undefined {
    return this.#exchange.board.posted()[0];
  }

  onReturned(callback: (tasks: readonly Task[]) => void): void {
    this.#exchange.onReturned = callback;
  }
}
