/** The function on the calling thread: what threads are compared with. */
import { idleDelayMs, watchGarbage, watchProcess } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { asyncCalls, syncCalls } from './calls.js';
import { loadSubject, type SubjectReference } from './subject.js';
import { standalone } from './values.js';

export interface InlineSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  readonly isAsync: boolean;
  /** Whether each call gets a copy of its input, made while the clock is stopped, because the function changes its argument. */
  readonly copiesInputs: boolean;
  readonly warmMs: number;
}

/** How many milliseconds the idle event loop is watched: enough for some dozens of ticks, of which a percentile is taken. */
const IDLE_MS = 50;

export const open = async ({ subject, isAsync, copiesInputs, warmMs, ...setup }: InlineSetup) => {
  const { run } = await loadSubject(subject);
  const inputs = setup.inputs.map(standalone);
  const calls = (isAsync ? asyncCalls : syncCalls)(run, inputs, copiesInputs);
  const idle = await idleDelayMs(IDLE_MS);
  const opened = { callMs: await calls.warm(warmMs), idleDelayMs: idle };
  /** @param sizes indices of the inputs to measure one by one: one input of each size */
  const step = async ({ ms, sizes }: { readonly ms: number; readonly sizes: readonly number[] }) => {
    const end = await watchProcess(idle);
    const endGarbage = watchGarbage();
    const ran = await calls.run(ms);
    const ended = end();
    const garbageMs = await endGarbage();
    const gauged = await ended;
    const garbageShare = Math.min(1, garbageMs / gauged.elapsedMs);
    const sizeMs: number[] = [];
    for (const input of sizes) sizeMs.push(await calls.only(input));
    return { ...gauged, ...ran, garbageShare, sizeMs };
  };
  return { opened, step };
};

serveSteps(open);
