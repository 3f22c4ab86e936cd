// https://github.com/poolifier/poolifier
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('./workers/poolifier.js', import.meta.url));

async function open({ threads, isCold = false }) {
  const { FixedThreadPool, PoolEvents } = await import('poolifier');
  const pool = new FixedThreadPool(threads, worker);
  if (!isCold && !pool.info.ready) await once(pool.emitter, PoolEvents.ready);
  return {
    call: (name, argument, transfer) => pool.execute(argument, name, undefined, transfer),
    close: () => close(pool),
  };
}

/**
 * `destroy` begins to wait for a thread's exit only after it has told the thread to end. On one core the thread is often
 * gone by then, and `destroy` never settles: so this looks at the threads themselves as well.
 */
async function close(pool) {
  const workers = pool.workerNodes.map((node) => node.worker);
  let isDestroyed = false;
  pool.destroy().then(() => {
    isDestroyed = true;
  });
  while (!isDestroyed && workers.some(({ threadId }) => threadId !== -1)) await pause(5);
}

export default {
  role: 'published',
  package: 'poolifier',
  can: ['transfer'],
  variants: { poolifier: open },
};
