// One scenario for each number of idle threads, and one for each size of a module that threads load.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { openReady } from '../../driver/with-pool.js';
import { addedMebibytes, mebibytes } from '../crossing/metrics.js';
import { KIBIBYTES, moduleFiles } from './module-files.js';
import { sizesOf } from './sizes.js';

const THREADS = [0, 1, 2, 4, 8, 16];
const QUICK_THREADS = [0, 1, 4, 16];
const POOLS = ['threadwise', 'piscina', AS_PUBLISHED];

/** The published worker: it writes a line, and starts a timer. */
const IDLE = "console.log('WPID: ' + process.pid); setTimeout(() => {}, 3_600_000);";
/** How many threads load a module. A bare thread is started before them, so that what the first thread costs does not count. */
const LOADING_THREADS = 4;
const IDLING = 'idle threads';
export const LOADING = 'threads that load a module';

async function run({ contender, threads, budget: { settleMs } }) {
  const opened = await open(contender, threads);
  globalThis.gc?.();
  await pause(settleMs);
  globalThis.gc?.();
  const sizes = sizesOf();
  await opened.close();
  return sizes;
}

function open(contender, threads) {
  if (threads === 0) return { close: async () => {} };
  return contender.id === AS_PUBLISHED ? openIdle(threads) : openReady(contender, threads);
}

/** @param code what each worker runs before it reports that it is ready */
async function openIdle(threads, code = '') {
  const ready = "require('node:worker_threads').parentPort.postMessage('ready');";
  const workers = Array.from(
    { length: threads },
    () => new Worker(`${code}${IDLE}${ready}`, { eval: true, stdout: true }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return { close: () => Promise.all(workers.map((worker) => worker.terminate())) };
}

/** How much memory each thread takes that loads a module of this many KiB, and does nothing else. */
async function runLoading(kibibytes, { given, budget: { settleMs } }) {
  const resident = async () => {
    globalThis.gc?.();
    await pause(settleMs);
    return sizesOf().residentMiB;
  };
  const first = await openIdle(1);
  const before = await resident();
  const path = JSON.stringify(given.paths[kibibytes]);
  const others = await openIdle(LOADING_THREADS, `globalThis.kept = require(${path});`);
  const perThreadMiB = ((await resident()) - before) / LOADING_THREADS;
  await Promise.all([first.close(), others.close()]);
  return { perThreadMiB };
}

const idling = (threads) => ({
  id: `idle-${threads}`,
  title: `The size of a process with idle threads: ${threads}`,
  curve: IDLING,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  metrics: [
    mebibytes('residentMiB', 'resident MiB'),
    { ...mebibytes('virtualMiB', 'virtual MiB'), isOptional: true },
    { ...mebibytes('sizeMiB', 'SIZE MiB'), isOptional: true },
  ],
  takes: ({ id }) => POOLS.includes(id),
  run,
});

const loading = (kibibytes) => ({
  id: `module-${kibibytes}`,
  title: `Memory of each of ${LOADING_THREADS} threads that load a module of ${kibibytes} KiB of source`,
  curve: LOADING,
  x: kibibytes,
  threads: LOADING_THREADS,
  fixture: moduleFiles,
  metrics: [addedMebibytes('perThreadMiB', 'MiB/thread')],
  takes: ({ id }) => id === AS_PUBLISHED,
  run: (context) => runLoading(kibibytes, context),
});

export const scenarios = [...THREADS.map(idling), ...KIBIBYTES.map(loading)];
