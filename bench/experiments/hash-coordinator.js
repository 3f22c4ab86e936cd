// The article's second experiment: like hash-direct, but a coordinator, a thread of its own, hands out the files.
import { conclude, judge, page, tables } from './hash-coordinator/page.js';
import { published } from './hash-coordinator/published.js';
import { scenarios } from './hash-coordinator/scenarios.js';

export default {
  id: 'hash-coordinator',
  title: 'Files that the main thread reads, a coordinator hands out, and threads hash',
  threads: 2,
  scenarios,
  published,
  differs:
    'The published worker posts its result before it releases its lock, and can lose a task by that. Ours ' +
    'releases the lock first, and a thread that is woken looks at the lock again. Each number of workers has a process of its own, with no ' +
    'more workers than that. Other rows: the same without a ' +
    'coordinator, as in hash-direct; our coordinator, with files that are read into leases, and with moved buffers. Our ' +
    'default, whose workers take their tasks by themselves, is in hash-direct. In a scenario of its own (in-one-go) all ' +
    'rows read without a pause, and what is measured is how many files are left to hash when all are read. In another one (sizing) ' +
    'our coordinator finds the number of workers by itself, which the article announces for its next part. ' +
    'Utilisation is that of all passes together, the first ones as well.',
  judge,
  page,
  conclude,
  tables,
};
