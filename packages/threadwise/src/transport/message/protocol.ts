/**
 * How tasks cross as messages: every task posted is answered by exactly one `done` or `failed`, unless it was
 * withdrawn or the worker dies. `../messages.ts` has all other messages.
 */
import type { EncodedError } from '../codec/error-codec.js';
import type { MessageToMain, MessageToWorker } from '../messages.js';

export const TASKS = 11;
export const DONE = 11;
export const FAILED = 12;

export type PostedTask = [cell: number, id: number, name: string, args: readonly unknown[]];

/** `cells`: the cells of `tasks`, which main still knows when the worker could not read the message. */
export type ToWorker =
  MessageToWorker | readonly [type: typeof TASKS, cells: readonly number[], tasks: readonly PostedTask[]];

export type ToMain =
  | MessageToMain
  | readonly [type: typeof DONE, id: number, runMs: number, value: unknown]
  | readonly [type: typeof FAILED, id: number, runMs: number, error: EncodedError];
