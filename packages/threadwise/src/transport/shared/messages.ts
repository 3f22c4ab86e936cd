/** The messages of a shared line beside those of `../messages.ts`: they carry what shared memory cannot. */
import type { EncodedError } from '../codec/error-codec.js';
import type { MessageToMain, MessageToWorker } from '../messages.js';

/** Arguments of a task, sent before it is posted. */
export const ARGUMENTS = 11;
/** A function's number and name. */
export const NAMED = 12;
/** The arena has another segment, or without a buffer: one is to be forgotten. */
export const SEGMENT = 13;
/** The worker's end of a line to the pool's coordinator, which sends such messages, too. */
export const LINE = 14;
/** A message of the worker: the result of the task in a cell, or its error. */
export const RESULT = 11;

export type Posted = readonly [
  type: typeof ARGUMENTS,
  cell: number,
  id: number,
  stamp: number,
  name: string,
  /** The parts of the arguments that are moved. */
  transfer: readonly unknown[],
  /** The arguments, or why the port refused them. */
  args: readonly unknown[] | EncodedError,
];

export type ToWorker =
  | MessageToWorker
  | Posted
  | readonly [type: typeof NAMED, id: number, name: string]
  | readonly [type: typeof SEGMENT, index: number, buffer: ArrayBufferLike | undefined]
  | readonly [type: typeof LINE, line: unknown];

export type ToMain = MessageToMain | readonly [type: typeof RESULT, cell: number, value: unknown];
