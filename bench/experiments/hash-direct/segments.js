// The article's transport: each worker has one segment of shared memory, as large as one message, and a lock that says
// whose turn it is.
//
// | lock | meaning | written by |
// | --- | --- | --- |
// | FREE | the segment is the dispatcher's | the worker, when it is done with the segment |
// | a task's number, from 0 | the segment is the worker's | the dispatcher, when it has filled the segment |
//
// As published, the worker posts its result and sets the lock to FREE after that. Whoever takes the result for a sign
// that the worker is free may write the next task's number before, and the worker overwrites it: that task is lost.
// Here the worker releases the lock first, and the lock alone says who is free.
//
// A notification may come late: the thread that set the lock can be stopped before it notifies, and by then the other side
// has seen the lock, done its part and waits again. So a thread that is woken looks again.
import { FILE_BYTES } from '../../fixtures/files.js';
import { RingQueue } from './ring-queue.js';

export const FREE = -1;

/** What both sides share; it can be posted as it is. */
export function newSegment() {
  const segment = { data: new SharedArrayBuffer(FILE_BYTES), lock: new SharedArrayBuffer(4) };
  new Int32Array(segment.lock)[0] = FREE;
  return segment;
}

/** Blocks the thread until the lock has another value than this one. */
export function waitForChange(lock, value) {
  while (Atomics.load(lock, 0) === value) Atomics.wait(lock, 0, value);
}

/** Resolves when the lock has another value than this one. */
export async function changed(lock, value) {
  while (Atomics.load(lock, 0) === value) {
    const { async: isAsync, value: outcome } = Atomics.waitAsync(lock, 0, value);
    if (isAsync) await outcome;
  }
}

/** The worker's side: takes the task that is in the segment when the lock is not FREE. */
export function takeTask({ data, lock }, compute) {
  const id = Atomics.load(lock, 0);
  const result = compute(data);
  Atomics.store(lock, 0, FREE);
  Atomics.notify(lock, 0);
  return { id, result };
}

/** Gives messages to free workers, in order. */
export class Dispatcher {
  #queue = new RingQueue();
  /** Last in, first out, as published: with little to do, the same few workers do it. */
  #free = [];

  /** Adds a segment whose worker is running. */
  add({ data, lock }) {
    this.#free.push({ data: new Uint8Array(data), lock: new Int32Array(lock) });
    this.#handOut();
  }

  give(id, bytes) {
    this.#queue.push({ id, bytes });
    this.#handOut();
  }

  #handOut() {
    while (this.#free.length > 0 && this.#queue.size > 0) {
      const { id, bytes } = this.#queue.shift();
      this.#handOver(this.#free.pop(), id, bytes);
    }
  }

  async #handOver(segment, id, bytes) {
    segment.data.set(bytes);
    Atomics.store(segment.lock, 0, id);
    Atomics.notify(segment.lock, 0);
    await changed(segment.lock, id);
    this.#free.push(segment);
    this.#handOut();
  }
}
