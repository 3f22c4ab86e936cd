// A genotype file that threads search and aggregate.
import { conclude } from './snp/conclude.js';
import { published } from './snp/published.js';
import { scenarios } from './snp/scenarios.js';

const rows = [
  'as published, a thread for each share',
  'threadwise, slices by offset',
  'threadwise, shared buffer',
  'piscina, slices by offset',
  'inline',
];

export default {
  id: 'snp',
  title: 'A genotype file of 600,000 lines, searched and aggregated',
  threads: 2,
  scenarios,
  published,
  differs:
    'How the lines reach the threads is not described. In the row as published, the main thread reads the ' +
    'file, cuts it into lines and starts a thread for each share of them, which it gets as a message: what ' +
    'suggests itself. Ours reads slices of the file in warm workers, that find the ends of their lines ' +
    'themselves; or the main thread reads the file into shared memory. The file is made by a program, the ' +
    'same each time, and what is counted and found is compared with a count by another way. What the ' +
    'published program computed for each line is not known, and took longer.',
  plots: [{ title: 'Total time', metric: 'totalMs', x: { label: 'threads' }, rows }],
  conclude,
};
