// How much memory idle threads take.
import { conclude, judge, page } from './memory/page.js';
import { published } from './memory/published.js';
import { LOADING, scenarios } from './memory/scenarios.js';

export default {
  id: 'memory',
  title: 'Memory of idle threads',
  threads: 1,
  scenarios,
  published,
  differs:
    'The process that starts the threads is that of a sample, and has the experiment loaded. The figures of 0 threads show ' +
    'that process; the difference between two numbers of threads does not contain it. The sizes are read from where ' +
    'ps reads them. Garbage is collected before, so that what a thread keeps is measured, and not what its start ' +
    'left. A pool has been used before: each of its threads has run a task. With 0 threads there is no ' +
    'pool, and its package is not loaded. The size of a thread is the slope over 1 to 16 of them, not the ' +
    'difference to 0. Added: threads that load a module, by its size; the module is made for that, and has a function in each KiB.',
  x: (curve) => (curve === LOADING ? 'KiB of source' : 'idle threads'),
  judge,
  page,
  conclude,
};
