// One process of the cluster: a server with an event loop of its own and, if it is to have threads, a pool of its own.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createPool } from 'threadwise';
import { countPrimes, MAX_BELOW } from './primes.js';

/** How many milliseconds open requests may take once the process is told to end. */
const LAST_ANSWERS_MS = 10_000;

const { PORT, THREADS } = process.env;
const threads = Number(THREADS);
const pool = threads > 0 ? createPool(new URL('./tasks.js', import.meta.url), { threads }) : undefined;
const primes = pool === undefined ? countPrimes : (below) => pool.run('countPrimes', [below]);

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request.url);
  // A client that keeps its connection would send its next request to a server that is closing.
  if (!server.listening) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
});

async function answer(url) {
  try {
    const { pathname, searchParams } = new URL(url, 'http://cluster');
    if (pathname === '/health') return [200, { pid: process.pid }];
    if (pathname !== '/primes') return [404, { error: 'There is /primes?below=… and /health' }];
    const text = searchParams.get('below') ?? '';
    const below = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(below <= MAX_BELOW))
      return [400, { error: `below: expected a whole number from 0 to ${MAX_BELOW}` }];
    return [200, { below, count: await primes(below) }];
  } catch (error) {
    return [error.code === 'ERR_INVALID_URL' ? 400 : 500, { error: error.message }];
  }
}

// The server listens only once the threads are ready.
await pool?.ready;
await once(server.listen(Number(PORT), '127.0.0.1'), 'listening');

let isEnding = false;
/** Takes no more connections, sends the last answers, ends the threads and leaves the cluster: nothing keeps the process alive then. */
function end() {
  // Ctrl-C and process managers signal all processes, also the primary, which then tells each one again.
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS).unref();
  server.close(async () => {
    await pool?.close();
    cluster.worker.disconnect();
  });
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, end);
process.on('message', end);
