/** What a crossing costs, and how long a call must run for threads to pay: tasks that do nothing, or only compute, on values like the user's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from 'threadwise';
import { cpuMs } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { middleOf } from '../../../experiment/statistics.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { type Transport, TRANSPORTS } from '../rules/samples.js';
import { HOLD_MS, inChunks, keepOutstanding, oneByOne, rateOf, warmUp } from './calls.js';
import { echo, setup as prepare, spin } from './tasks.js';
import { standalone } from './values.js';

interface CostsSetup {
  readonly input: unknown;
  readonly passing: Passing;
  /** What the tasks return: one of the user's results. */
  readonly result: unknown;
  readonly threads: number;
  readonly outstanding: number;
  readonly warmMs: number;
}

type CostsStep = { readonly ms: number } & ({ readonly transport: Transport } | { readonly runMs: number });

/** `cpuMs` and `loneMs` of a crossing; the rates `inline` and `pool` of tasks that compute. */
type CostsSlice = Readonly<Record<'cpuMs' | 'loneMs' | 'inline' | 'pool', number>>;

/** Share of a slice of crossings in which calls are made one at a time. */
const ALONE_SHARE = 0.3;
/** Iterations of one call that calibrates `spin`: some tens of microseconds. */
const PROBED = 20_000;
/** How many calls calibrate `spin`, and warm it up. The fastest counts: disturbances only make a call slower. */
const TRIES = 100;
const WARM_PIECE_MS = 40;
/** The length of the tasks that warm up the pool: short, so that handing over weighs most. Milliseconds. */
const WARM_RUN_MS = 0.003;
/** How many milliseconds it takes until idle workers stop looking for tasks and leave the core to others. */
const SETTLE_MS = 3;

export const open = async ({ input, passing, result, threads, outstanding, warmMs }: CostsSetup) => {
  const own = [...argumentsOf(standalone(input), passing)];
  const data = { result: standalone(result) };
  const pools = {} as Record<Transport, Pool>;
  for (const transport of TRANSPORTS) {
    const tasks = new URL('./tasks.js', import.meta.url);
    pools[transport] = createPool(tasks, { threads, transport, worker: { data } });
    await pools[transport].ready;
  }
  prepare({ data });
  repeat(echo, TRIES, 0, own);
  await warmUp(iterationsPerMs, warmMs / 4);
  const perMs = iterationsPerMs();
  const cross = async (transport: Transport, ms: number) => {
    const call = () => pools[transport].run('echo', own);
    const cpu = cpuMs();
    const { calls } = await keepOutstanding({ outstanding, call, ms: ms * (1 - ALONE_SHARE) });
    const used = cpuMs() - cpu;
    return { cpuMs: used / calls, loneMs: middleOf(await oneByOne(call, ms * ALONE_SHARE))! };
  };
  /** Computes for half of the time on this thread, and for half in the pool. */
  const compute = async (runMs: number, ms: number) => {
    const iterations = Math.round(perMs * runMs);
    const chunk = Math.max(1, Math.round(HOLD_MS / runMs));
    const inline = await inChunks(chunk, ms / 2, () => repeat(spin, chunk, iterations, own));
    const call = (): Promise<unknown> => pools.shared.run('spin', [iterations, ...own]);
    const loaded = await keepOutstanding({ outstanding, ms: ms / 2, call });
    return { inline: 1000 / inline.callMs, pool: rateOf(loaded) };
  };
  for (const transport of TRANSPORTS) {
    await warmUp(async () => 1 / (await cross(transport, WARM_PIECE_MS)).cpuMs, warmMs / 4);
  }
  await warmUp(async () => (await compute(WARM_RUN_MS, WARM_PIECE_MS)).pool, warmMs / 4);
  const step = async ({ ms, ...of }: CostsStep) => {
    await sleep(SETTLE_MS);
    return ('runMs' in of ? await compute(of.runMs, ms) : await cross(of.transport, ms)) as CostsSlice;
  };
  return { opened: undefined, step };
};

/** Returns the milliseconds of `count` calls. Called with two functions, so that neither is inlined into the loop: no worker can do that either. */
function repeat(run: typeof spin, count: number, iterations: number, input: unknown): number {
  const begin = performance.now();
  for (let i = 0; i < count; i++) run(iterations, input);
  return performance.now() - begin;
}

function iterationsPerMs(): number {
  const times = Array.from({ length: TRIES }, () => repeat(spin, 1, PROBED, undefined));
  return PROBED / Math.min(...times);
}

serveSteps(open);
