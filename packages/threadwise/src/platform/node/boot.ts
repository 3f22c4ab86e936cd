/** How a worker's thread learns what it is for: see `node-thread.ts`, which starts it. */
import wt from 'node:worker_threads';
import type { Start } from './node-thread.js';

/** Waits for it where the thread was started ahead of its pool. `load` imports where the code of this thread, a text that a module runs, cannot. */
export function receiveBoot<Boot>(): Boot & {
  readonly threadId: Int32Array;
  readonly load?: (url: string) => Promise<Readonly<Record<string, unknown>>>;
} {
  const { told, ...start } = wt.workerData as Start;
  Atomics.wait(told, 0, 0);
  return { ...start, ...(wt.receiveMessageOnPort(wt.parentPort!)!.message as Boot) };
}
