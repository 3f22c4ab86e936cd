/** One task while it runs: the context that `threadwise/worker` gives to its code. */
import { AbortController, type Controller } from '../core/calls/signals.js';
import type { CallHost } from '../core/contracts.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { Forks } from './forks.js';

export class RunningTask {
  id: number;
  cell: number;
  /** Larger than that of each task within which this one is called; 0: it is a worker's. */
  readonly order: number;
  context: unknown;
  /** Why main could not read a message of the task: the caller gets this error instead of a result. */
  fault: unknown;
  /** Whether the task has ended: from then on nothing is sent for it. */
  isOver = false;
  isAborted = false;
  readonly #host: CallHost;
  /** Made when the signal is first asked for, or is to be aborted: most tasks do neither. */
  #controller: Controller | undefined;
  #forks: Forks | undefined;

  constructor(id: number, cell: number, host: CallHost, order = 0) {
    this.id = id;
    this.cell = cell;
    this.order = order;
    this.#host = host;
  }

  /** Makes this the context of another task. Returns false if it cannot be: code of the former task may still hold its signal. */
  reuse(id: number, cell: number): boolean {
    if (this.#controller !== undefined) return false;
    this.id = id;
    this.cell = cell;
    this.context = undefined;
    this.isOver = false;
    this.#forks = undefined;
    return true;
  }

  get workerId(): number {
    return this.#host.workerId;
  }

  get signal(): unknown {
    return this.#ownController().signal;
  }

  abort(reason: unknown): void {
    this.isAborted = true;
    this.#ownController().abort(reason);
    this.#forks?.abort(reason);
  }

  /**
   * Who asks whether the signal is aborted looks for an abort first, so that a loop which never awaits sees it. Nothing else does: an abort
   * that came between this question and `addEventListener` would be told to nobody.
   */
  #ownController(): Controller {
    if (this.#controller !== undefined) return this.#controller;
    const controller = new AbortController();
    const { signal } = controller;
    const look = () => {
      if (!this.isOver) this.#host.pollAbort(this);
      return this.isAborted;
    };
    const throwIfAborted = () => {
      if (look()) throw signal.reason;
    };
    Object.defineProperties(signal, { aborted: { get: look }, throwIfAborted: { value: throwIfAborted } });
    return (this.#controller = controller);
  }

  progress(value: unknown): void {
    if (!this.isOver && !this.isAborted) this.#host.progress(this.id, value); // the caller of an aborted task hears no more of it
  }

  /** A copy of a value, as it would cross. Throws ERR_NOT_CLONEABLE. */
  copy(value: unknown): unknown {
    return this.#host.copy(value, 'value');
  }

  callHost(name: string, args: unknown[], transfer?: readonly unknown[]): Promise<unknown> {
    return this.isOver ? tooLate(`task.host.${name}`) : this.#host.callHost(name, args, transfer);
  }

  run(name: string, args: readonly unknown[]): Promise<unknown> {
    if (this.isOver) return tooLate('task.run');
    this.#forks ??= new Forks(this.#host);
    return this.#forks.run(name, args);
  }

  end(): void {
    this.isOver = true;
    this.#forks?.end();
  }
}

async function tooLate(what: string): Promise<never> {
  throw new ThreadwiseError('ERR_OUTSIDE_TASK', `${what} was called after its task had ended`);
}
