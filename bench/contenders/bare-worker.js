// Threads without a pool: the least that a thread costs, with which a pool's start and memory are compared.
import { Worker } from 'node:worker_threads';

const answering = new URL('./workers/bare-worker.js', import.meta.url);
/** The smallest thread that still answers: it returns its number, which everyThread (see with-pool.js) asks for. */
const EMPTY = `const { parentPort, threadId } = require('node:worker_threads');
parentPort.on('message', () => parentPort.postMessage(threadId));`;

function open({ threads }, start) {
  const workers = Array.from({ length: threads }, () => withCalls(start()));
  let next = 0;
  return {
    call: (name, argument) => workers[next++ % workers.length].call(name, argument),
    close: () => Promise.all(workers.map(({ worker }) => worker.terminate())),
  };
}

/** A worker answers calls in the order in which they were made. */
function withCalls(worker) {
  const waiting = [];
  worker.on('message', (result) => waiting.shift()(result));
  const call = (name, argument) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      worker.postMessage([name, argument]);
    });
  return { worker, call };
}

export default {
  role: 'bare',
  variants: {
    'bare Worker': (settings) => open(settings, () => new Worker(answering)),
    'bare Worker (empty)': (settings) => open(settings, () => new Worker(EMPTY, { eval: true })),
  },
};
