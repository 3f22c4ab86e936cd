// Two scenarios for each number of threads: with much and with little work for a line.
import { AS_PUBLISHED, isAsPublished } from '../../contenders/as-published.js';
import { isOurs } from '../../contenders/threadwise.js';
import { canonical, fewGenotypes, genotypes, PANEL, WANTED } from '../../fixtures/genotypes.js';
import { withPool } from '../../driver/with-pool.js';
import { measurePasses } from '../crossing/hashing.js';
import { cpuMs, totalMs } from '../crossing/metrics.js';
import { studyByOffset, studyInSharedBuffer, studyInShares } from './slices.js';

const THREADS = [1, 2, 3, 4, 5, 6, 7];
const QUICK_THREADS = [1, 2, 4];
const QUICK_LIGHT_THREADS = 2;
/** The numbers of threads at which ours is measured; the published pool and inline are measured at one of them. */
const COMPARED_THREADS = [1, 2, 4, 7];
const FEWER = { threadwise: COMPARED_THREADS, piscina: [2], inline: [2] };
const CONTENDERS = ['threadwise', 'piscina', 'inline', AS_PUBLISHED];
const PATTERN = `^rs\\d*${WANTED.digits}\\t.*\\t${WANTED.genotype}$`;

/** As published: if its file had the 600,000 lines of a real export, a line took 16 us. The other curve does little but read lines. */
export const HEAVY = 'as much work for a line as published';
const LIGHT = 'little work for a line';

const SHARES = { id: 'a thread for each share', takes: isAsPublished };
const BY_OFFSET = { id: 'slices by offset', takes: (contender) => !isAsPublished(contender) };
const SHARED = { id: 'shared buffer', takes: isOurs };

async function run(panel, context) {
  const { contender, threads, way, given, budget } = context;
  const order = { path: given.path, pattern: PATTERN, panel, threads };
  if (isAsPublished(contender)) return measure(given, budget, () => studyInShares(order));
  const studyWith = way === SHARED.id ? studyInSharedBuffer : studyByOffset;
  return withPool(context, (pool) => measure(given, budget, () => studyWith(pool, order)));
}

/** Compares what every pass has counted and found with the right result. */
async function measure(given, budget, work) {
  const pass = async () => ({ digests: [canonical(await work())], readingMs: 0 });
  const { totalMs: total, cpuMs: cpu } = await measurePasses(budget, given.digest, pass);
  return { totalMs: total, cpuMs: cpu };
}

const shared = (threads) => ({
  x: threads,
  threads,
  metrics: [totalMs, cpuMs],
  takes: ({ id }) => CONTENDERS.includes(id) && (FEWER[id] ?? THREADS).includes(threads),
});

const heavy = (threads) => ({
  ...shared(threads),
  id: `heavy-${threads}`,
  title: `A genotype file of 60,000 lines, each held against 301 patterns; threads: ${threads}`,
  curve: HEAVY,
  isQuick: QUICK_THREADS.includes(threads),
  fixture: fewGenotypes,
  ways: [SHARES, BY_OFFSET],
  run: (context) => run(PANEL, context),
});

const light = (threads) => ({
  ...shared(threads),
  id: `threads-${threads}`,
  title: `A genotype file of 600,000 lines, searched and aggregated; threads: ${threads}`,
  curve: LIGHT,
  isQuick: threads === QUICK_LIGHT_THREADS,
  fixture: genotypes,
  ways: [SHARES, BY_OFFSET, SHARED],
  run: (context) => run(undefined, context),
});

export const scenarios = [...THREADS.map(heavy), ...COMPARED_THREADS.map(light)];
