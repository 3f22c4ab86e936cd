// The primary process: it starts the others, replaces one that dies, and ends them.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Resolves when all processes listen.
 * @param threads of each process' pool; 0: no pool
 * @param onReplace called with the process ids of one that has died and of the one that listens in its place
 * @returns the address, the process ids, and `stop`, which resolves when no process is left
 */
export async function startCluster({ processes, threads, port = 0, onReplace = () => {} }) {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./server.js', import.meta.url)) });
  const workers = new Set();
  let isStopping = false;

  async function start() {
    const worker = cluster.fork({ PORT: String(port), THREADS: String(threads) });
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
    const address = await listening(worker);
    worker.once('exit', () => {
      if (isStopping) return;
      // If this one dies as well before it listens, something is wrong with all of them: then the program ends, and with it the others.
      void start().then(() => onReplace(worker.process.pid));
    });
    return address;
  }

  async function stop() {
    isStopping = true;
    await Promise.all([...workers].map((worker) => ended(worker)));
  }

  try {
    const [address] = await Promise.all(Array.from({ length: processes }, start));
    const pids = () => [...workers].map((worker) => worker.process.pid);
    return { url: `http://${address.address}:${address.port}`, pids, stop };
  } catch (error) {
    for (const worker of workers) worker.process.kill('SIGKILL');
    throw error;
  }
}

/** Its address. */
async function listening(worker) {
  const over = new AbortController();
  const { signal } = over;
  const died = once(worker, 'exit', { signal }).then(([code, by]) => {
    throw new Error(
      `Process ${worker.process.pid} ended before it listened, with ${by ?? `exit code ${code}`}`,
    );
  });
  try {
    const [address] = await Promise.race([once(worker, 'listening', { signal }), died]);
    return address;
  } finally {
    over.abort(); // takes the listeners away
  }
}

async function ended(worker) {
  const exit = once(worker, 'exit');
  worker.send('end', () => {}); // one that cannot be told is just ending
  await exit;
}
