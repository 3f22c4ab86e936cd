/** The calls that one task makes of tasks of its own pool: each is given to a worker that is idle, or runs right here. Main's end: `core/calls/forks.ts`. */
import { type Fork, FORK_HOST } from '../core/calls/forks.js';
import type { CallHost } from '../core/contracts.js';
import { promised } from '../core/promised.js';

interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly resolve: (result: unknown) => void;
}

/** Numbers the calls of all tasks of this thread. */
let count = 0;

export class Forks {
  readonly #host: CallHost;
  /** Calls that have begun nowhere. */
  readonly #waiting: Call[] = [];
  /** The numbers of those that other workers have. */
  readonly #given = new Set<number>();
  #isBusy = false;

  constructor(host: CallHost) {
    this.#host = host;
  }

  /** Rejects with what the task throws, ERR_TASK_NOT_FOUND and ERR_NOT_CLONEABLE. */
  async run(name: string, args: readonly unknown[]): Promise<unknown> {
    this.#host.find(name);
    const { promise, resolve } = promised<unknown>();
    this.#waiting.push({ name, args: this.#host.copy(args, 'args') as unknown[], resolve });
    if (!this.#isBusy) void this.#serve();
    return promise;
  }

  /** The task is not wanted any more: what it has called is not, either. */
  abort(): void {
    for (const number of this.#given) void this.#ask(['abort', number]);
  }

  /** Gives away as many as there are idle workers, then runs one here, and so on: what others have begun, this thread need not wait for. */
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

  async #give({ name, args }: Call): Promise<unknown> {
    const number = ++count;
    this.#given.add(number);
    try {
      const result = await this.#ask(['run', number, name, args]);
      return result === undefined ? this.#runHere({ name, args }) : (result as [unknown])[0];
    } finally {
      this.#given.delete(number);
    }
  }

  async #runHere({ name, args }: Pick<Call, 'name' | 'args'>): Promise<unknown> {
    return this.#host.copy(await this.#host.find(name)(...args), 'result');
  }

  #ask(fork: Fork): Promise<unknown> {
    return this.#host.callHost(FORK_HOST, [...fork]);
  }
}
