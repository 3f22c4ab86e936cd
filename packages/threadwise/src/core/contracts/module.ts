/** The seam to the task module: what a worker says of it, and running its functions on the calling thread. */

export type TaskFunction = (...args: unknown[]) => unknown;

/** What decides whether a module's functions may run on the calling thread. Cloneable. */
export interface ModuleTraits {
  /** The functions that may: without any, the module is not even loaded there. */
  readonly functions: readonly string[];
  /** Those that may not, each with the reason. */
  readonly others: readonly (readonly [name: string, why: string])[];
}

/** What the running task can be asked for by its code. */
export interface CallAbout {
  readonly id: number;
  /** What the owner gave it to take along. */
  readonly context: unknown;
  progress(value: unknown): void;
  callHost(name: string, args: unknown[]): Promise<unknown>;
}

/** A task module on the calling thread. Implemented by `runner/here.ts`. */
export interface ModuleHere {
  /** Resolves to those of its functions that are tasks. Rejects where it cannot be loaded. */
  load(): Promise<ReadonlyMap<string, TaskFunction>>;
  /**
   * Runs a function until it returns. Throws what it throws.
   * @param about what its code gets that asks about the task; most never do
   */
  call<C>(run: TaskFunction, args: readonly unknown[], call: C, about: (call: C) => CallAbout): unknown;
  /** What a value becomes that crosses. Throws what the platform's clone throws. */
  copy(value: unknown): unknown;
  /** What something thrown becomes that crosses. Never throws. */
  copyError(error: unknown): unknown;
  /** Nothing is called any more. */
  leave(): void;
  /** About how large a value is that crosses. Bytes. */
  sizeOf(values: readonly unknown[]): number;
}
