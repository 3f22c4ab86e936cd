// The published way: the main thread moves what it reads to a coordinator, which has it hashed.
import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { readInOneGo } from '../hash-direct/one-go.js';
import { OpenCalls } from '../hash-direct/as-published.js';

const coordinatorModule = new URL('./coordinator-thread.js', import.meta.url);
const workerModule = new URL('./coordinated-worker.js', import.meta.url);

/** Starts a coordinator and `threads` workers. Resolves when all of them are connected. */
export async function openCoordinated({ threads }) {
  const calls = new OpenCalls();
  const coordinator = new Worker(coordinatorModule, { workerData: { workers: threads } });
  const workers = Array.from({ length: threads }, () => startWorker(coordinator, calls));
  await once(coordinator, 'message');
  const crew = [coordinator, ...workers];
  for (const thread of crew) thread.on('error', (error) => calls.fail(error));
  const give = (id, bytes) => {
    coordinator.postMessage({ id, bytes }, [bytes.buffer]);
    return calls.begin(id);
  };
  return {
    hashFolder: (folder) => readInOneGo(folder, give),
    utilizations: utilizationsOf(coordinator, workers),
    close: () => Promise.all(crew.map((thread) => thread.terminate())),
  };
}

/** Starts a worker with a channel of its own to the coordinator; its results come straight to the main thread. */
function startWorker(coordinator, calls) {
  const worker = new Worker(workerModule);
  worker.on('message', (result) => calls.settle(result));
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port1, [port1]);
  coordinator.postMessage({ port: port2 }, [port2]);
  return worker;
}

/** @returns a function that returns how busy the event loops of the coordinator and of each worker have been since now, as shares */
function utilizationsOf(coordinator, workers) {
  const look = ({ performance }) => performance.eventLoopUtilization();
  const before = new Map([coordinator, ...workers].map((thread) => [thread, look(thread)]));
  const since = (thread) =>
    thread.performance.eventLoopUtilization(look(thread), before.get(thread)).utilization;
  return () => ({
    coordinator: since(coordinator),
    workers: workers.map(since),
  });
}
