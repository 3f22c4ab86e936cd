// The first example to run: a job that gains by threads, one that does not, and why.
import { fileURLToPath } from 'node:url';
import { availableThreads } from 'threadwise';
import { explain } from './explain.js';
import { filesBelow, measure } from './measure.js';

const JOBS = [
  { task: 'compress', title: 'compress (Brotli)', name: 'Compressing' },
  { task: 'hash', title: 'hash (SHA-256)', name: 'Hashing' },
];
/** How many seconds one job may take in one thread: both jobs, both ways, take a few seconds in all. */
const SECONDS = Number(process.argv[2] ?? 1.5);

const root = fileURLToPath(new URL('../..', import.meta.url));
const paths = filesBelow(root);
const threads = availableThreads();
console.log(`Two jobs over source files of this project, in one thread and then on ${threads} of them:\n`);
const jobs = [];
for (const job of JOBS)
  jobs.push({ ...job, ...(await measure({ task: job.task, paths, threads, seconds: SECONDS })) });
console.log(explain(jobs));
console.log('\nYour own function: npm start -- analyze ./your-module.js#yourFunction --range 1..100');
