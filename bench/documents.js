// The published documents about threads in Node.js whose experiments are repeated here, with the ids of those experiments.
export const DOCUMENTS = [
  {
    title: 'Shared memory and a coordinator',
    author: 'article series, Habr',
    experiments: ['hash-direct', 'hash-coordinator'],
  },
  {
    title: 'Multithreaded JavaScript, ch. 8',
    author: 'T. Hunter II, B. English',
    experiments: ['memory', 'cores', 'template'],
  },
  { title: 'Javascript Worker Threads', author: 'G. Wedlich', experiments: ['fibonacci'] },
  { title: 'Every non-blocking operation has a price', author: 'article, Habr', experiments: ['read-files'] },
  { title: 'Threads in Node', author: 'O. Tryshchenko', experiments: ['snp', 'cluster'] },
];
