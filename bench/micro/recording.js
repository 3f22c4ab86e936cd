// How much the recording of statistics costs the trivial call: the same pool with and without it, in processes that take turns.
// node bench/micro/recording.js [pairs]
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const dist = new URL('../../packages/threadwise/dist/', import.meta.url);
const load = (name) => import(new URL(name, dist).href);
const self = fileURLToPath(import.meta.url);

const OUTSTANDING = 1000;
const CALLS = 300_000;
const WARM_UP_CALLS = 600_000;
/** How many passes are timed; the median counts. */
const PASSES = 7;
/** The arguments of the two processes of a pair. */
const WAYS = ['with', 'without'];

/** Replaces the methods that are called for each task with empty ones: the pool then measures nothing. */
async function measureNothing() {
  const [{ MeasuredRecorder }, { CrossingMeter }] = await Promise.all([
    load('metrics/measured.js'),
    load('core/calls/crossing-meter.js'),
  ]);
  const nothing = () => undefined;
  Object.assign(MeasuredRecorder.prototype, { settled: nothing, ended: nothing });
  Object.assign(CrossingMeter.prototype, {
    wantsSubmission: () => false,
    settled: nothing,
    batchEnded: nothing,
  });
}

/** Calls per second. */
async function rateOf(way) {
  if (way === 'without') await measureNothing();
  const { createPool } = await load('index.js');
  const pool = createPool(new URL('../driver/tasks.js', import.meta.url), { threads: 2 });
  await pool.ready;
  const call = async (count) => {
    let left = count;
    const one = async () => {
      while (left-- > 0) await pool.run('increment', [left]);
    };
    await Promise.all(Array.from({ length: OUTSTANDING }, one));
  };
  await call(WARM_UP_CALLS);
  const rates = [];
  for (let pass = 0; pass < PASSES; pass++) {
    const began = performance.now();
    await call(CALLS);
    rates.push((1000 * CALLS) / (performance.now() - began));
  }
  await pool.close();
  return middleOf(rates);
}

function middleOf(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function compare(pairs) {
  const ratios = [];
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? WAYS : WAYS.toReversed();
    const rates = Object.fromEntries(
      order.map((way) => [way, Number(execFileSync(process.execPath, [self, way]))]),
    );
    ratios.push(rates.with / rates.without);
    const [a, b] = WAYS.map((way) => Math.round(rates[way]).toLocaleString('en-US'));
    console.log(`${a} calls/s with all that is measured, ${b} without: ${ratios.at(-1).toFixed(3)}`);
  }
  const sorted = ratios.toSorted((a, b) => a - b);
  console.log(
    `median ${middleOf(ratios).toFixed(3)} x, ${sorted[0].toFixed(3)} to ${sorted.at(-1).toFixed(3)}`,
  );
}

const [first = '15'] = process.argv.slice(2);
if (WAYS.includes(first)) console.log(await rateOf(first));
else compare(Number(first));
