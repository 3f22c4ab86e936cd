/** What is said over the port of a shared line besides `../words.ts`: what shared memory cannot carry. */
import type { MessageToMain, MessageToWorker } from '../messages.js';

/** Arguments of a task, and the cell that it is in. */
export const ARGUMENTS = 10;
/** A function's number and name. */
export const NAMED = 11;
/** The arena has another segment, or without a buffer: one is to be forgotten. */
export const SEGMENT = 12;
/** The result of the task in a cell, or its error. */
export const RESULT = 10;

export type ToWorker =
  | MessageToWorker
  | readonly [type: typeof ARGUMENTS, cell: number, id: number, name: string, args: readonly unknown[]]
  | readonly [type: typeof NAMED, id: number, name: string]
  | readonly [type: typeof SEGMENT, index: number, buffer: ArrayBufferLike | undefined];

export type ToMain = MessageToMain | readonly [type: typeof RESULT, cell: number, value: unknown];
