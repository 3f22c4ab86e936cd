// Workers in processes of their own: what a call costs, and how much memory a worker takes.
import { inProcesses } from './processes/calls.js';
import { memory, sharedMemory } from './processes/memory.js';
import { page } from './processes/page.js';

export default {
  id: 'processes',
  title: 'What it costs to have work done in another process',
  threads: 2,
  page,
  scenarios: [...inProcesses, memory, sharedMemory],
};
