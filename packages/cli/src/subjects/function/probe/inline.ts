/** The function on the calling thread: what threads are compared with. */
import type { TaskFunction } from '../../../run/work/task-module.js';
import { AsyncCalls } from './async-calls.js';
import { Garbage, Gauges, idleDelayMs } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';
import { loadSubject, type SubjectReference } from './subject.js';
import { SyncCalls } from './sync-calls.js';
import { standalone } from './values.js';

interface InlineSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  readonly isAsync: boolean;
  /** Each call gets a copy of its input, made while the clock stands: the function changes what it gets. */
  readonly copiesInputs: boolean;
  readonly warmMs: number;
}

interface InlineStep {
  readonly ms: number;
  /** Inputs, by their index, to be measured one by one: one of each size. */
  readonly sizes: readonly number[];
}

/** For the percentile of an idle loop: some dozens of ticks. */
const IDLE_MS = 50;

/** Calls in one of the two ways that there are: one after the other, or many outstanding. */
export interface Calls {
  /** Mean time of a warm call, one at a time; and how many calls are outstanding, for the rate of an asynchronous function. */
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

export const open = async (setup: InlineSetup) => {
  const { run } = await loadSubject(setup.subject);
  const calls = callsOf(run, setup);
  const idle = await idleDelayMs(IDLE_MS);
  const opened = { ...(await calls.warm(setup.warmMs)), idleDelayMs: idle };
  const gauges = new Gauges(idle);
  return { opened, step: (step: InlineStep) => slice(calls, gauges, step) };
};

function callsOf(run: TaskFunction, { inputs, isAsync, copiesInputs }: InlineSetup): Calls {
  const own = inputs.map(standalone);
  return isAsync ? new AsyncCalls(run, own) : new SyncCalls(run, own, copiesInputs);
}

async function slice(calls: Calls, gauges: Gauges, { ms, sizes }: InlineStep) {
  const garbage = new Garbage();
  await gauges.begin();
  garbage.begin();
  const ran = await calls.run(ms);
  const ended = gauges.end();
  const garbageMs = await garbage.end();
  const { elapsedMs, loopDelayMs, residentBytes, shared } = await ended;
  const garbageShare = Math.min(1, garbageMs / elapsedMs);
  const sizeMs: number[] = [];
  for (const input of sizes) sizeMs.push(await calls.only(input));
  return { ...ran, garbageShare, loopDelayMs, sizeMs, residentBytes, shared };
}

serveSteps(open);
