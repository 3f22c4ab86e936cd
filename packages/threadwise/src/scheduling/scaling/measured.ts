/**
 * Sizes a pool by measurement. As many workers as cores at once when tasks wait; beyond that only where the tasks are measured
 * to wait more than they compute, and only as long as more workers get more done (`climb.ts`). Idle workers go, one by one;
 * near the limit of memory none is added, and those above the minimum go.
 */
import type { Decision, LoadView, Measured, Scaling } from '../../core/contracts.js';
import { type Climb, climb, type Room, START } from './climb.js';
import { type Sample, type Workload, workloadBetween } from './workload.js';

interface State {
  readonly last?: Sample;
  /** The smoothed share of their running time in which tasks compute. Undefined: not known. */
  readonly share?: number | undefined;
  /** How many workers there is memory for, as far as it was measured. */
  readonly affordable: number;
  /** The time since which tasks wait, all workers are busy, and no task has ended. Milliseconds. */
  readonly stuckSince?: number | undefined;
  readonly climb: Climb;
}

type Next = Pick<Decision<State>, 'target' | 'why' | 'state'>;

/** How often it measures while there is work. Milliseconds. */
const LOOK_MS = 100;
/** How soon it measures the first time after a pause: later measurements are compared with that. Milliseconds. */
const FIRST_LOOK_MS = 10;
/** Tasks that compute for a larger share of their time gain nothing from more workers than cores. */
const COMPUTES = 0.85;
/** Tasks that compute for a smaller share wait, without a doubt. */
const WAITS = 0.3;
/** Tasks that compute for a larger share may be in each other's way: fewer workers are tried more often. */
const MAY_CROWD = 0.5;
/** Fewer workers are also tried once the next hold of a size would last this long. Milliseconds; chosen by hand. */
const LATE_HOLD_MS = 16_000;
/** The share of the cores that tasks which both compute and wait are to use. */
const FILL = 0.95;
/** After how long without the end of any task a worker is added, unless tasks compute. Milliseconds. */
const STUCK_MS = 500;
/** Memory assumed for one more worker, until it is measured as part of what is used. Bytes. */
const BYTES_PER_WORKER = 16 * 2 ** 20;
/** Shares of the memory limit: above the first no worker is added, above the second some go. */
const NEAR_LIMIT = 0.85;
const AT_LIMIT = 0.95;
/** The largest and the smallest weight of a new measurement against the earlier ones. Chosen by hand. */
const WEIGHT = { most: 0.5, least: 0.05 };

export const measured: Scaling<State> = {
  name: 'measured',
  initial: { affordable: Number.POSITIVE_INFINITY, climb: START },
  decide: (load, before) => {
    const { measured } = load;
    const { target, why, state } =
      measured === undefined ? atOnce(load, before) : look(load, measured, before);
    const isWorking = load.queued > 0 || load.idle + load.starting < load.current || load.starting > 0;
    // When the worker that has been idle longest may be released; undefined: none may be. Also while none is idle: none counts as idle while
    // a task is on its way to it, and if that task goes to another worker, nothing more may happen.
    const mayRelease = load.current > load.min && load.idleTimeoutMs !== Number.POSITIVE_INFINITY;
    const dueMs = mayRelease ? Math.max(1, load.idleTimeoutMs - load.longestIdleMs) : undefined;
    const hasBaseline = state.last !== undefined && load.now - state.last.now < 2 * LOOK_MS;
    const lookMs = hasBaseline ? LOOK_MS : FIRST_LOOK_MS;
    const againMs = isWorking ? Math.min(lookMs, dueMs ?? lookMs) : dueMs;
    // Only while the pool is looked at again soon: otherwise nobody would see that tasks wait.
    const isSated = isWorking && Math.max(load.current, target) >= enoughFor(load, state);
    return { target, why, state, isSated, againMs };
  },
};

/** Decides what cannot wait for the next measurement. */
function atOnce(load: LoadView, state: State): Next {
  const { current, queued, cores, longestIdleMs } = load;
  // A core that nobody uses while tasks wait is worth a worker, unless fewer workers were, or are being, measured to do as well.
  const more = Math.min(enoughFor(load, state) - current, missing(load), moreAffordable(load, state));
  if (queued > 0 && more > 0) {
    const tasks = queued === 1 ? '1 task waits' : `${queued} tasks wait`;
    const there = cores === 1 ? 'is 1 core' : `are ${cores} cores`;
    return { target: current + more, why: `${tasks} for a worker, and there ${there}`, state };
  }
  // Idle workers are released one at a time, so that a load that comes in bursts does not find an empty pool.
  if (queued === 0 && current > load.min && load.idle > 0 && longestIdleMs >= load.idleTimeoutMs)
    return { target: current - 1, why: `a worker has been idle for ${Math.round(longestIdleMs)} ms`, state };
  return { target: current, why: 'as many as there is work for', state };
}

/** How many more workers the waiting tasks could use, beside those that start already or are idle. */
function missing({ queued, tasksPerWorker, starting, idle }: LoadView): number {
  return Math.max(0, Math.ceil(queued / tasksPerWorker) - starting - idle);
}

