// The article's first experiment: the main thread reads many files, synchronously, and gives each to a thread that
// hashes it.
import { conclude, judge, page } from './hash-direct/page.js';
import { published } from './hash-direct/published.js';
import { scenarios } from './hash-direct/scenarios.js';

export default {
  id: 'hash-direct',
  title: 'Files that the main thread reads, synchronously, and threads hash',
  threads: 2,
  scenarios,
  published,
  differs:
    'The published worker posts its result before it releases the lock, and can lose a task by that. Ours ' +
    'releases the lock first; only the lock says which worker is free; and a thread that is woken looks at the lock again, since ' +
    'a notification can come late. Each number of workers has a process of its own, with no more workers than that. As published, the main thread gives ' +
    'its event loop no turn between two files, the queue is first in, first out, and of several free workers the one that became free last is taken. In one ' +
    'more row the messages are in memory, as in the program that the article has before this one. Other rows keep 64 files on their way. In a scenario of its own ' +
    '(in-one-go) all rows read without a pause, and what is measured is how many files are left to hash ' +
    'when all are read. In another one (main-matches) the main thread runs a regular expression over each message instead ' +
    'of reading. The digests of each pass are checked. Files come out of the cache of the system, ' +
    'after one or two passes that are not counted.',
  judge,
  page,
  conclude,
};
