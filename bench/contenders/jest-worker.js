// https://github.com/jestjs/jest/tree/main/packages/jest-worker, with threads unless processes, its default, are asked for.
import { fileURLToPath } from 'node:url';
import * as tasks from '../driver/tasks.js';
import { tasksUrl } from './workers/tasks-url.js';

async function open({ threads, isolation }) {
  const { Worker } = await import('jest-worker');
  const pool = new Worker(fileURLToPath(tasksUrl), {
    numWorkers: threads,
    enableWorkerThreads: isolation !== 'process',
    exposedMethods: Object.keys(tasks),
  });
  return {
    call: (name, argument) => pool[name](argument),
    close: () => pool.end(),
  };
}

export default {
  role: 'published',
  package: 'jest-worker',
  can: ['isolation'],
  variants: { 'jest-worker': open },
};
