// The published way: the main thread reads every file without a pause, and hands it over in segments of shared memory.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { giveInOneGo, readInOneGo } from './one-go.js';
import { OpenCalls } from './open-calls.js';
import { Dispatcher, newSegment } from './segments.js';

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
