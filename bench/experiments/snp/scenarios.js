// One scenario for each number of threads.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { canonical, genotypes, WANTED } from '../../fixtures/genotypes.js';
import { withPool } from '../../driver/with-pool.js';
import { measurePasses } from '../crossing/hashing.js';
import { cpuMs, totalMs } from '../crossing/metrics.js';
import { studyInShares } from './as-published.js';
import { studyByOffset, studyInSharedBuffer } from './slices.js';

const THREADS = [1, 2, 3, 4, 5, 6, 7];
const QUICK_THREADS = [1, 2, 4];
const CONTENDERS = ['threadwise', 'piscina', 'inline', AS_PUBLISHED];
const PATTERN = `^rs\\d*${WANTED.digits}\\t.*\\t${WANTED.genotype}$`;

const isAsPublished = ({ id }) => id === AS_PUBLISHED;

const SHARES = { id: 'a thread for each share', takes: isAsPublished };
const BY_OFFSET = { id: 'slices by offset', takes: (contender) => !isAsPublished(contender) };
const SHARED = { id: 'shared buffer', takes: ({ id }) => id === 'threadwise' };

async function run(context) {
  const { contender, threads, way, given, budget } = context;
  const order = { path: given.path, pattern: PATTERN, threads };
  if (isAsPublished(contender)) return measure(given, budget, () => studyInShares(order));
  const studyWith = way === SHARED.id ? studyInSharedBuffer : studyByOffset;
  return withPool(context, (pool) => measure(given, budget, () => studyWith(pool, order)));
}

/** What all passes have counted and found is compared with what is right. */
async function measure(given, budget, work) {
  const pass = async () => ({ digests: [canonical(await work())], readingMs: 0 });
  const { totalMs: total, cpuMs: cpu } = await measurePasses(budget, given.digest, pass);
  return { totalMs: total, cpuMs: cpu };
}

const scenario = (threads) => ({
  id: `threads-${threads}`,
  title: `A genotype file of 600,000 lines, searched and aggregated; threads: ${threads}`,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  fixture: genotypes,
  metrics: [totalMs, cpuMs],
  ways: [SHARES, BY_OFFSET, SHARED],
  takes: ({ id }) => CONTENDERS.includes(id),
  run,
});

export const scenarios = THREADS.map(scenario);
