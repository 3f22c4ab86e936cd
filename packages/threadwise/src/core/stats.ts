/** The snapshot that `pool.stats()` gives: plain JSON, made when asked for. */
import { OTHER_NAMES } from '../metrics/functions.js';
import type {
  Bucket,
  CpuTime,
  Distribution,
  FunctionCounts,
  FunctionPlace,
  HelperView,
  Outcome,
  Placement,
  RecentTimes,
} from './contracts.js';
import type { Engine } from './engine.js';
import type { SizingDecision } from './workers/sizer.js';
import type { SlotState, WorkerSlot } from './workers/worker-slot.js';

/** What a pool is like at one moment: plain JSON. */
export interface PoolStats {
  /** The option `name`. */
  readonly name: string;
  /** What the pool does with calls: 'open', 'paused', 'draining', 'broken', 'closing' or 'closed'. */
  readonly state: string;
  /** How tasks get to workers: 'shared-queue', 'direct' or 'coordinator'. */
  readonly dispatch: string;
  /** Where tasks run: 'threads', 'inline' or 'auto'. */
  readonly placement: string;
  /** The strategy that chooses a worker. */
  readonly choose: string;
  readonly threads: {
    /** The lower bound. Workers. */
    readonly min: number;
    /** The upper bound. Workers. */
    readonly max: number;
    /** Workers that are, or will be, there for tasks. Workers. */
    readonly current: number;
    /** Workers that still load the module. Workers. */
    readonly starting: number;
    /** Workers that have no task. Workers. */
    readonly idle: number;
  };
  readonly queue: {
    /** Tasks that wait for a worker. Tasks. */
    readonly size: number;
    /** How many tasks may wait; null: any number. Tasks. */
    readonly limit: number | null;
    /** How long the oldest task has waited. Milliseconds. */
    readonly oldestMs: number;
  };
  readonly tasks: Readonly<Record<Outcome, number>> & {
    /** Calls that the pool has accepted. Calls. */
    readonly submitted: number;
    /** Calls that have not settled: waiting and running. Calls. */
    readonly open: number;
    /** Calls that returned a result. Calls. */
    readonly completed: number;
    /** Calls whose task threw. Calls. */
    readonly failed: number;
    /** Calls that were given up by their signal. Calls. */
    readonly aborted: number;
    /** Calls whose task ran for longer than its timeout. Calls. */
    readonly timedOut: number;
    /** Calls whose worker ended while it ran their task. Calls. */
    readonly crashed: number;
    /** Calls still open when the pool was destroyed, or when `close` gave up. Calls. */
    readonly rejected: number;
    /** Tasks that were run again because their worker had ended. Tasks. */
    readonly retried: number;
  };
  /** Calls that settled, over the last ten seconds. Calls per second. */
  readonly throughput: number;
  /** Running time of tasks since the pool began, as the workers measured it. */
  readonly runMs: Distribution;
  /** Time of a call in which its task did not run (queues and crossings), since the pool began. */
  readonly waitMs: Distribution;
  /** `runMs` and `waitMs` of the calls that ended in the last ten seconds; in a younger pool, since it began. */
  readonly recent: RecentTimes;
  /** `runMs` and `waitMs` since the pool began, as cumulative histograms, which Prometheus and similar systems read. */
  readonly buckets: {
    /** Running time of tasks. */
    readonly runMs: readonly Bucket[];
    /** Time of these calls in which their task did not run. */
    readonly waitMs: readonly Bucket[];
  };
  /** Workers that ended without being told to. Workers. */
  readonly crashes: number;
  /** Workers that were replaced after their number of tasks, for their memory, or on request. Workers. */
  readonly recycled: number;
  /** Workers that were replaced because a task went on after its timeout or its abort. Workers. */
  readonly interrupted: number;
  readonly process: {
    /** How busy the event loop of the thread that owns the pool was since the last reading. 0 to 1. */
    readonly utilization: number;
    /** Memory of the whole process. Bytes. */
    readonly residentBytes: number;
    /** Heap of the thread that owns the pool. Bytes. */
    readonly heapUsedBytes: number;
  };
  /** The coordinator's own thread; only with dispatch 'coordinator'. */
  readonly coordinator?: HelperView;
  readonly sizing: {
    /** The policy that decides how many workers there should be. In this version always 'measured'. */
    readonly policy: string;
    /** The last 64 changes of the number that is wanted, oldest first. */
    readonly decisions: readonly SizingDecision[];
  };
  /** Processor time that a crossing costs on both sides, beside running: measured on some calls. null: none was measured. Milliseconds. */
  readonly crossingMs: number | null;
  /** Each function that was called: what came of its calls, where they run, and why. */
  readonly functions: readonly FunctionStats[];
  /** The workers that there are. */
  readonly workers: readonly WorkerStats[];
}

/** A function of the module, or, together, all calls that have no entry of their own. */
export type FunctionStats = FunctionCounts & Omit<FunctionPlace, 'runMs'>;

/** A worker that is there. */
export interface WorkerStats {
  /** The worker's number in its pool; 0: the calling thread. */
  readonly id: number;
  /** What the worker does. */
  readonly state: SlotState;
  /** Whether it is the calling thread. */
  readonly inline: boolean;
  /** Tasks that were handed to the worker and have not ended. Tasks. */
  readonly load: number;
  /** Tasks that have ended there. Tasks. */
  readonly completed: number;
  /** How busy its event loop was since the last reading. 0 to 1. */
  readonly utilization: number;
  /** Heap after the last task at which it was measured; 0 before the first. Bytes. */
  readonly heapUsedBytes: number;
  /** Memory of its process; only with isolation 'process', and where the system tells. Bytes. */
  readonly residentBytes?: number;
  /** Time since it was started. Milliseconds. */
  readonly ageMs: number;
  /** Running time of its tasks. */
  readonly runMs: Distribution;
  /** Time of these calls in which their tasks did not run. */
  readonly waitMs: Distribution;
  /** Processor time of its thread; null where the system does not tell. */
  readonly cpu: CpuTime | null;
}

export function snapshot(engine: Engine): PoolStats {
  const { parts, workers, dispatch, here, placement, admission, scaler } = engine;
  const now = parts.platform.now();
  here?.calls.flush();
  engine.ledger.plain?.recordEarly(); // asked in the middle of a batch, the sums must be right as well
  const { submitted, outcomes, retried, functions, ...figures } = parts.recorder.snapshot(now);
  const { coordinator } = parts.exchange;
  const { serving } = workers;
  const ownThread = here?.stats(now);
  const oldest = Math.min(here?.tasks.oldestSubmittedAt ?? now, dispatch.oldestSubmittedAt() ?? now);
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
      oldestMs: now - oldest,
    },
    tasks: { ...outcomes, submitted, open: engine.ledger.size, retried },
    ...figures,
    process: parts.platform.ownLoad(),
    ...(coordinator && { coordinator }),
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
  const residentBytes = slot.thread?.residentBytes?.();
  const memory = { heapUsedBytes, ...(residentBytes !== undefined && { residentBytes }) };
  const times = slot.record.snapshot();
  return { id, state, inline: false, load, completed, utilization, ...memory, ageMs, cpu, ...times };
}

function placeOf(name: string, { name: placement, usesThreads, learner }: Placement): FunctionPlace {
  const learnt = learner?.find(name)?.view();
  if (learnt !== undefined) return learnt;
  const why = name === OTHER_NAMES ? 'several names' : `placement '${placement}'`;
  const unknown = { bytesIn: null, bytesOut: null, crossingMs: null };
  return { place: usesThreads ? 'threads' : 'inline', why, ...unknown };
}
