// The service: how it answers requests. They wait in the pool's queue and nowhere else, so its metrics show all that wait.
import { createServer } from 'node:http';
import { createPool } from 'threadwise';
import { MAX_BELOW } from './tasks.js';

/** The states in which a pool accepts calls. */
const READY_STATES = ['open', 'paused'];
/** The status for errors that are not the caller's: all of them pass, on another pod or a little later. */
const PASSING = {
  ERR_QUEUE_FULL: 503,
  ERR_POOL_CLOSED: 503,
  ERR_WORKER_CRASHED: 503,
  ERR_WORKER_MEMORY: 503,
  ERR_MODULE_LOAD: 503,
  ERR_TASK_TIMEOUT: 504,
};

export function createPrimesPool() {
  return createPool(new URL('./tasks.js', import.meta.url), {
    name: 'primes',
    // No `threads`: the container's CPU and memory limits determine the number.
    // A queue so short that it is done in a few seconds: no caller waits longer, and a shutdown has to wait for all of it.
    queue: { limit: 64 },
    timeoutMs: 10_000,
    // MiB for each worker. Without this limit the heap of each may grow to half of the container's memory.
    worker: { resourceLimits: { maxOldGenerationSizeMb: 96 } },
  });
}

/** Returns a server that does not listen yet. */
export function buildServer(pool) {
  return createServer(async (request, response) => {
    const { status, body, headers } = await answer(pool, request, response);
    // A client that keeps its connection would send its next request to a server that is closing.
    if (!READY_STATES.includes(pool.stats().state)) response.setHeader('connection', 'close');
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(`${JSON.stringify(body)}\n`);
  });
}

async function answer(pool, request, response) {
  try {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    if (request.method !== 'GET')
      return failure(405, 'ERR_METHOD', `Only GET, not ${request.method}`, { allow: 'GET' });
    if (pathname === '/readyz') return readiness(pool);
    if (pathname === '/primes') return await primes(pool, searchParams.get('below'), response);
    return failure(404, 'ERR_NOT_FOUND', `There is /primes?below=… and /readyz, and no ${pathname}`);
  } catch (error) {
    return failed(error);
  }
}

/** The readiness of this pod alone. Its load does not count: under load all pods would be unready at the same time. */
function readiness(pool) {
  const { state } = pool.stats();
  const ready = READY_STATES.includes(state);
  return { status: ready ? 200 : 503, body: { ready, state } };
}

async function primes(pool, text, response) {
  const below = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (!(below <= MAX_BELOW)) {
    const got = text === null ? 'nothing' : JSON.stringify(text);
    return failure(400, 'ERR_BELOW', `below: expected a whole number from 0 to ${MAX_BELOW}, got ${got}`);
  }
  // A caller that has hung up aborts its call: its retry must not wait behind the call that it replaces.
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort());
  const count = await pool.run('countPrimes', [below], { signal: hungUp.signal });
  return { status: 200, body: { below, count } };
}

function failed(error) {
  const { code = 'ERR_INTERNAL', message } = error;
  if (code === 'ERR_INVALID_URL') return failure(400, code, message);
  const status = PASSING[code];
  if (status !== undefined) return failure(status, code, message, { 'retry-after': '1' });
  if (code !== 'ERR_TASK_ABORTED') console.error(error);
  return failure(500, code, message);
}

function failure(status, code, message, headers = {}) {
  return { status, body: { error: { code, message } }, headers };
}
