/** The calls of a task to tasks of its own pool: each goes to an idle worker, or runs on this thread. Main's end: `core/calls/forks.ts`. */
import { type Fork, FORK_HOST } from '../core/calls/forks.js';
import { type ErrorTexts, type RanWithin, textsOf } from '../metrics/functions.js';
import type { CallHost } from '../core/contracts.js';
import { list, text } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { promised } from '../core/promised.js';

interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly promise: Promise<unknown>;
  readonly resolve: (result: unknown) => void;
}

/** The last number that was given to a call, for all tasks of this thread. */
let count = 0;

export class Forks {
  readonly #host: CallHost;
  /** Calls that have not begun, on this thread or on another. */
  readonly #waiting: Call[] = [];
  /** The numbers of the calls that other workers have. */
  readonly #given = new Set<number>();
  /** The calls that ran on this thread and that main was not told of yet, by function. */
  readonly #ran = new Map<string, RanWithin>();
  #isBusy = false;
  #isOver = false;
  #isAborted = false;

  constructor(host: CallHost) {
    this.#host = host;
  }

  /** Rejects with what the task throws, ERR_TASK_NOT_FOUND, ERR_NOT_CLONEABLE and ERR_OPTION. */
  run(name: string, args: readonly unknown[]): Promise<unknown> {
    const { promise, resolve } = promised<unknown>();
    try {
      this.#host.find(text('name', name));
      this.#waiting.push({ name, args: list('args', this.#host.copy(args, 'args')), promise, resolve });
      if (!this.#isBusy) void this.#serve();
    } catch (error) {
      resolve(Promise.reject(error));
    }
    return promise;
  }

  /** Called when the task ends. Refuses its calls that have not begun: their code would take the next task for its own. */
  end(): void {
    this.#isOver = true;
    for (const call of this.#waiting.splice(0)) call.resolve(this.#runHere(call));
    this.#tellRan();
  }

  /** Called when the task is aborted. Refuses its calls that have not begun, and aborts those that other workers have. */
  abort(reason: unknown): void {
    this.#isAborted = true;
    for (const { name, promise, resolve } of this.#waiting.splice(0)) {
      promise.catch(() => undefined); // as in `#runHere`
      const message = `task.run('${name}') was aborted before it began, with the task that called it`;
      resolve(Promise.reject(new ThreadwiseError('ERR_TASK_ABORTED', message, { cause: reason })));
    }
    for (const number of this.#given) void this.#ask(['abort', number]);
  }

  /** Gives a call to each idle worker, runs one here, and begins anew. It does not wait for the calls that it has given away. */
  async #serve(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const room = (await this.#ask(['room'])) as number;
      for (const call of this.#waiting.splice(0, room)) call.resolve(this.#give(call));
      const own = this.#waiting.shift();
      own?.resolve(this.#runHere(own));
    }
    this.#isBusy = false;
  }

  async #give(call: Call): Promise<unknown> {
    const number = ++count;
    this.#given.add(number);
    try {
      const result = await this.#ask(['run', number, call.name, call.args]);
      return result === undefined ? this.#runHere(call) : (result as [unknown])[0];
    } catch (error) {
      this.#failed(call);
      throw error;
    } finally {
      this.#given.delete(number);
    }
  }

  async #runHere(call: Call): Promise<unknown> {
    const { name, args, promise } = call;
    if (this.#isOver) {
      // Where nobody handles this rejection, it would end the worker, and with it the tasks of others.
      promise.catch(() => undefined);
      const message = `task.run('${name}') was not awaited: the task that called it had ended before it began`;
      throw new ThreadwiseError('ERR_OUTSIDE_TASK', message);
    }
    const begin = this.#host.now(); // tasks may replace the global `performance`
    let error: ErrorTexts | undefined;
    try {
      return this.#host.copy(await this.#host.find(name)(...args), 'result');
    } catch (thrown) {
      error = textsOf(thrown);
      this.#failed(call);
      throw thrown;
    } finally {
      const { calls = 0, failed = 0, ms = 0, lastError } = this.#ran.get(name) ?? {};
      this.#ran.set(name, {
        name,
        calls: calls + 1,
        failed: failed + (error === undefined ? 0 : 1),
        ms: ms + this.#host.now() - begin,
        lastError: error ?? lastError,
      });
      if (this.#isOver) this.#tellRan();
    }
  }

  /** A task that is aborted may end with the first of its calls, before it has waited for the others. As in `#runHere`, these must not end the worker. */
  #failed({ promise }: Call): void {
    if (this.#isAborted) promise.catch(() => undefined);
  }

  /** Tells main of all calls that this thread has run for the task. Sent before the task's result, so that its caller finds them in the statistics. */
  #tellRan(): void {
    if (this.#ran.size === 0) return;
    void this.#ask(['ran', [...this.#ran.values()]]);
    this.#ran.clear();
  }

  #ask(fork: Fork): Promise<unknown> {
    return this.#host.callHost(FORK_HOST, [...fork]);
  }
}
