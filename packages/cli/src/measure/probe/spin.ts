/** Tasks that compute for a given time, on the calling thread and in a pool: from which running time on crossing pays. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createPool } from 'threadwise';
import { HOLD_MS, keepOutstanding } from './outstanding.js';
import type { Open, SpinSlice, SpinStep } from './protocol.js';
import { setup as prepare, spin } from './tasks.js';
import { standalone } from './values.js';
import { warmUp } from './warm-up.js';

/** Iterations of a call by which it is found how many make a millisecond: some tens of microseconds. */
const PROBED = 20_000;
/** Calls that are timed, and warm it up. The fastest counts: whatever disturbs only makes it slower. */
const TRIES = 100;
/** Milliseconds. */
const WARM_PIECE_MS = 20;
/** Where handing over weighs most, it has to be warm. Milliseconds. */
const WARM_RUN_MS = 0.003;
/** Until the workers have stopped looking for more to do, and leave the core to the calling thread. Milliseconds. */
const SETTLE_MS = 3;

export const open: Open<'spin'> = async ({ input, result, threads, outstanding, warmMs }) => {
  const own = standalone(input);
  const data = { result: standalone(result) };
  prepare({ data });
  await warmUp(iterationsPerMs, warmMs / 4);
  const perMs = iterationsPerMs();
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads, worker: { data } });
  await pool.ready;
  const step = async ({ runMs, ms }: SpinStep): Promise<SpinSlice> => {
    const iterations = Math.round(perMs * runMs);
    await sleep(SETTLE_MS);
    const inline = await inlineRate(iterations, own, runMs, ms);
    return { inline, pool: await poolRate(() => pool.run('spin', [iterations, own]), outstanding, ms) };
  };
  await warmUp(async () => (await step({ runMs: WARM_RUN_MS, ms: WARM_PIECE_MS })).pool, (warmMs * 3) / 4);
  return { opened: undefined, step };
};

function iterationsPerMs(): number {
  const times = Array.from({ length: TRIES }, () => {
    const begin = performance.now();
    spin(PROBED, undefined);
    return performance.now() - begin;
  });
  return PROBED / Math.min(...times);
}

async function inlineRate(iterations: number, input: unknown, runMs: number, ms: number): Promise<number> {
  const chunk = Math.max(1, Math.round(HOLD_MS / runMs));
  const end = performance.now() + ms;
  let [calls, spent] = [0, 0];
  while (performance.now() < end) {
    const begin = performance.now();
    for (let i = 0; i < chunk; i++) spin(iterations, input);
    spent += performance.now() - begin;
    calls += chunk;
    await turn();
  }
  return (calls * 1000) / spent;
}

async function poolRate(call: () => Promise<unknown>, outstanding: number, ms: number): Promise<number> {
  const load = { outstanding, turnsLoop: false };
  const { calls, begin, drained } = await keepOutstanding({ ...load, ms, call });
  return (calls * 1000) / (drained - begin);
}
