// A small file read many times, a small file read a few times, and a large one: each in all ways.
import { performance } from 'node:perf_hooks';
import { AS_PUBLISHED, isAsPublished } from '../../contenders/as-published.js';
import { isOurs } from '../../contenders/threadwise.js';
import { twoFiles } from '../../fixtures/two-files.js';
import { median } from '../../conclusions/statistics.js';
import { withPool } from '../../driver/with-pool.js';
import { percent, perSecond } from '../crossing/metrics.js';
import { Checker } from './checking.js';
import { watchCores } from './core-load.js';
import { batched, oneByOne, withReadFiles } from './in-workers.js';
import { NAMES } from './published.js';
import { twoRequests } from './two-requests.js';
import * as published from './ways.js';

const isPublishedPool = ({ role }) => role === 'published';

const SIX = [
  published.loopOfReadFileSync,
  published.chainOfReadFileSync,
  published.chainOfReadFile,
  published.allOfReadFileSync,
  published.allOfReadFile,
  published.loopsInProcesses,
];
const WAYS = [
  ...SIX.map((read, i) => ({ id: NAMES[i], takes: isAsPublished, read: (_pool, order) => read(order) })),
  { id: 'workers read, batched', takes: isOurs, read: batched },
  { id: 'workers read, one a call', takes: isOurs, isQuick: false, read: oneByOne },
  { id: 'workers read, one a call', takes: isPublishedPool, read: oneByOne },
  { id: 'readFiles', takes: isOurs, read: withReadFiles },
];

async function run(file, timesOf, context) {
  const { contender, threads, way, given, budget } = context;
  const order = { ...given[file], threads, times: timesOf(budget) };
  const { read } = WAYS.find(({ id }) => id === way);
  if (isAsPublished(contender)) return measure(() => readOnce(read, undefined, order), order, budget);
  return withPool(context, (pool) => measure(() => readOnce(read, pool, order), order, budget));
}

/** Resolves to how many milliseconds the reads take. Rejects if a content is missing or wrong. */
async function readOnce(read, pool, order) {
  const checker = new Checker(order.probes);
  const { onContent, onChecked } = checker;
  const start = performance.now();
  const opened = await read(pool, { ...order, onContent, onChecked });
  const milliseconds = performance.now() - start;
  checker.expect(order.times);
  await opened?.close?.();
  return milliseconds;
}

/** How long passes are repeated at least, as a share of `loadMs`: the picture of the load over time needs many readings. */
const PICTURE_SHARE = 1 / 3;

/** Repeats passes for as long as is measured; the median counts. */
async function measure(pass, { times }, { measureMs, loadMs }) {
  await pass();
  globalThis.gc?.();
  const cores = await watchCores();
  const passes = [];
  const end = performance.now() + Math.max(measureMs, PICTURE_SHARE * loadMs);
  do passes.push(await pass());
  while (performance.now() < end);
  const { coresPercent, busiestPercent, overTime } = await cores.stop();
  const readsPerSecond = (times * 1000) / median(passes);
  return { readsPerSecond, coresPercent, busiestPercent, coresOverTime: overTime };
}

const optional = (metric) => ({ ...metric, isOptional: true });

const scenario = (id, file, title, timesOf) => ({
  id,
  title,
  fixture: twoFiles,
  metrics: [
    perSecond('readsPerSecond', 'reads'),
    optional(percent.lower('coresPercent', 'all cores %')),
    optional(percent.lower('busiestPercent', 'busiest core %')),
  ],
  ways: WAYS,
  takes: ({ id: contender }) => ['threadwise', 'piscina (8 per worker)', AS_PUBLISHED].includes(contender),
  run: (context) => run(file, timesOf, context),
});

/** How many reads there are: fewer with a small budget, as with the files of other experiments. */
const few = ({ files }) => Math.max(1, Math.min(100, Math.floor(files / 40)));
const many = ({ files }) => Math.min(10_000, Math.ceil(2.5 * files));

export const scenarios = [
  scenario('small-many', 'small', 'A file of 3.3 kB, read 10,000 times', many),
  scenario('small-few', 'small', 'A file of 3.3 kB, read 100 times', few),
  scenario('large', 'large', 'A file of 6.5 MB, read 100 times', few),
  twoRequests,
];
