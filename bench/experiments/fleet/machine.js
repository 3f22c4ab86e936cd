// A machine: works on a queue until it is told to end, and returns its CPU time. The first order: { way, queue, port, threads, lockMs, … }.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serve } from '@threadwise/bullmq';
import { Worker } from 'bullmq';
import { answerOrders } from '../../fixtures/processes.js';
import { countPrimes } from '../../driver/tasks.js';

const tasks = new URL('../../driver/tasks.js', import.meta.url);
const sandboxed = fileURLToPath(new URL('processor.js', import.meta.url));

/** Starts a machine of each kind. */
const KINDS = {
  fleet: (queue, { connection, concurrency, lockDuration, stalledInterval }) =>
    serve(tasks, {
      queue,
      connection,
      pool: { threads: concurrency },
      lockMs: lockDuration,
      stalledCheckMs: stalledInterval,
      signals: [],
    }),
  'in process': (queue, options) => new Worker(queue, async ({ data }) => countPrimes(data[0]), options),
  processes: (queue, options) => new Worker(queue, sandboxed, options),
  threads: (queue, options) => new Worker(queue, sandboxed, { ...options, useWorkerThreads: true }),
};

let machine;
let way;

answerOrders(async ({ end, queue, port, threads, lockMs, stalledCheckMs, ...settings }) => {
  if (end) {
    // Does not wait for jobs that have not ended.
    await (way === 'fleet' ? machine.close({ timeoutMs: 0 }) : machine.close(true));
    return { cpuMs: cpuMs() };
  }
  way = settings.way;
  machine = KINDS[way](queue, {
    connection: { host: '127.0.0.1', port },
    concurrency: threads,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: 1000,
  });
  // BullMQ's worker reports lost locks, which are counted elsewhere.
  machine.on?.('error', () => undefined);
  return {};
});

/** How many milliseconds of CPU time a tick counts: a hundredth of a second by default on Linux. */
const TICK_MS = 10;

/** CPU milliseconds of this process, all its threads, and its child processes that have ended; undefined on other systems than Linux. */
function cpuMs() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The second field is the program's name, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
