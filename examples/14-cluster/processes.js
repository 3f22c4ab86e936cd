// The primary process: starts the others, replaces one that dies, and ends them all.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts the processes. Resolves when all of them listen.
 * @param threads how many threads the pool of each process has; 0: no pool
 * @param onReplace called with the id of a process that has died, once another listens in its place
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
      // If the new process also dies before it listens, all would: the unhandled rejection ends the program, and with it the others.
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

/** Resolves to the address on which a process listens. Rejects if the process ends before. */
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
    over.abort(); // removes the listeners
  }
}

async function ended(worker) {
  const exit = once(worker, 'exit');
  worker.send('end', () => {}); // if that cannot be sent, the process is ending already
  await exit;
}
