/** What all calls on the calling thread have in common: who runs now, what code may ask about its task, what is copied. */
import type { ModuleHere, Platform, RunningCall } from '../contracts.js';
import type { Hooks } from '../events/hooks.js';
import { isImmutable, notCloneable } from '../calls/payload.js';
import type { ResolvedRun } from '../calls/run-options.js';
import type { Tracing } from '../events/tracing.js';
import { UserCode } from '../events/user-code.js';

export interface ModuleCallsContext {
  /** What a call without options gets. */
  readonly defaults: ResolvedRun;
  readonly poolName: string;
  readonly platform: Pick<Platform, 'clone'>;
  readonly hooks: Hooks;
  readonly tracing: Tracing;
  callHost(name: string, args: readonly unknown[]): Promise<unknown>;
  report(error: unknown): void;
}

/** `task.workerId` of code on the calling thread. */
export const NO_WORKER = 0;

/** Who runs a function on this thread right now, of whichever pool. No other call begins before that has returned. */
let running: ModuleCalls | undefined;

export class ModuleCalls {
  /** The call that runs right now, once its code has asked about its task. */
  call: RunningCall | undefined;
  /** Makes it. */
  #open: () => RunningCall = () => this.newCall(0, '', this.#context.defaults);
  readonly #context: ModuleCallsContext;
  readonly #module: ModuleHere;
  readonly #userCode = new UserCode();

  constructor(context: ModuleCallsContext, module: ModuleHere) {
    this.#context = context;
    this.#module = module;
  }

  get isAnyRunning(): boolean {
    return running !== undefined;
  }

  /** @param open makes the call, if its code asks about its task */
  begin(open: () => RunningCall): void {
    running = this; // eslint-disable-line @typescript-eslint/no-this-alias -- which one runs, among those of all pools
    this.#open = open;
  }

  /** Inverse of `begin`. */
  end(): void {
    running = undefined;
  }

  /** The call that runs right now. */
  asked(): RunningCall {
    this.call ??= this.#open();
    return this.call;
  }

  /** The same, as far as its code has asked; whoever takes it ends it. */
  take(): RunningCall | undefined {
    const { call } = this;
    this.call = undefined;
    return call;
  }

  /** The function whose code has asked about its task has returned. */
  endCall(): void {
    this.call?.end();
    this.call = undefined;
  }

  /** The call that the code which asks belongs to. */
  current(): RunningCall | undefined {
    if (running === undefined) return this.#module.entered;
    return running === this ? this.asked() : undefined;
  }

  newCall(id: number, name: string, run: ResolvedRun): RunningCall {
    return this.#module.newCall(id, {
      workerId: NO_WORKER,
      pollAbort: () => undefined,
      progress: (_id, value) => this.#progress(id, name, run, value),
      callHost: (host, args) => this.#callHost(host, args),
    });
  }

  /** What the owner gave to take along, as it would arrive in a worker. */
  copyContext(context: unknown): unknown {
    try {
      return isImmutable(context) ? context : this.#module.copy(context);
    } catch (error) {
      this.#context.tracing.refused(error);
      return undefined;
    }
  }

  /** Throws ERR_NOT_CLONEABLE. */
  copyArguments(args: readonly unknown[]): readonly unknown[] {
    try {
      if (args.length === 1) return [this.#module.copy(args[0])];
      return this.#module.copy(args) as readonly unknown[];
    } catch (cause) {
      throw notCloneable(cause, args, 'args', [], this.#context.platform.clone);
    }
  }

  /** What the caller gets of a result. Throws ERR_NOT_CLONEABLE. */
  copyResult(result: unknown, isPure: boolean): unknown {
    if (isImmutable(result) || (isPure && !this.#module.isMoved(result as object))) return result;
    return this.#copy(result, 'result');
  }

  #progress(taskId: number, name: string, { onProgress }: ResolvedRun, given: unknown): void {
    const { hooks, poolName: pool, report } = this.#context;
    const value = this.#copy(given, 'progress');
    hooks.emit('task:progress', { pool, taskId, name, value });
    if (onProgress !== undefined) this.#userCode.call(onProgress, [value], report);
  }

  async #callHost(name: string, args: unknown[]): Promise<unknown> {
    const own = this.#copy(args, 'args') as unknown[];
    try {
      return this.#module.copy(await this.#context.callHost(name, own));
    } catch (error) {
      throw this.#module.copyError(error);
    }
  }

  #copy(value: unknown, name: string): unknown {
    try {
      return this.#module.copy(value);
    } catch (cause) {
      throw notCloneable(cause, value, name, [], this.#context.platform.clone);
    }
  }
}