/** Up to how many workers are started without a measurement. A size that is being tried is left alone, unless all its workers died. */
function enoughFor(load: LoadView, { climb: { base, held, holdUntil } }: State): number {
  const isTrying = base !== undefined && load.current > 0;
  const isHeld = held !== undefined && load.now < holdUntil;
  return isTrying ? load.current : Math.min(coresFor(load), isHeld ? held.size : load.max);
}

function coresFor(load: LoadView): number {
  return Math.max(load.min, Math.min(load.max, load.cores));
}

function look(load: LoadView, found: Measured, before: State): Next {
  const last: Sample = { now: load.now, measured: found, isFull: load.queued > 0 && load.idle === 0 };
  const work = before.last && workloadBetween(before.last, last);
  const isStuck = last.isFull && (work === undefined || work.completed === 0);
  const state: State = {
    last,
    share: smoothed(before.share, work?.share, (work?.completed ?? 0) / Math.max(1, load.current)),
    affordable: affordableBy(load, found.memory),
    stuckSince: isStuck ? (before.stuckSince ?? load.now) : undefined,
    climb: before.climb,
  };
  const used = found.memory === undefined ? 0 : found.memory.usedBytes / found.memory.limitBytes;
  if (used >= AT_LIMIT && load.current > Math.max(1, load.min))
    return { target: load.current - 1, why: `${percent(used)} of the memory is used`, state };
  const fast = atOnce(load, state);
  if (fast.target !== load.current || load.starting > 0 || work === undefined) return fast;
  if (load.current > coresFor(load) && computes(state)) {
    const why = `the tasks compute for ${shareText(state)}: no more workers than cores`;
    return { target: coresFor(load), why, state: { ...state, climb: START } };
  }
  if (work.isFull) return grownByMeasure(load, state, work);
  // A size that is being tried cannot be judged by a load that does not fill it.
  return state.climb.base === undefined ? fast : { ...fast, state: { ...state, climb: START } };
}

/**
 * A task that takes longer than a measurement may compute during one and wait during the next: so the longer tasks take, the less one counts.
 * @param part about which part of its task a worker has run between two measurements
 */
function smoothed(before: number | undefined, now = before, part: number): number | undefined {
  const weight = Math.max(WEIGHT.least, Math.min(WEIGHT.most, part));
  return before === undefined || now === undefined ? now : before + (now - before) * weight;
}

function computes({ share }: State): boolean {
  return share !== undefined && share >= COMPUTES;
}

/** How many workers there is memory for. Those that start have not taken theirs yet. */
function affordableBy({ current, starting }: LoadView, memory: Measured['memory']): number {
  if (memory === undefined) return Number.POSITIVE_INFINITY;
  const freeBytes = memory.limitBytes * NEAR_LIMIT - memory.usedBytes;
  return current - starting + Math.floor(freeBytes / BYTES_PER_WORKER);
}

/** How many more workers there is memory for. A pool without workers may always start one. */
function moreAffordable({ current }: LoadView, { affordable }: State): number {
  return Math.max(current === 0 ? 1 : 0, affordable - current);
}

// --- more workers than cores ---

function grownByMeasure(load: LoadView, state: State, work: Workload): Next {
  const room = roomFor(load, state);
  const unstuck = room.next > room.current ? grownWhenStuck(load, state, room) : undefined;
  if (unstuck !== undefined) return unstuck;
  const { target, why, climb: next } = climb(state.climb, work, room);
  return {
    target,
    why: why === undefined ? 'as many as get the most done' : `${why} (they compute for ${shareText(state)})`,
    state: { ...state, climb: next },
  };
}

/** Grows while no task ends, so that there is no throughput to climb by. Threads that wait cost no CPU time. */
function grownWhenStuck(load: LoadView, state: State, room: Room): Next | undefined {
  if (state.stuckSince === undefined) return undefined;
  if (state.share !== undefined && state.share < WAITS) {
    const why = `tasks wait for a worker, and those that run wait, too: they compute for ${shareText(state)}`;
    return { target: room.next, why, state };
  }
  const stuckMs = Math.round(load.now - state.stuckSince);
  if (stuckMs < STUCK_MS) return undefined;
  const why = `no task has ended for ${stuckMs} ms, and others wait for a worker`;
  return { target: load.current + 1, why, state: { ...state, stuckSince: load.now } };
}

function roomFor(load: LoadView, state: State): Room {
  const { now, current, cores, min: least } = load;
  const { share } = state;
  const most = computes(state) ? coresFor(load) : load.max;
  const more = Math.min(missing(load), moreAffordable(load, state));
  // At most twice as many workers; where the tasks also compute, as many as the cores can serve, but at least half as many more.
  const fed = share === undefined ? 0 : Math.floor((cores * FILL) / Math.max(share, 0.001));
  const step = Math.max(current + Math.ceil(current / 2), Math.min(2 * current, fed));
  const next = Math.max(current, Math.min(most, step, current + more));
  const mayShrink = (share ?? 1) >= MAY_CROWD || state.climb.holdMs >= LATE_HOLD_MS;
  return { now, current, least, most, next, mayShrink };
}

function shareText({ share }: State): string {
  return share === undefined ? 'a part of their time that is not known' : `${percent(share)} of their time`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
