/** A strategy that can be exchanged for another while the pool runs. */
import type { Choice, TaskView, WorkerView } from './contracts.js';

export class LiveChoice implements Choice {
  current: Choice;

  constructor(first: Choice) {
    this.current = first;
  }

  get name(): string {
    return this.current.name;
  }

  choose(task: TaskView, candidates: readonly WorkerView[]): WorkerView {
    return this.current.choose(task, candidates);
  }
}
