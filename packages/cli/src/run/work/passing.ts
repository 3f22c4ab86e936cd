/** How an input becomes what the user's function is called with: itself, its list of arguments, or a file's content. */

import { readFileSync } from 'node:fs';
import type { TaskFunction } from './task-module.js';

/** value: the one argument. spread: an array, the list of arguments. read: a path, its content is the one argument. */
export type Passing = 'value' | 'spread' | 'read';

export function argumentsOf(input: unknown, passing: Passing): readonly unknown[] {
  if (passing === 'value') return [input];
  return passing === 'spread' ? (input as readonly unknown[]) : [contentOf(input as string)];
}

/** Makes the function one that takes an input as its only argument. */
export function takingInput(run: TaskFunction, passing: Passing): TaskFunction {
  return passing === 'value' ? run : (input) => run(...argumentsOf(input, passing));
}

/** The file's content, in memory of its own. No Buffer: a thread would not get one either. */
export function contentOf(path: string): Uint8Array {
  const read = readFileSync(path);
  // Node.js keeps small Buffers in memory that many share, and all of that would be sent along.
  return read.byteLength === read.buffer.byteLength ? new Uint8Array(read.buffer) : new Uint8Array(read);
}
