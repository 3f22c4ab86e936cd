/** How an input becomes what the user's function is called with: itself, its list of arguments, or a file's content. */

import { constants, openSync, readFileSync, statSync } from 'node:fs';
import type { TaskFunction } from './task-module.js';

/** value: the one argument. spread: an array, the list of arguments. read: a path, its content is the one argument. */
export type Passing = 'value' | 'spread' | 'read';

export function argumentsOf(input: unknown, passing: Passing): readonly unknown[] {
  if (passing === 'value') return [input];
  return passing === 'spread' ? (input as readonly unknown[]) : [contentOf(input as string)];
}

/** Makes the function one that takes an input as its only argument. */
export function takingInput(run: TaskFunction, passing: Passing): TaskFunction {
  if (passing === 'value') return run;
  return (input) => {
    const args = argumentsOf(input, passing);
    return passing === 'read' && args[0] instanceof Promise ? args[0].then(run) : run(...args);
  };
}

/** The content of a file, or a promise of that of a FIFO, in memory of its own. No Buffer: a thread would not get one either. */
export function contentOf(path: string): Uint8Array | Promise<Uint8Array> {
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) return contentOfFifo(path);
  const read = readFileSync(path);
  // Node.js keeps small Buffers in memory that many share, and all of that would be sent along.
  return read.byteLength === read.buffer.byteLength ? new Uint8Array(read.buffer) : new Uint8Array(read);
}

/**
 * The flags with which a FIFO is opened. A socket then waits in the event loop for the writer and its data: a thread that waits in the
 * system, to open or to read, cannot be ended, and holds up even process.exit().
 */
export const READ_AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

async function contentOfFifo(path: string): Promise<Uint8Array> {
  // Loaded only where there is a FIFO.
  const [{ Socket }, { arrayBuffer }] = await Promise.all([
    import('node:net'),
    import('node:stream/consumers'),
  ]);
  return new Uint8Array(await arrayBuffer(new Socket({ fd: openSync(path, READ_AT_ONCE), writable: false })));
}
