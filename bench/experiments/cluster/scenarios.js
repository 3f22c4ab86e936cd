// One scenario for each number of processes or threads. The server and its load are separate processes.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';
import { askAll, figuresOf, loadMetrics, openUsers } from '../../fixtures/users.js';

/** How many processes the cluster has, or threads a pool. */
const SIZES = [2, 4];
const CONTENDERS = ['threadwise', 'piscina', 'inline', AS_PUBLISHED];
/** Contenders that are measured in fewer sizes: inline has no size, and the other pool is only compared in one. */
const FEWER = { inline: [4], piscina: [4] };
const USERS = 10;
const REQUESTS = 20;
/** How many milliseconds a request computes, as published. With a small budget a user makes fewer requests, which compute for less. */
const REQUEST_MS = 70;
const LEAST_REQUESTS = 40;
/** A tenth as many requests go first, and are not counted. */
const WARM_UP = 10;

const singleServer = new URL('../../fixtures/compute-server.js', import.meta.url);
const clusteredServer = new URL('./clustered-server.js', import.meta.url);

const CLUSTER = { id: 'cluster', takes: ({ id }) => id === AS_PUBLISHED };
const POOL = { id: 'pool', takes: ({ id }) => id !== AS_PUBLISHED };

async function run({ contender, threads, way, budget }) {
  const isCluster = way === CLUSTER.id;
  const child = startProcess(isCluster ? clusteredServer : singleServer);
  try {
    const { port } = await ask(child, { contender: contender.id, threads, processes: threads });
    const requestMs = Math.min(REQUEST_MS, budget.loadMs / LEAST_REQUESTS);
    return await load(port, Math.min(REQUESTS, Math.ceil(budget.loadMs / REQUEST_MS)), requestMs);
  } finally {
    await endProcess(child);
  }
}

async function load(port, requests, requestMs) {
  const users = await openUsers({ port, users: USERS, requestMs });
  await askAll(users, (answers) => WARM_UP * answers >= requests); // until all processes have compiled their code
  const loaded = await askAll(users, (answers) => answers >= requests);
  for (const user of users) user.close();
  return figuresOf(loaded);
}

const scenario = (size) => ({
  id: `size-${size}`,
  title: `An API that computes 70 ms a request, ${USERS} users x ${REQUESTS} requests; processes, or threads: ${size}`,
  x: size,
  threads: size,
  metrics: loadMetrics,
  ways: [CLUSTER, POOL],
  takes: ({ id }) => CONTENDERS.includes(id) && (FEWER[id] ?? SIZES).includes(size),
  run,
});

export const scenarios = SIZES.map(scenario);
