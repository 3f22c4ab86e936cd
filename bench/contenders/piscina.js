// https://github.com/piscinajs/piscina, with its defaults, and with the settings that its documentation gives for throughput
// and for threads that stay responsive between tasks.
import { fileURLToPath } from 'node:url';
import { tasksUrl } from './workers/tasks-url.js';

async function open({ threads }, options) {
  const { Piscina } = await import('piscina');
  const filename = fileURLToPath(tasksUrl);
  const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads, ...options });
  return {
    call: (name, argument, transferList) => pool.run(argument, { name, transferList }),
    close: () => pool.close(),
  };
}

export default {
  role: 'published',
  package: 'piscina',
  can: ['transfer'],
  quick: 'piscina (8 per worker)',
  variants: {
    piscina: (settings) => open(settings),
    'piscina (8 per worker)': (settings) => open(settings, { concurrentTasksPerWorker: 8 }),
    'piscina (async atomics)': (settings) => open(settings, { atomics: 'async' }),
  },
};
