/** How an input becomes what the user's function is called with: itself, its list of arguments, or a file's content. */

import { readFileSync } from 'node:fs';
import type { TaskFunction } from './task-module.js';

/** value: the one argument. spread: an array, the list of arguments. read: a path, its content is the one argument. */
export type Passing = 'value' | 'spread' | 'read';

export function argumentsOf(input: unknown, passing: Passing): readonly unknown[] {
  if (passing === 'value') return [input];
  return passing === 'spread' ? (input as readonly unknown[]) : [contentOf(input as string)];
}

/** The function, to be called with an input alone. */
export function takingInput(run: TaskFunction, passing: Passing): TaskFunction {
  return passing === 'value' ? run : (input) => run(...argumentsOf(input, passing));
}

/** Bytes that are the function's own. Not a Buffer: that is not what would arrive if they were sent to a thread. */
export function contentOf(path: string): Uint8Array {
  const read = readFileSync(path);
  // Small ones lie in memory that Node shares among many, and all of it would be sent along.
  return read.byteLength === read.buffer.byteLength ? new Uint8Array(read.buffer) : new Uint8Array(read);
}
