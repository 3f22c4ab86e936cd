// Loads both routes in turn, and measures how many requests are answered and how responsive the main thread stays.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { buildServer, createRenderPool } from './server.js';

/** How many milliseconds pass between two readings of the event loop's delay. */
const LOOK_MS = 5;

/** Measures how long a setImmediate waits, until it is stopped. `stop` returns the mean in milliseconds. */
function watchEventLoop() {
  const delays = [];
  const timer = setInterval(() => {
    const start = performance.now();
    setImmediate(() => delays.push(performance.now() - start));
  }, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length);
    },
  };
}

/** Has the load process send requests to a route, and measures. */
async function measureRoute(loader, url, { requests, connections }) {
  const loop = watchEventLoop();
  loader.send({ url, requests, connections });
  const { milliseconds } = await answerOf(loader);
  return { requestsPerSecond: requests / (milliseconds / 1000), eventLoopDelayMs: loop.stop() };
}

/** Resolves to the process's next message. Rejects if the process ends instead. */
async function answerOf(loader) {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(loader, 'exit', { signal }).then(([code]) => {
    throw new Error(`The load process ended with exit code ${code}`);
  });
  try {
    const [message] = await Promise.race([once(loader, 'message', { signal }), ended]);
    return message;
  } finally {
    over.abort(); // removes the listeners
  }
}

/** Starts a server and a process that loads it, measures, and ends both. */
export async function compare({ requests, connections, threads }) {
  const server = buildServer({ pool: createRenderPool({ threads }) });
  const loader = fork(new URL('./load.js', import.meta.url));
  try {
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    const load = { requests, connections };
    const results = {};
    for (const route of ['/main', '/pool']) {
      await measureRoute(loader, address + route, { ...load, requests: Math.ceil(requests / 5) }); // warm-up
      results[route] = await measureRoute(loader, address + route, load);
    }
    return results;
  } finally {
    loader.kill();
    await server.close();
  }
}
