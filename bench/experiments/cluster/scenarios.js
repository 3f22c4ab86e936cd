// One scenario for each number of processes, or of threads. The server is another process than the one that loads it.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';
import { askAll, openUsers } from '../../fixtures/users.js';
import { quantile } from '../../conclusions/statistics.js';
import { milliseconds, perSecond } from '../crossing/metrics.js';

/** Processes of the cluster; threads of a pool. */
const SIZES = [1, 2, 4];
const QUICK_SIZES = [2, 4];
const CONTENDERS = ['threadwise', 'piscina', 'inline', AS_PUBLISHED];
const USERS = 10;
const REQUESTS = 20;
/** Where there is no time for as many, a user asks as often as this fits into the time for loading. Milliseconds. */
const REQUEST_MS = 40;

const singleServer = new URL('../../fixtures/compute-server.js', import.meta.url);
const clusteredServer = new URL('./clustered-server.js', import.meta.url);

const CLUSTER = { id: 'cluster', takes: ({ id }) => id === AS_PUBLISHED };
const POOL = { id: 'pool', takes: ({ id }) => id !== AS_PUBLISHED };

async function run({ contender, threads, way, budget }) {
  const isCluster = way === CLUSTER.id;
  const child = startProcess(isCluster ? clusteredServer : singleServer);
  try {
    const { port } = await ask(child, { contender: contender.id, threads, processes: threads });
    return await load(port, Math.min(REQUESTS, Math.ceil(budget.loadMs / REQUEST_MS)));
  } finally {
    await endProcess(child);
  }
}

async function load(port, requests) {
  const users = await openUsers({ port, users: USERS });
  await askAll(users, (answers) => 4 * answers >= requests); // until all processes have compiled their code
  const { latencies, elapsedMs } = await askAll(users, (answers) => answers >= requests);
  for (const user of users) user.close();
  return {
    requestsPerSecond: (latencies.length * 1000) / elapsedMs,
    latencyP50Ms: quantile(latencies, 0.5),
    latencyP95Ms: quantile(latencies, 0.95),
  };
}

const scenario = (size) => ({
  id: `size-${size}`,
  title: `An API that computes 10 ms a request, ${USERS} users x ${REQUESTS} requests; processes, or threads: ${size}`,
  x: size,
  threads: size,
  isQuick: QUICK_SIZES.includes(size),
  metrics: [
    perSecond('requestsPerSecond', 'requests'),
    milliseconds('latencyP50Ms', 'latency p50 ms'),
    milliseconds('latencyP95Ms', 'latency p95 ms'),
  ],
  ways: [CLUSTER, POOL],
  takes: ({ id }) => CONTENDERS.includes(id),
  run,
});

export const scenarios = SIZES.map(scenario);
