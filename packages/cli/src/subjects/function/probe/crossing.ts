/** Measures what a call costs besides running: a task that does nothing, with values as large as the user's, on each transport. */
import { createPool, type Pool } from 'threadwise';
import { cpuMs } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf } from '../../../run/work/passing.js';
import { type CrossingSamples, TRANSPORTS } from '../rules/samples.js';
import { keepOutstanding, middle, oneByOne, warmUp } from './outstanding.js';
import type { EchoSetup } from './tasks.js';
import { standalone } from './values.js';

interface CrossingStep {
  readonly transport: CrossingSamples['transport'];
  readonly ms: number;
}

/** Share of a slice in which calls are made one at a time. */
const ALONE_SHARE = 0.3;
const WARM_PIECE_MS = 40;

export const open = async ({ input, passing, result, threads, outstanding, warmMs }: EchoSetup) => {
  const given = [...argumentsOf(standalone(input), passing)];
  const pools = new Map<CrossingStep['transport'], Pool>();
  for (const transport of TRANSPORTS) {
    const worker = { data: { result: standalone(result) } };
    const pool = createPool(new URL('./tasks.js', import.meta.url), { threads, transport, worker });
    await pool.ready;
    pools.set(transport, pool);
  }
  const step = async ({ transport, ms }: CrossingStep) => {
    const call = () => pools.get(transport)!.run('echo', given);
    const cpu = cpuMs();
    const { calls } = await keepOutstanding({ outstanding, call, ms: ms * (1 - ALONE_SHARE) });
    const used = cpuMs() - cpu;
    return { cpuMs: used / calls, loneMs: middle(await oneByOne(call, ms * ALONE_SHARE)) };
  };
  for (const transport of TRANSPORTS) {
    const piece = async () => 1 / (await step({ transport, ms: WARM_PIECE_MS })).cpuMs;
    await warmUp(piece, warmMs / TRANSPORTS.length);
  }
  return { opened: undefined, step };
};

serveSteps(open);
