/** The seam to the task module: what a worker says of it, and running its functions on the calling thread. */

export type TaskFunction = (...args: unknown[]) => unknown;

/** What decides how a module's functions may run on the calling thread. Cloneable. */
export interface ModuleTraits {
  /** The functions that placement 'auto' may run there: without any, it does not even load the module there. */
  readonly functions: readonly string[];
  /** The functions that 'auto' may not run there. */
  readonly others: readonly (readonly [name: string, why: string])[];
}

/** A module that is loaded. Implemented by `runner/task-module.ts`. */
export interface LoadedModule {
  readonly names: readonly string[];
  readonly tasks: ReadonlyMap<string, TaskFunction>;
  readonly traits: ModuleTraits;
  /** The functions that neither keep nor change their arguments: on the calling thread nothing is copied for them. */
  readonly pure: readonly string[];
  /** Finds a function by its name as it crosses; for a stream, the function that hands its values over. Throws ERR_TASK_NOT_FOUND. */
  find(wireName: string): TaskFunction;
  /** Undefined: it registers no classes. */
  readonly instances: Instances | undefined;
  readonly setup: TaskFunction | undefined;
  readonly teardown: TaskFunction | undefined;
}

/** One call while it runs: it answers what the call's code asks about the task. Implemented by `runner/running-task.ts`. */
export interface RunningCall {
  /** What the pool's `onTaskStart` returned for it. */
  context: unknown;
  abort(reason: unknown): void;
  /** The call is over: from now on nothing is sent for it. */
  end(): void;
}

/** What a running call needs of the code that runs it. */
export interface CallHost {
  readonly workerId: number;
  now(): number;
  /** Called when code of the call asks whether its signal is aborted. */
  pollAbort(call: RunningCall): void;
  progress(id: number, value: unknown): void;
  callHost(name: string, args: unknown[], transfer?: readonly unknown[]): Promise<unknown>;
  /** A function of the module. Throws ERR_TASK_NOT_FOUND. */
  find(name: string): TaskFunction;
  /** Returns the value as it would arrive if it crossed. Throws ERR_NOT_CLONEABLE, which calls the value `name`. */
  copy(value: unknown, name: string): unknown;
}

/** A task module on the calling thread. Implemented by `runner/here.ts`. */
export interface ModuleHere {
  load(): Promise<LoadedModule>;
  /** Code on this thread that asks about its task is answered by `current` from now on, until `leave`. */
  serve(current: () => RunningCall | undefined): void;
  leave(): void;
  /** A function of the loaded module. Throws ERR_TASK_NOT_FOUND. */
  find(name: string): TaskFunction;
  newCall(id: number, host: CallHost): RunningCall;
  /** Whether any code of this thread can ask about its task at all. */
  isAsked(): boolean;
  /** Runs a function. In all code that it starts, also after an await, `entered` returns `call`. Throws what the function throws. */
  enter(call: RunningCall, run: TaskFunction, args: readonly unknown[]): unknown;
  entered(): RunningCall | undefined;
  /** Returns the value as it would arrive if it crossed, or throws what the platform's clone throws. @param transfer those parts of it that move */
  copy(value: unknown, transfer?: readonly unknown[]): unknown;
  /** Whether a result is marked with those parts of it that move. */
  isMoved(value: unknown): value is { readonly value: unknown; readonly list: readonly unknown[] };
  /** Returns a thrown value as it would arrive if it crossed. Never throws. @param isPacked whether its receiver unpacks registered instances */
  copyError(error: unknown, isPacked?: boolean): unknown;
  /** About how many bytes these values take when they cross. */
  sizeOf(values: readonly unknown[]): number;
}

/** Instances of registered classes: what becomes of a value before it crosses, and after. Implemented in `transport/classes/`. */
export interface Instances {
  /** Returns the value as it crosses: plain, with what `unpack` needs to restore its instances. Throws ERR_NOT_CLONEABLE. */
  pack(value: unknown): unknown;
  /** Inverse of `pack`. The value must be the receiver's own. */
  unpack(value: unknown): unknown;
  packArguments(args: readonly unknown[]): readonly unknown[];
  unpackArguments(args: readonly unknown[]): readonly unknown[];
  /** Returns the same error with its fields unpacked; any other thrown value, unpacked. @param seen left as it is */
  unpackError(error: unknown, seen: Set<unknown>): unknown;
}
