/** The function on the calling thread: what threads are compared with. */
import { performance } from 'node:perf_hooks';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { AsyncCalls } from './async-calls.js';
import { Garbage, idleDelayMs, LoopDelay, Others } from '../../../experiment/gauges.js';
import type { InlineOpened, InlineSetup, InlineSlice, InlineStep, Open } from './protocol.js';
import { loadSubject } from './subject.js';
import { SyncCalls } from './sync-calls.js';
import { standalone } from './values.js';

/** For the percentile of an idle loop: some dozens of ticks. */
const IDLE_MS = 50;

/** Calls in one of the two ways that there are: one after the other, or many outstanding. */
export interface Calls {
  warm(ms: number): Promise<{ readonly callMs: number; readonly outstanding: number }>;
  run(ms: number): Promise<Ran>;
  /** Mean time of a call with this input alone. */
  only(input: number): Promise<number>;
}

export interface Ran {
  readonly rate: number;
  readonly cpuMs: number;
  readonly callMs: readonly number[];
}

export const open: Open<'inline'> = async (setup) => {
  const { run } = await loadSubject(setup.subject);
  const calls = callsOf(run, setup);
  const idle = await idleDelayMs(IDLE_MS);
  const opened: InlineOpened = { ...(await calls.warm(setup.warmMs)), idleDelayMs: idle };
  const delay = new LoopDelay(idle);
  return { opened, step: (step) => slice(calls, delay, step) };
};

function callsOf(run: TaskFunction, { inputs, isAsync, copiesInputs }: InlineSetup): Calls {
  const own = inputs.map(standalone);
  return isAsync ? new AsyncCalls(run, own) : new SyncCalls(run, own, copiesInputs);
}

async function slice(calls: Calls, delay: LoopDelay, { ms, sizes }: InlineStep): Promise<InlineSlice> {
  const garbage = new Garbage();
  const others = new Others();
  await delay.begin();
  others.begin();
  garbage.begin();
  const begin = performance.now();
  const ran = await calls.run(ms);
  const elapsed = performance.now() - begin;
  const garbageShare = Math.min(1, (await garbage.end()) / elapsed);
  const shared = others.end();
  const loopDelayMs = await delay.end();
  const sizeMs: number[] = [];
  for (const input of sizes) sizeMs.push(await calls.only(input));
  const residentBytes = process.memoryUsage.rss();
  return { ...ran, garbageShare, loopDelayMs, sizeMs, residentBytes, shared };
}
