// A genotype file that threads search and aggregate.
import { conclude, judge } from './snp/conclude.js';
import { page } from './snp/page.js';
import { published } from './snp/published.js';
import { scenarios } from './snp/scenarios.js';

export default {
  id: 'snp',
  title: 'A genotype file, searched and aggregated',
  threads: 2,
  scenarios,
  published,
  differs:
    'How the lines reach the threads is not described, nor what is computed for each of them. In the row as published, the main thread reads the ' +
    'file, cuts it into lines and starts a thread for each share of them, which it gets as a message: what ' +
    'suggests itself. A real export has about 600,000 lines: then the published program took 16 us for each. So one curve ' +
    'has a tenth of the lines, each held against 301 patterns, which takes about that long; the other one has all lines, and hardly ' +
    'more to do than to read them. Ours reads slices of the file in warm workers, that find the ends of their lines ' +
    'themselves; or the main thread reads the file into shared memory. The file is made by a program, the ' +
    'same each time, and what is counted and found is compared with a count by another way.',
  x: () => 'threads',
  judge,
  page,
  conclude,
};
