/** How a worker's thread learns what it is for: see `node-thread.ts`, which starts it. */
import wt from 'node:worker_threads';
import type { Start } from './node-thread.js';

/** What the thread has been given before it is told what it is for. `load`: its own code, which another text runs, cannot import. */
interface Given extends Start {
  readonly load: (url: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** Waits for it where the thread was started ahead of its pool. */
export function receiveBoot<Boot>(): Boot & Pick<Given, 'threadId' | 'load'> {
  const { told, threadId, load } = wt.workerData as Given;
  Atomics.wait(told, 0, 0);
  return { threadId, load, ...(wt.receiveMessageOnPort(wt.parentPort!)!.message as Boot) };
}
