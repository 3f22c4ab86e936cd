/** A task module on the calling thread: its functions see the same as in a worker, and give the same. */
import type { CallAbout, ModuleHere, TaskFunction } from '../core/contracts.js';
import { ThreadwiseError } from '../core/errors.js';
import type { Clone } from '../core/payload.js';
import { decodeError, encodeError } from '../transport/codec/error-codec.js';
import { estimateItems } from '../transport/codec/estimate.js';
import { memoryOf } from '../transport/codec/value-memory.js';
import { ValueReader } from '../transport/codec/value-reader.js';
import { ValueWriter } from '../transport/codec/value-writer.js';
import { isTransferred, leaveSeat, type RunnerSeat, type TaskContext, takeSeat } from './current.js';
import { readTaskModule } from './task-module.js';

export interface HereContext {
  readonly clone: Clone;
  load(): Promise<Readonly<Record<string, unknown>>>;
}

/** Values that come out larger than that are cloned by the platform. */
const SCRATCH_BYTES = 16 * 1024;

const { AbortController } = globalThis as unknown as { AbortController: new () => { signal: unknown } };

export class Here implements ModuleHere {
  readonly #context: HereContext;
  readonly #writer = new ValueWriter();
  readonly #reader = new ValueReader();
  readonly #scratch = memoryOf(new ArrayBuffer(SCRATCH_BYTES));
  /** The call that runs now, the innermost. */
  #call: unknown;
  #aboutOf: ((call: never) => CallAbout) | undefined;
  /** What its code was given to ask, if it asked. */
  #task: HereTask | undefined;
  readonly #seat: RunnerSeat = { workerId: 0, current: () => this.#current() };

  constructor(context: HereContext) {
    this.#context = context;
  }

  async load(): Promise<ReadonlyMap<string, TaskFunction>> {
    const { tasks } = readTaskModule(await this.#context.load());
    takeSeat(this.#seat);
    return tasks;
  }

  call<C>(run: TaskFunction, args: readonly unknown[], call: C, about: (call: C) => CallAbout): unknown {
    const outer = this.#call;
    const outerAboutOf = this.#aboutOf;
    const outerTask = this.#task;
    this.#call = call;
    this.#aboutOf = about;
    this.#task = undefined;
    try {
      return args.length === 1 ? run(args[0]) : run(...args);
    } finally {
      this.#endTask();
      this.#call = outer;
      this.#aboutOf = outerAboutOf;
      this.#task = outerTask;
    }
  }

  #endTask(): void {
    this.#task?.end();
  }

  leave(): void {
    leaveSeat(this.#seat);
  }

  copy(value: unknown): unknown {
    if (isTransferred(value)) return this.#context.clone(value.value, value.list);
    const end = this.#writer.write(value, this.#scratch, 0, SCRATCH_BYTES);
    return end >= 0 ? this.#reader.read(this.#scratch, 0, end) : this.#context.clone(value);
  }

  copyError(error: unknown): unknown {
    return decodeError(encodeError(error, this.#context.clone));
  }

  sizeOf(values: readonly unknown[]): number {
    return estimateItems(values);
  }

  #current(): TaskContext | undefined {
    if (this.#aboutOf === undefined) return undefined;
    this.#task ??= new HereTask(this.#aboutOf(this.#call as never));
    return this.#task;
  }
}

/** As `RunningTask` on a worker. */
class HereTask implements TaskContext {
  readonly workerId = 0;
  readonly id: number;
  readonly context: unknown;
  readonly #about: CallAbout;
  #isOver = false;
  #signal: unknown;

  constructor(about: CallAbout) {
    this.id = about.id;
    this.context = about.context;
    this.#about = about;
  }

  /** Nobody can abort it before it returns: whoever would, waits for it. */
  get signal(): unknown {
    this.#signal ??= new AbortController().signal;
    return this.#signal;
  }

  progress(value: unknown): void {
    if (!this.#isOver) this.#about.progress(value);
  }

  callHost(name: string, args: unknown[]): Promise<unknown> {
    if (!this.#isOver) return this.#about.callHost(name, args);
    const message = `task.host.${name} was called after its task had ended`;
    return Promise.reject(new ThreadwiseError('ERR_OUTSIDE_TASK', message));
  }

  end(): void {
    this.#isOver = true;
  }
}
