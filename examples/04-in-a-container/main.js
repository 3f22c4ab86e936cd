// The process: its settings, its start, its end.
import { buildServer, createPrimesPool } from './server.js';
import { shutDown } from './shutdown.js';

const { HOST = '127.0.0.1', PORT = '8080', SHUTDOWN_TIMEOUT_MS = '20000' } = process.env;

function numberFrom(name, text, max) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new RangeError(`${name}: expected a whole number from 0 to ${max}, got '${text}'`);
}

const port = numberFrom('PORT', PORT, 65_535);
const timeoutMs = numberFrom('SHUTDOWN_TIMEOUT_MS', SHUTDOWN_TIMEOUT_MS, 3_600_000);
const pool = createPrimesPool();
const server = buildServer(pool);

let end;
const stop = () => {
  end ??= shutDown(server, pool, timeoutMs);
};

for (const signal of ['SIGTERM', 'SIGINT']) {
  // Added before anything is awaited: process 1 of a container ignores signals for which it has no listener.
  process.once(signal, () => {
    console.log(`${signal}: finishing what is open`);
    stop();
  });
}

pool.on('error', ({ error }) => {
  console.error(error);
  if (pool.stats().state !== 'broken') return;
  // A broken pool stays broken, and this pod would never be ready again. The orchestrator should start another one.
  process.exitCode = 1;
  stop();
});

try {
  // The server listens once the pool is ready: until then probes are refused, and no request comes.
  await pool.ready;
} catch (error) {
  if (end === undefined) throw error;
}
if (end === undefined) {
  server.listen(port, HOST, () =>
    console.log(`primes: http://${HOST}:${server.address().port}/primes?below=1000000`),
  );
}
