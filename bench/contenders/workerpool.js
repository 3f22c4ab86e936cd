// https://github.com/josdejong/workerpool
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('./workers/workerpool.js', import.meta.url));

async function open({ threads, isolation = 'thread' }) {
  const { default: workerpool } = await import('workerpool');
  const pool = workerpool.pool(worker, {
    workerType: isolation,
    minWorkers: threads,
    maxWorkers: threads,
  });
  return {
    call: (name, argument, transfer) => pool.exec(name, [argument], transfer && { transfer }),
    close: () => pool.terminate(),
  };
}

export default {
  role: 'published',
  package: 'workerpool',
  can: ['transfer', 'isolation'],
  variants: { workerpool: open },
};
