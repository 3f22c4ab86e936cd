// The command: `node main.js [--requests 1000] [--connections 16] [--below 300000] [--processes n] [--threads 1]`;
// or `--port 3000`, to serve until Ctrl-C or SIGTERM.
import { availableThreads } from 'threadwise';
import { readOptions } from '../options.js';
import { compare } from './compare.js';
import { startCluster } from './processes.js';

const values = readOptions(
  { requests: 1000, connections: 16, below: 300_000, processes: availableThreads(), threads: 1 },
  { port: undefined },
);
if (values.port === undefined) await measure();
else await serve();

async function serve() {
  const { processes, threads } = values;
  const port = Number(values.port);
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new Error('--port: a whole number from 0, which is any that is free, to 65535');
  const onReplace = (pid) => console.log(`process ${pid} has died; processes ${cluster.pids().join(' ')}`);
  const cluster = await startCluster({ processes, threads, port, onReplace });
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, cluster.stop);
  console.log(`${cluster.url}/primes?below=300000: processes ${cluster.pids().join(' ')}`);
}

async function measure() {
  const ways = await compare(values);
  const { alone, pool, cluster, clusterOfPools } = ways;
  console.log(`${values.requests} requests to each; every answer was right.`);
  for (const { processes, threads, requestsPerSecond, healthMs } of Object.values(ways)) {
    const what = `${processes} ${processes === 1 ? 'process' : 'processes'}, ${threads === 0 ? 'no pool' : `a pool of ${threads} in each`}`;
    console.log(
      `${what}: ${requestsPerSecond.toFixed(0)} requests/s, others wait for ${healthMs.toFixed(1)} ms`,
    );
  }
  const times = (way, base) => `${(way.requestsPerSecond / base.requestsPerSecond).toFixed(2)} times`;
  console.log(
    `On ${pool.threads} threads one process answered ${times(pool, alone)} as many requests as without; a cluster, ${times(cluster, alone)}. ` +
      `Pools in the cluster brought ${times(clusterOfPools, cluster)} the requests of the cluster, and others waited for ` +
      `${clusterOfPools.healthMs.toFixed(1)} ms where they waited for ${cluster.healthMs.toFixed(1)}.`,
  );
}
