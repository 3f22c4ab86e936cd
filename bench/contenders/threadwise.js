// Ours.
import { tasksUrl } from './workers/tasks-url.js';

async function open({ threads }, options) {
  const { createPool } = await import('threadwise');
  const pool = createPool(tasksUrl, { threads, ...options });
  await pool.ready;
  return {
    call: (name, argument) => pool.run(name, [argument]),
    close: () => pool.close(),
  };
}

export default {
  role: 'ours',
  package: 'threadwise',
  variants: {
    'threadwise (message)': (settings) => open(settings, { transport: 'message' }),
  },
};
