// https://github.com/tinylibs/tinypool, the pool of Vitest.
import { fileURLToPath } from 'node:url';
import { tasksUrl } from './workers/tasks-url.js';

/** @param hasBytes whether bytes cross: to processes, messages go as JSON by default, which does not carry them */
async function open({ threads, isolation, hasBytes = false }, options) {
  const { Tinypool } = await import('tinypool');
  const filename = fileURLToPath(tasksUrl);
  const runtime = isolation === 'process' ? 'child_process' : 'worker_threads';
  const serialization = hasBytes ? 'advanced' : undefined;
  const sizes = { minThreads: threads, maxThreads: threads };
  const pool = new Tinypool({ filename, ...sizes, runtime, serialization, ...options });
  return {
    call: (name, argument, transferList) => pool.run(argument, { name, transferList }),
    close: () => pool.destroy(),
  };
}

export default {
  role: 'published',
  package: 'tinypool',
  can: ['transfer', 'isolation'],
  quick: 'tinypool (8 per worker)',
  variants: {
    tinypool: (settings) => open(settings),
    'tinypool (8 per worker)': (settings) => open(settings, { concurrentTasksPerWorker: 8 }),
  },
};
