/** Pools with real threads and little shared memory, so that whatever can be full is. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Dispatch, DispatchContext, Platform, Transport } from '../core/contracts.js';
import { type PoolOptions, type ResolvedOptions, resolveOptions } from '../core/options/options.js';
import { Pool } from '../core/pool.js';
import type { Task } from '../core/calls/task.js';
import { MeasuredRecorder } from '../metrics/measured.js';
import { diagnosticsSink } from '../platform/node/diagnostics.js';
import { nodePlatform } from '../platform/node/platform.js';
import { builtInName, choiceNames, resolveChoice } from '../scheduling/choice/strategies.js';
import { DirectDispatch } from '../scheduling/dispatch/direct.js';
import { SharedQueueDispatch } from '../scheduling/dispatch/shared-queue.js';
import { PLACEMENTS } from '../scheduling/placement/index.js';
import { PriorityQueue } from '../scheduling/queue/priority.js';
import { measured } from '../scheduling/scaling/measured.js';
import { coordinatedTransport } from './coordinator/exchange.js';
import type { Sizes } from './shared/layout.js';
import { sharedTransport } from './shared/main/exchange.js';
import { ARRIVED, OPEN, reached, type Words, WORDS } from './small-pool-words.case.js';

/** The process stays for as long as a test runs: a wait for a word alone does not keep it. Milliseconds. */
const ALIVE_MS = 2 ** 30;

export interface SmallPool {
  readonly pool: Pool;
  readonly words: Words;
  /** Lets go whoever waits, and will. */
  open(): void;
  /** Resolves when so many tasks have come to where they wait. */
  arrived(many: number): Promise<void>;
}

export interface SmallOptions extends PoolOptions {
  readonly cells?: number;
  readonly stream?: number;
  readonly copied?: number;
  /** Whether a worker that is to leave waits for `open` before it does. */
  readonly holdsTeardown?: boolean;
  readonly platform?: Platform;
}

interface Way {
  transport(sizes: Omit<Sizes, 'mail'>, idleTimeoutMs: number): Transport;
  dispatch(context: DispatchContext): Dispatch;
}

const WAYS: Readonly<Record<ResolvedOptions['dispatch'], Way>> = {
  'shared-queue': {
    transport: (sizes) => sharedTransport(sizes),
    dispatch: (context) => new SharedQueueDispatch(context, context.exchange.pull!),
  },
  direct: {
    transport: (sizes) => sharedTransport(sizes),
    dispatch: (context) => new DirectDispatch(context),
  },
  coordinator: {
    transport: (sizes, idleTimeoutMs) =>
      coordinatedTransport(
        { tasksPerWorker: 1, choose: 'least-busy', idleTimeoutMs, sendsMoved: false },
        sizes,
      ),
    dispatch: (context) => new SharedQueueDispatch(context, context.exchange.pull!),
  },
};

/** Its tasks are those of small-pool-tasks.case.ts. It ends with the test. */
export function smallPool(t: TestContext, given: SmallOptions = {}): SmallPool {
  const { cells = 8, stream = 4096, copied = 0, holdsTeardown = false, ...others } = given;
  const { platform = nodePlatform, ...rest } = others;
  const words: Words = new Int32Array(new SharedArrayBuffer(WORDS * 4));
  const worker = { ...rest.worker, data: { words, holdsTeardown } };
  const options: PoolOptions = { threads: 2, transport: 'shared', ...rest, worker };
  const resolved = resolveOptions(options, { ...nodePlatform, choices: choiceNames, builtInName });
  const capacity = resolved.tasksPerWorker + 4;
  const way = WAYS[resolved.dispatch];
  const pool = new Pool({
    name: t.name,
    moduleUrl: new URL('./small-pool-tasks.case.js', import.meta.url).href,
    options: resolved,
    platform,
    exchange: way.transport(
      { cells, stream, copied: { arguments: copied, results: copied } },
      resolved.idleTimeoutMs ?? Number.POSITIVE_INFINITY,
    )(platform, capacity),
    newPlacement: PLACEMENTS.threads,
    newModuleHere: () => assert.fail('no call is to run here'),
    choices: choiceNames,
    scaling: measured,
    recorder: new MeasuredRecorder(),
    sink: diagnosticsSink,
    newQueue: () => new PriorityQueue<Task>(),
    newDispatch: way.dispatch,
    newChoice: resolveChoice,
  });
  const alive = setInterval(() => undefined, ALIVE_MS);
  t.after(async () => {
    clearInterval(alive);
    await pool.destroy();
  });
  return {
    pool,
    words,
    open: () => {
      Atomics.store(words, OPEN, 1);
      Atomics.notify(words, OPEN);
    },
    arrived: (many) => reached(words, ARRIVED, many),
  };
}
