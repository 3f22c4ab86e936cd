/** A task module on the calling thread: its functions see the same as in a worker, and give the same. */
import type { CallHost, LoadedModule, ModuleHere, RunningCall, TaskFunction } from '../core/contracts.js';
import type { Clone } from '../core/calls/payload.js';
import { decodeError, encodeError } from '../transport/codec/error-codec.js';
import { estimateItems } from '../transport/codec/estimate.js';
import { copyPlain } from '../transport/codec/plain-copy.js';
import { isTaskAsked, isTransferred, leaveSeat, type RunnerSeat, takeSeat } from './current.js';
import { RunningTask } from './running-task.js';
import { readTaskModule } from './task-module.js';

export interface HereContext {
  readonly clone: Clone;
  load(): Promise<Readonly<Record<string, unknown>>>;
  /** Remembers a call for whatever its code starts, also later (AsyncLocalStorage). */
  newStore(): CallStore;
}

export interface CallStore {
  run<T>(call: unknown, run: (...args: unknown[]) => T, ...args: unknown[]): T;
  getStore(): unknown;
}

export class Here implements ModuleHere {
  readonly #context: HereContext;
  /** Made when first needed: on Node.js 20 and 22 it makes every promise of the thread slower. */
  #store: CallStore | undefined;
  #seat: RunnerSeat | undefined;

  constructor(context: HereContext) {
    this.#context = context;
  }

  async load(): Promise<LoadedModule> {
    return readTaskModule(await this.#context.load());
  }

  serve(current: () => RunningCall | undefined): void {
    this.#seat = { workerId: 0, current: () => current() as RunningTask | undefined };
    takeSeat(this.#seat);
  }

  leave(): void {
    if (this.#seat !== undefined) leaveSeat(this.#seat);
  }

  newCall(id: number, host: CallHost): RunningCall {
    return new RunningTask(id, 0, host);
  }

  get isAsked(): boolean {
    return isTaskAsked();
  }

  enter(call: RunningCall, run: TaskFunction, args: readonly unknown[]): unknown {
    this.#store ??= this.#context.newStore();
    return this.#store.run(call, run, ...args);
  }

  get entered(): RunningCall | undefined {
    return this.#store?.getStore() as RunningCall | undefined;
  }

  copy(value: unknown): unknown {
    const { clone } = this.#context;
    return isTransferred(value) ? clone(value.value, value.list) : copyPlain(value, clone);
  }

  isMoved(value: object): boolean {
    return isTransferred(value);
  }

  copyError(error: unknown): unknown {
    return decodeError(encodeError(error, this.#context.clone));
  }

  sizeOf(values: readonly unknown[]): number {
    return estimateItems(values);
  }
}
