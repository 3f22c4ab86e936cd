/** The snapshot that `pool.stats()` gives: plain JSON, made when asked for. */
import { OTHER_NAMES } from '../metrics/functions.js';
import type {
  CpuTime,
  Distribution,
  FunctionCounts,
  FunctionPlace,
  HelperView,
  Outcome,
  Placement,
} from './contracts.js';
import type { Engine } from './engine.js';
import type { SizingDecision } from './workers/sizer.js';
import type { SlotState, WorkerSlot } from './workers/worker-slot.js';

/** What a pool is like at one moment. Durations in milliseconds, memory in bytes. */
export interface PoolStats {
  readonly name: string;
  readonly state: string;
  readonly dispatch: string;
  readonly placement: string;
  readonly choose: string;
  readonly threads: {
    readonly min: number;
    readonly max: number;
    /** Workers that are, or will be, there for tasks. */
    readonly current: number;
    readonly starting: number;
    readonly idle: number;
  };
  readonly queue: {
    /** Tasks that wait for a worker. */
    readonly size: number;
    /** null: none. */
    readonly limit: number | null;
    /** How long the oldest has waited. */
    readonly oldestMs: number;
  };
  readonly tasks: Readonly<Record<Outcome, number>> & {
    readonly submitted: number;
    /** Calls that have not settled: waiting and running. */
    readonly open: number;
    readonly retried: number;
  };
  /** Calls that settled, per second, over the last ten seconds. */
  readonly throughput: number;
  /** Running time of tasks, as the workers measured it. */
  readonly runMs: Distribution;
  /** Time of a call in which its task did not run: queues and crossings. */
  readonly waitMs: Distribution;
  readonly crashes: number;
  readonly recycled: number;
  /** Workers that were replaced because a task went on after its timeout or its abort. */
  readonly interrupted: number;
  /** The thread that owns the pool, and its process. Utilisation of the event loop since the last look, 0 to 1. */
  readonly process: {
    readonly utilization: number;
    readonly residentBytes: number;
    readonly heapUsedBytes: number;
  };
  /** The coordinator's own thread; only with dispatch 'coordinator'. */
  readonly coordinator?: HelperView;
  /** How it decides how many workers there should be, and what it has decided: the last 64 changes, oldest first. */
  readonly sizing: { readonly policy: string; readonly decisions: readonly SizingDecision[] };
  /**
   * What a crossing costs in time of processors, both sides, beside running: measured on some calls, in part reckoned. null
   * as long as none was measured.
   */
  readonly crossingMs: number | null;
  /** Each function that was called: what came of its calls, where they run, and why. */
  readonly functions: readonly FunctionStats[];
  readonly workers: readonly WorkerStats[];
}

/** A function of the module, or, together, all calls that have no entry of their own. */
export type FunctionStats = FunctionCounts & FunctionPlace;

export interface WorkerStats {
  readonly id: number;
  readonly state: SlotState;
  /** It is the calling thread. */
  readonly inline: boolean;
  /** Tasks handed over and not ended. */
  readonly load: number;
  readonly completed: number;
  /** Event loop utilisation since the last look, 0 to 1. */
  readonly utilization: number;
  /** After the last task that was looked at; 0 as long as none was. */
  readonly heapUsedBytes: number;
  readonly ageMs: number;
  readonly runMs: Distribution;
  readonly waitMs: Distribution;
  /** Of its thread; null where the system does not tell. */
  readonly cpu: CpuTime | null;
}

export function snapshot(engine: Engine): PoolStats {
  const { parts, workers, dispatch, here, placement, admission, scaler } = engine;
  const now = parts.platform.now();
  here?.within.flush();
  const { submitted, outcomes, retried, workerCrashes, recycled, interrupted, functions, ...times } =
    parts.recorder.snapshot(now);
  const { coordinator } = parts.exchange;
  const { serving } = workers;
  const ownThread = here?.stats(now);
  const oldest = here?.tasks.oldestSubmittedAt ?? dispatch.oldestSubmittedAt();
  const count = (test: (slot: WorkerSlot) => boolean) => serving.filter(test).length;
  return {
    name: parts.name,
    state: engine.lifecycle.state,
    dispatch: dispatch.name,
    placement: placement.name,
    choose: engine.choice.name,
    threads: {
      ...scaler.bounds,
      current: serving.length,
      starting: count((slot) => slot.state === 'starting'),
      idle: count((slot) => slot.state === 'ready' && slot.load === 0),
    },
    queue: {
      size: dispatch.waiting + (here?.tasks.waiting ?? 0),
      limit: Number.isFinite(admission.limit) ? admission.limit : null,
      oldestMs: oldest === undefined ? 0 : Math.max(0, now - oldest),
    },
    tasks: { ...outcomes, submitted, open: engine.ledger.size, retried },
    ...times,
    process: parts.platform.ownLoad(),
    crashes: workerCrashes,
    recycled,
    interrupted,
    ...(coordinator === undefined ? {} : { coordinator }),
    sizing: { policy: parts.scaling.name, decisions: [...scaler.decisions] },
    crossingMs: (placement.usesThreads ? engine.meter.costMs : undefined) ?? null,
    functions: functions.map((counts) => ({ ...counts, ...placeOf(counts.name, placement) })),
    workers: [
      ...(ownThread === undefined ? [] : [ownThread]),
      ...workers.slots.map((slot) => workerStats(slot, now)),
    ],
  };
}

function workerStats(slot: WorkerSlot, now: number): WorkerStats {
  const { id, state, load, completed, utilization, heapUsedBytes, startedAt } = slot;
  const cpu = slot.thread?.cpu() ?? null;
  const ageMs = now - startedAt;
  const times = slot.record.snapshot();
  return { id, state, inline: false, load, completed, utilization, heapUsedBytes, ageMs, cpu, ...times };
}

function placeOf(name: string, { name: placement, usesThreads, learner }: Placement): FunctionPlace {
  const learnt = learner?.find(name)?.view();
  if (learnt !== undefined) return learnt;
  const why = name === OTHER_NAMES ? 'several names' : `placement '${placement}'`;
  const unknown = { bytesIn: null, bytesOut: null, crossingMs: null };
  return { place: usesThreads ? 'threads' : 'inline', why, ...unknown };
}
