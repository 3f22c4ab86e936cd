/** The messages of a shared line beside those of `../messages.ts`: they carry what shared memory cannot. */
import type { MessageToMain, MessageToWorker } from '../messages.js';

/** Arguments of a task, the cell that it is in, and the stamp of its posting there. */
export const ARGUMENTS = 10;
/** A function's number and name. */
export const NAMED = 11;
/** The arena has another segment, or without a buffer: one is to be forgotten. */
export const SEGMENT = 12;
/** The worker's end of a line to the pool's coordinator, on which that says such words, too. */
export const LINE = 13;
/** The result of the task in a cell, or its error. */
export const RESULT = 10;

export type ToWorker =
  | MessageToWorker
  | readonly [
      type: typeof ARGUMENTS,
      cell: number,
      id: number,
      stamp: number,
      name: string,
      args: readonly unknown[],
    ]
  | readonly [type: typeof NAMED, id: number, name: string]
  | readonly [type: typeof SEGMENT, index: number, buffer: ArrayBufferLike | undefined]
  | readonly [type: typeof LINE, line: unknown];

export type ToMain = MessageToMain | readonly [type: typeof RESULT, cell: number, value: unknown];

/** The arguments of a task, as they came over a port. */
export type Posted = readonly [id: number, stamp: number, name: string, args: readonly unknown[]];

/**
 * Arguments that came over ports, by cell. There is no order among those of two ports, so the stamps tell which posting of the cell is
 * the last one. (The ids of the tasks do not: an older task may get the cell of a younger one that was withdrawn.)
 */
export class PostedArguments {
  readonly #posted = new Map<number, Posted>();

  keep([, cell, ...posted]: Extract<ToWorker, readonly [typeof ARGUMENTS, ...unknown[]]>): void {
    const before = this.#posted.get(cell);
    if (before === undefined || posted[1] > before[1]) this.#posted.set(cell, posted);
  }

  /** The arguments that were kept may be those of a withdrawn task: the right ones come behind them. */
  take(cell: number, id: number): Posted | undefined {
    const posted = this.#posted.get(cell);
    if (posted?.[0] !== id) return undefined;
    this.#posted.delete(cell);
    return posted;
  }
}
