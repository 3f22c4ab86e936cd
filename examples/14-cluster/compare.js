// Sends the same requests to one process and to several, each without and with a pool. Every answer is checked.
import { Agent, get } from 'node:http';
import { json } from 'node:stream/consumers';
import { timed } from '../timing.js';
import { countPrimes } from './primes.js';
import { startCluster } from './processes.js';

/** How far apart the requested numbers are, and how many there are: they take about the same work, and have different answers. */
const STEP = 1000;
const DIFFERENT = 10;

/** @returns for each way the requests per second, and the median of how many milliseconds a request without work took */
export async function compare({ requests, connections, below, processes, threads }) {
  const numbers = Array.from({ length: DIFFERENT }, (_, i) => below + i * STEP);
  const load = { requests, connections, expected: numbers.map((each) => [each, countPrimes(each)]) };
  const ways = {
    alone: { processes: 1, threads: 0 },
    pool: { processes: 1, threads: processes * threads },
    cluster: { processes, threads: 0 },
    clusterOfPools: { processes, threads },
  };
  const results = {};
  for (const [way, size] of Object.entries(ways)) results[way] = { ...size, ...(await measure(size, load)) };
  return results;
}

async function measure(size, load) {
  const { url, stop } = await startCluster(size);
  try {
    await send(url, { ...load, requests: Math.ceil(load.requests / 5) }); // warm-up
    const [health, milliseconds] = await timed(() => send(url, load));
    return { requestsPerSecond: load.requests / (milliseconds / 1000), healthMs: medianOf(health) };
  } finally {
    await stop();
  }
}

/** Sends the requests over several connections. Throws if an answer is wrong. @returns how long each request without work took meanwhile */
async function send(url, { requests, connections, expected }) {
  const agent = new Agent({ keepAlive: true });
  let [sent, isOver] = [0, false];
  const connection = async () => {
    while (sent < requests) {
      const [below, count] = expected[sent % expected.length];
      sent += 1;
      const answer = await ask(`${url}/primes?below=${below}`, agent);
      if (answer.count !== count) throw new Error(`below ${below}: ${JSON.stringify(answer)}, not ${count}`);
    }
  };
  const probe = async () => {
    const health = [];
    // Each time over a new connection, so that each process has its turn.
    do health.push((await timed(() => ask(`${url}/health`)))[1]);
    while (!isOver);
    return health;
  };
  const all = Promise.all(Array.from({ length: connections }, connection)).finally(() => {
    isOver = true;
  });
  try {
    const [health] = await Promise.all([probe(), all]);
    return health;
  } finally {
    agent.destroy();
  }
}

async function ask(url, agent = new Agent()) {
  const response = await new Promise((resolve, reject) => get(url, { agent }, resolve).on('error', reject));
  return json(response);
}

function medianOf(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
