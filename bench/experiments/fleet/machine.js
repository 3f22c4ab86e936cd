// A machine: works on a queue until it is asked for what that has cost. The first order says how: { way, queue, port, threads, lockMs, stalledCheckMs }.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serve } from '@threadwise/bullmq';
import { Worker } from 'bullmq';
import { answerOrders } from '../../fixtures/processes.js';
import { countPrimes } from '../../driver/tasks.js';

const tasks = new URL('../../driver/tasks.js', import.meta.url);
const sandboxed = fileURLToPath(new URL('processor.js', import.meta.url));

/** How a machine of each kind is begun. */
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
    // What has not ended by then is not waited for.
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
  // BullMQ's tells that it lost a lock: it is counted elsewhere.
  machine.on?.('error', () => undefined);
  return {};
});

/** A hundredth of a second, as Linux counts by default. Milliseconds. */
const TICK_MS = 10;

/** CPU time of this process, all its threads, and the processes that it had and that have ended. Elsewhere than on Linux: undefined. */
function cpuMs() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The second field is the program's name, in which anything may be.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
