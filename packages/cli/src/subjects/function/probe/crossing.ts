/** What a call costs beside running: a task that does nothing, with values as large as the user's, on each transport. */
import { createPool, type Pool } from 'threadwise';
import { cpuMs } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { argumentsOf } from '../../../run/work/passing.js';
import { keepOutstanding, middle, oneByOne, warmUp } from './outstanding.js';
import type { EchoSetup } from './tasks.js';
import { standalone } from './values.js';

const TRANSPORTS = ['shared', 'message'] as const;

interface CrossingStep {
  readonly transport: (typeof TRANSPORTS)[number];
  readonly ms: number;
}

/** Share of a slice in which calls are made one at a time. */
const ALONE_SHARE = 0.3;
/** Milliseconds. */
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
  const run = ({ transport, ms }: CrossingStep) =>
    slice(() => pools.get(transport)!.run('echo', given), outstanding, ms);
  for (const transport of TRANSPORTS) {
    const piece = async () => 1 / (await run({ transport, ms: WARM_PIECE_MS })).cpuMs;
    await warmUp(piece, warmMs / TRANSPORTS.length);
  }
  return { opened: undefined, step: run };
};

async function slice(call: () => Promise<unknown>, outstanding: number, ms: number) {
  const cpu = cpuMs();
  const load = { outstanding, turnsLoop: false, call };
  const { calls } = await keepOutstanding({ ...load, ms: ms * (1 - ALONE_SHARE) });
  const used = cpuMs() - cpu;
  return { cpuMs: used / calls, loneMs: middle(await oneByOne(call, ms * ALONE_SHARE)) };
}

serveSteps(open);
