// One scenario for each number of cores and of threads. The server is a process that is bound to cores; the sample's
// own process loads it.
import os from 'node:os';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';
import { askAll, figuresOf, loadMetrics, openUsers } from '../../fixtures/users.js';
import { NotAvailable } from '../../driver/not-available.js';
import { milliseconds } from '../crossing/metrics.js';

/** The most cores, as published; `CORES` has no more than the machine. */
export const MOST_CORES = 4;
export const CORES = Array.from({ length: Math.min(MOST_CORES, os.availableParallelism()) }, (_, i) => i + 1);
export const THREADS = [1, 2, 3, 4];
const QUICK_THREADS = [1, 2];
const CONTENDERS = ['threadwise', 'piscina', AS_PUBLISHED, 'inline'];
/** Thread counts of contenders that are measured with fewer: inline has no threads, and the other pool is compared with two only. */
const FEWER = { inline: [1], piscina: [2], threadwise: [1, 2, 4] };
/** How many connections there are, as published. */
const USERS = 10;
/** How many milliseconds a request computes: as published, or less, so that LEAST_REQUESTS fit into a small budget. */
const REQUEST_MS = { most: 100, least: 10 };
const LEAST_REQUESTS = 30;

const server = new URL('../../fixtures/compute-server.js', import.meta.url);
/** The module in which the command binds processes to cores for `threadwise analyze`. */
const machineModule = new URL('../../../packages/cli/dist/experiment/machine.js', import.meta.url);

const coresUsed = { id: 'coresUsed', label: 'cores used', unit: 'cores', better: 'lower' };

async function run(cores, { contender, threads, budget }) {
  const cpus = await cpusOf(cores);
  const child = startProcess(server, { cpus });
  try {
    const { port } = await ask(child, { contender: contender.id, threads });
    const fitting = budget.loadMs / LEAST_REQUESTS;
    const requestMs = Math.max(REQUEST_MS.least, Math.min(REQUEST_MS.most, fitting));
    const users = await openUsers({ port, users: USERS, requestMs });
    const until = (_answers, elapsedMs) => elapsedMs >= budget.loadMs;
    await askAll(users, () => true); // until its code is compiled
    const before = await ask(child, {});
    const loaded = await askAll(users, until);
    const after = await ask(child, {});
    for (const user of users) user.close();
    return {
      ...figuresOf(loaded),
      coresUsed: (after.cpuMs - before.cpuMs) / (after.nowMs - before.nowMs),
      cpuMsPerRequest: (after.cpuMs - before.cpuMs) / loaded.latencies.length,
    };
  } finally {
    await endProcess(child);
  }
}

/** The first `cores` CPUs of those that this process may use. */
async function cpusOf(cores) {
  const { usableCpus } = await import(machineModule);
  const cpus = usableCpus();
  if (cpus === undefined)
    throw new NotAvailable('a process cannot be bound to cores here: there is no taskset');
  return cpus.slice(0, cores);
}

export const curveOf = (cores) => (cores === 1 ? '1 core' : `${cores} cores`);

const scenario = (cores, threads) => ({
  id: `cores-${cores}-threads-${threads}`,
  title: `A server on ${curveOf(cores)} computes 100 ms a request, ${USERS} connections; threads: ${threads}`,
  curve: curveOf(cores),
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads) && [CORES[0], CORES.at(-1)].includes(cores),
  metrics: [...loadMetrics, coresUsed, milliseconds('cpuMsPerRequest', 'CPU ms/request')],
  takes: ({ id }) => CONTENDERS.includes(id) && (FEWER[id] ?? THREADS).includes(threads),
  run: (context) => run(cores, context),
});

export const scenarios = CORES.flatMap((cores) => THREADS.map((threads) => scenario(cores, threads)));
