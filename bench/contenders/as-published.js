// The pool of the book chapter, rebuilt: bare workers that get a call as an id, the name of a method and its parameters, and
// a strategy that chooses among them. Experiments that publish another method have it in their own folder, and run it in
// the row of this contender.
import { Worker } from 'node:worker_threads';

export const AS_PUBLISHED = 'as published';
export const isAsPublished = ({ id }) => id === AS_PUBLISHED;

const module = new URL('./workers/as-published.js', import.meta.url);

/** Each strategy chooses the worker for the next call. */
export const STRATEGIES = {
  roundrobin() {
    let next = 0;
    return (workers) => workers[next++ % workers.length];
  },
  random: () => (workers) => workers[Math.floor(Math.random() * workers.length)],
  leastbusy: () => (workers) =>
    workers.reduce((least, worker) => (worker.waiting.size < least.waiting.size ? worker : least)),
};

/** @param strategy one of 'roundrobin', 'random', 'leastbusy' */
export function open({ threads }, strategy = 'leastbusy') {
  const workers = Array.from({ length: threads }, startWorker);
  const choose = STRATEGIES[strategy]();
  let lastId = 0;
  return {
    call: (method, params, transferList) =>
      new Promise((resolve, reject) => {
        const { worker, waiting } = choose(workers);
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, method, params }, transferList);
      }),
    close: () => Promise.all(workers.map(({ worker }) => worker.terminate())),
  };
}

/** A worker, and the calls that wait for its answers. */
function startWorker() {
  const worker = new Worker(module);
  const waiting = new Map();
  worker.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(error);
  });
  return { worker, waiting };
}

export default {
  role: 'as-published',
  can: ['transfer'],
  variants: { [AS_PUBLISHED]: (settings) => open(settings) },
};
