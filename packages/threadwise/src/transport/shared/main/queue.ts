/** The queue that workers pull from by themselves, as main sees it. */
import type { Link, PullQueue } from '../../../core/contracts.js';
import type { Task } from '../../../core/calls/task.js';
import { countWithin } from '../../trust.js';
import type { SharedExchange } from './exchange.js';
import { cellOf, ringSize } from '../layout.js';

export class SharedQueue implements PullQueue {
  readonly sorts: boolean = false;
  giveBack: (tasks: readonly Task[]) => void = () => undefined;
  protected readonly exchange: SharedExchange;

  constructor(exchange: SharedExchange) {
    this.exchange = exchange;
  }

  carries({ payload }: Task): boolean {
    return payload.byPort !== true && payload.transfer.length === 0;
  }

  get open(): number {
    return this.exchange.cells.offeredCount;
  }

  get unclaimed(): number {
    const { board, sizes } = this.exchange;
    return countWithin(board.length, ringSize(sizes));
  }

  get hasRoom(): boolean {
    return this.exchange.cells.hasFree;
  }

  offer(task: Task): boolean {
    const { cells, drain } = this.exchange;
    const cell = this.carries(task) ? this.exchange.cellFor(task) : -1;
    if (cell < 0) return false;
    task.cell = cell;
    if (cells.isByPort(cell) && !this.sendArguments(task)) {
      this.exchange.parked(task);
      return false;
    }
    cells.keep(cell, task);
    this.exchange.hint(cells.post(cell, task.id, -1, task.priority));
    drain.expect();
    return true;
  }

  /** False: there is no coordinator here that arguments by port could be sent to. */
  protected sendArguments(_task: Task): boolean {
    return false;
  }

  withdraw(task: Task): boolean {
    const { cells } = this.exchange;
    if (task.cell < 0 || cells.taskIn(task.cell) !== task || !cells.withdraw(task.cell)) return false;
    this.exchange.parked(task);
    return true;
  }

  /** Claims all hints, so that none is left when the tasks come again in another order. */
  withdrawAll(): Task[] {
    const tasks = [...this.exchange.claimAll()].map((hint) => this.#taskOf(hint));
    return tasks.filter((task) => this.withdraw(task));
  }

  pause(): Task[] {
    return this.withdrawAll(); // a task that moves its arguments is never offered here
  }

  resume(): void {}

  holder(task: Task): Link | undefined {
    const { cells, links } = this.exchange;
    if (task.cell < 0 || cells.taskIn(task.cell) !== task) return undefined;
    return links.get(cells.holder(task.cell));
  }

  peek(): Task | undefined {
    for (const hint of this.exchange.offeredHints()) return this.#taskOf(hint);
    return undefined;
  }

  #taskOf(hint: number): Task {
    return this.exchange.cells.taskIn(cellOf(hint))!;
  }
}
