// A genotype file that threads search and aggregate.
import { conclude, judge, page } from './snp/page.js';
import { published } from './snp/published.js';
import { scenarios } from './snp/scenarios.js';

export default {
  id: 'snp',
  title: 'A genotype file, searched and aggregated',
  threads: 2,
  scenarios,
  published,
  differs:
    'The document does not say how the lines reach the threads, nor what is computed for each. In the row as published, the main thread does what ' +
    'suggests itself: it reads the file, cuts it into lines, starts a thread for each share of them, and sends the share as a message. ' +
    'A real export has about 600,000 lines: then the published program took 16 us for each. So one curve ' +
    'has a tenth of the lines, each held against 301 patterns, which takes about that long; the other curve has all lines, and hardly ' +
    'more to do than to read them. Ours reads slices of the file in warm workers that find the ends of their lines ' +
    'themselves, or the main thread reads the file into shared memory. A program makes the file, the ' +
    'same one each time; what is counted and found is compared with a count by another way.',
  judge,
  page,
  conclude,
};
