// https://github.com/jestjs/jest/tree/main/packages/jest-worker, with threads instead of its default, processes.
import { fileURLToPath } from 'node:url';
import * as tasks from '../driver/tasks.js';
import { tasksUrl } from './workers/tasks-url.js';

async function open({ threads }) {
  const { Worker } = await import('jest-worker');
  const pool = new Worker(fileURLToPath(tasksUrl), {
    numWorkers: threads,
    enableWorkerThreads: true,
    exposedMethods: Object.keys(tasks),
  });
  return {
    call: (name, argument) => pool[name](argument),
    close: () => pool.end(),
  };
}

export default { role: 'published', package: 'jest-worker', variants: { 'jest-worker': open } };
