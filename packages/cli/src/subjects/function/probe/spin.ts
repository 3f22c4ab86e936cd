/** Runs tasks of a given length on the calling thread and in a pool, to find from which running time on a pool pays. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from 'threadwise';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf } from '../../../run/work/passing.js';
import { HOLD_MS, inChunks, keepOutstanding, rateOf, warmUp } from './outstanding.js';
import { echo, type EchoSetup, setup as prepare, spin } from './tasks.js';
import { standalone } from './values.js';

/** Iterations of one call that calibrates `spin`: some tens of microseconds. */
const PROBED = 20_000;
/** How many calls calibrate `spin`, and warm it up. The fastest counts: disturbances only make a call slower. */
const TRIES = 100;
const WARM_PIECE_MS = 20;
/** The length of the tasks that warm up the pool: short, so that handing over weighs most. Milliseconds. */
const WARM_RUN_MS = 0.003;
/** How many milliseconds it takes until idle workers stop looking for tasks and leave the core to the calling thread. */
const SETTLE_MS = 3;

export const open = async ({ input, passing, result, threads, outstanding, warmMs }: EchoSetup) => {
  const own = argumentsOf(standalone(input), passing);
  const data = { result: standalone(result) };
  prepare({ data });
  repeat(echo, TRIES, 0, own);
  await warmUp(iterationsPerMs, warmMs / 4);
  const perMs = iterationsPerMs();
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads, worker: { data } });
  await pool.ready;
  const step = async ({ runMs, ms }: { readonly runMs: number; readonly ms: number }) => {
    const iterations = Math.round(perMs * runMs);
    await sleep(SETTLE_MS);
    const chunk = Math.max(1, Math.round(HOLD_MS / runMs));
    const inline = await inChunks(chunk, ms, () => repeat(spin, chunk, iterations, own));
    const call = (): Promise<unknown> => pool.run('spin', [iterations, ...own]);
    return { inline: 1000 / inline.callMs, pool: rateOf(await keepOutstanding({ outstanding, ms, call })) };
  };
  await warmUp(async () => (await step({ runMs: WARM_RUN_MS, ms: WARM_PIECE_MS })).pool, (warmMs * 3) / 4);
  return { opened: undefined, step };
};

/**
 * Returns how many milliseconds `count` calls take. It is called with another function first, so that the compiler does not inline the task
 * into this loop: it cannot do that in a worker either, and both must run the same code.
 */
function repeat(
  run: (iterations: number, input: unknown) => unknown,
  count: number,
  iterations: number,
  input: unknown,
): number {
  const begin = performance.now();
  for (let i = 0; i < count; i++) run(iterations, input);
  return performance.now() - begin;
}

function iterationsPerMs(): number {
  const times = Array.from({ length: TRIES }, () => repeat(spin, 1, PROBED, undefined));
  return PROBED / Math.min(...times);
}

serveSteps(open);
