/** Binds the core to Node and to the policies that the options name. Loaded when the first pool is made: see `create-pool.ts`. */
import type { Transport } from './core/contracts.js';
import type { Parts } from './core/engine.js';
import { type PoolOptions, type ResolvedOptions, resolveOptions } from './core/options/options.js';
import { Pool } from './core/pool.js';
import type { Task } from './core/calls/task.js';
import type { UntypedTasks } from './core/types.js';
import { MeasuredRecorder } from './metrics/measured.js';
import { controlFromEnvironment } from './platform/node/control.js';
import { diagnosticsSink } from './platform/node/diagnostics.js';
import { asyncStore, nodePlatform } from './platform/node/platform.js';
import { processesFor } from './platform/process/platform.js';
import { classNames } from './core/options/classes.js';
import { moduleHere } from './runner/here.js';
import { builtInName, choiceNames, resolveChoice } from './scheduling/choice/strategies.js';
import { DirectDispatch } from './scheduling/dispatch/direct.js';
import { MAX_PREFETCH } from './scheduling/dispatch/prefetch.js';
import { SharedQueueDispatch } from './scheduling/dispatch/shared-queue.js';
import { PLACEMENTS } from './scheduling/placement/index.js';
import { PriorityQueue } from './scheduling/queue/priority.js';
import { measured } from './scheduling/scaling/measured.js';
import { Packing } from './transport/classes/packing.js';
import { coordinatedTransport } from './transport/coordinator/exchange.js';
import { messageTransport } from './transport/message/link.js';
import { sharedTransport } from './transport/shared/main/exchange.js';

const TRANSPORTS: Readonly<Record<ResolvedOptions['transport'], Transport>> = {
  shared: sharedTransport(),
  message: messageTransport,
};

/** How it is decided which worker gets a task, and how the task gets there, where the option `transport` does not say that. */
interface Way extends Pick<Parts, 'newDispatch'> {
  readonly newTransport?: (options: ResolvedOptions) => Transport;
}

const WAYS: Readonly<Record<ResolvedOptions['dispatch'], Way>> = {
  'shared-queue': { newDispatch: (context) => new SharedQueueDispatch(context, context.exchange.pull!) },
  coordinator: {
    newTransport: ({ tasksPerWorker, choose, worker, idleTimeoutMs = Number.POSITIVE_INFINITY }) =>
      coordinatedTransport({
        tasksPerWorker,
        choose: builtInName(choose)!,
        idleTimeoutMs,
        sendsMoved: Number.isFinite(worker.recycle.afterTasks),
      }),
    newDispatch: (context) => new SharedQueueDispatch(context, context.exchange.pull!, 'coordinator'),
  },
  direct: { newDispatch: (context) => new DirectDispatch(context) },
};

/** What holds the workers; and how their tasks cross, where that leaves no choice. */
const HOLDERS = {
  thread: () => ({ platform: nodePlatform, transport: undefined }),
  process: ({ division }: ResolvedOptions) => processesFor(division),
} satisfies Record<ResolvedOptions['isolation'], unknown>;

/** @param usualName the pool's name where the options give none */
export function openPool<M = UntypedTasks>(
  module: URL | string,
  options: PoolOptions | undefined,
  usualName: string,
): Pool<M> {
  const resolved = resolveOptions(options, { ...nodePlatform, choices: choiceNames, builtInName });
  const moduleUrl = nodePlatform.resolveModule(module);
  const { name = usualName, classes, dispatch, isolation, tasksPerWorker } = resolved;
  const { newDispatch, newTransport } = WAYS[dispatch];
  const { platform, transport = newTransport?.(resolved) ?? TRANSPORTS[resolved.transport] } =
    HOLDERS[isolation](resolved);
  const pool = new Pool<M>({
    name,
    moduleUrl,
    options: resolved,
    platform,
    // A broadcast may come on top of a full window.
    exchange: transport(platform, tasksPerWorker + MAX_PREFETCH + 1),
    newPlacement: (name) => PLACEMENTS[name](),
    newModuleHere: () =>
      moduleHere({
        clone: nodePlatform.clone,
        // webpack would look for the module among those that it has bundled.
        load: () => import(/* webpackIgnore: true */ moduleUrl),
        newStore: asyncStore,
        classes: classNames(classes),
      }),
    instances: classes === 'plain' || classes.length === 0 ? undefined : new Packing(classes),
    // The bounds hold it where they are one number; they may be changed, the policy may not.
    scaling: measured,
    recorder: new MeasuredRecorder(nodePlatform.now()),
    sink: diagnosticsSink,
    newQueue: () => new PriorityQueue<Task>(),
    newDispatch,
    choices: choiceNames,
    newChoice: resolveChoice,
  });
  controlFromEnvironment(pool);
  return pool;
}

/** How many threads the machine and its container allow: CPU affinity, CPU quota, memory limit. At least 1. */
export function availableThreads(): number {
  return nodePlatform.availableThreads();
}
