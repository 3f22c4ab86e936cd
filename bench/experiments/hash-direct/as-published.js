// The published way: the main thread reads every file without a pause, and hands it over in segments of shared memory.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { giveInOneGo, readInOneGo } from './one-go.js';
import { Dispatcher, newSegment } from './segments.js';

/** Calls whose results come one by one, each with the number of its call. */
export class OpenCalls {
  #open = new Map();
  #failure;

  /** @returns a promise of the result with that number */
  begin(id) {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }

  settle({ id, result }) {
    const call = this.#open.get(id);
    if (call === undefined) return this.fail(new Error(`A result of ${id}, which nobody waits for`));
    this.#open.delete(id);
    call.resolve(result);
  }

  /** Rejects all open calls, and all later ones. */
  fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}

const workerModule = new URL('./segment-worker.js', import.meta.url);

/** Starts `threads` workers. Resolves when all of them run. */
export async function openSegments({ threads }) {
  const calls = new OpenCalls();
  const dispatcher = new Dispatcher();
  const workers = await Promise.all(
    Array.from({ length: threads }, async () => {
      const segment = newSegment();
      const worker = new Worker(workerModule, { workerData: segment });
      worker.on('message', (result) => calls.settle(result));
      await once(worker, 'online');
      worker.on('error', (error) => calls.fail(error));
      dispatcher.add(segment);
      return worker;
    }),
  );
  const give = (id, bytes) => {
    const call = calls.begin(id);
    dispatcher.give(id, bytes);
    return call;
  };
  return {
    hashFolder: (folder) => readInOneGo(folder, give),
    hashAll: (messages, prepare) => giveInOneGo(messages, prepare, give),
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}
