// An API that computes: one process, several processes behind one port, or one process with a pool.
import { conclude, judge, page } from './cluster/page.js';
import { published } from './cluster/published.js';
import { scenarios } from './cluster/scenarios.js';

export default {
  id: 'cluster',
  title: 'An API that computes: one process, a cluster of processes, or a pool of threads',
  threads: 4,
  scenarios,
  published,
  differs:
    'A request computes for about 70 ms (it counts prime numbers), as long as the published one; its answer is checked. Users are ' +
    'connections that stay open and ask again ' +
    'as soon as they are answered; a tenth as many requests go first and are not counted. Beside one process and ' +
    'clusters: one process with a pool of as many threads as the cluster has processes, since the advice is to take a cluster ' +
    'and not threads.',
  x: () => 'processes, or threads',
  judge,
  page,
  conclude,
};
