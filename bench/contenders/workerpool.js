// https://github.com/josdejong/workerpool
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('./workers/workerpool.js', import.meta.url));

/** @param hasBytes as for tinypool */
async function open({ threads, isolation = 'thread', hasBytes = false }) {
  const { default: workerpool } = await import('workerpool');
  const pool = workerpool.pool(worker, {
    workerType: isolation,
    forkOpts: hasBytes ? { serialization: 'advanced' } : {},
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
