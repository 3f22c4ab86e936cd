// Reads files in several ways: blocking or not, one after the other or together, on the main thread or elsewhere.
import { conclude, judge, page } from './read-files/page.js';
import { published } from './read-files/published.js';
import { scenarios } from './read-files/scenarios.js';

export default {
  id: 'read-files',
  title: 'Reading small and large files: six ways, and in workers',
  threads: 2,
  scenarios,
  published,
  differs:
    'The same file is read again and again, as published: it comes out of the cache of the system, and ' +
    'what is measured is not the disk. A first pass warms up, and is not counted; the median of further ' +
    'ones counts. Each pass starts its processes anew, as many as there are cores. Each content is checked by its ' +
    'length and three of its bytes. In processes and in workers the content stays where it was read, for ' +
    'work that is done there; in the other ways it is in the main thread. The load of the cores over ' +
    'time is that of the first round, as long as passes are repeated.',
  judge,
  page,
  conclude,
};
