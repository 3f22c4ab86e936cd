/** Measures an HTTP app in each way that it can be run. All ways take turns in each round, so that changes of the machine affect all. */
import type { Child } from '../../../experiment/child.js';
import { readMachine } from '../../../experiment/machine.js';
import { type Look, Rounds, sliceFor, type Turn } from '../../../experiment/rounds.js';
import { usableCores } from '../../../experiment/rules.js';
import { clamp, type Plan, type Progress, Session } from '../../../experiment/session.js';
import { seriesOf } from '../../../experiment/statistics.js';
import type { LoadTalk } from '../load/process.js';
import { isCommonJs } from '../../../run/work/task-module.js';
import { NOTHING_MEASURED, SERIES } from '../rules/samples.js';
import type { LaneSamples, SeriesName, ServerSamples } from '../rules/samples.js';
import { isFailing } from '../rules/verdict.js';
import { type RequestPlan, routeOf } from './answers.js';
import { type AppLane, askLoad, LANE_NAMES, type LaneName, openLanes } from './open-lanes.js';

export interface OffloadTarget {
  readonly url: string; // the file URL of the module, with links resolved
  readonly names: readonly string[];
}

export interface ServerPlan extends Plan {
  readonly module: string; // a file URL
  readonly moduleGiven: string; // the module as the user named it, for messages and for the report
  readonly export: string | undefined;
  readonly args: readonly string[];
  readonly port: number | undefined;
  readonly requests: readonly RequestPlan[];
  /** Requests for the same work, which the app offloads already, one for each of `requests` in their order; empty: there are none. */
  readonly against: readonly RequestPlan[];
  readonly offload: readonly OffloadTarget[];
  readonly offloadGiven: readonly string[]; // `./tasks.js#render`, as the user gave them
  readonly connections: number;
  readonly threads: number | undefined; // undefined: as many as cores
  readonly processes: number | undefined;
}

const TIMEOUT_MS = 10_000; // how many milliseconds an answer under load may take
const LOAD = new URL('../load/process.js', import.meta.url);
const LEAST_PROCESSES = 2; // the smallest number of processes of a cluster
const PATIENCE_MS = 15_000; // how long one of our processes may take to answer, beside the time that it was asked to wait
const SETTLE_MS = 3000; // how long the app gets to finish requests whose answers nobody waits for any more

/** Rejects with UsageError where the app cannot be started, or does not answer the routes. When it settles, none of its processes is left. */
export async function measureServer(
  given: ServerPlan,
  events: Progress,
  look?: (samples: ServerSamples) => string | undefined,
): Promise<ServerSamples> {
  const machine = readMachine();
  const cores = usableCores(machine);
  const { threads = cores, processes = Math.max(LEAST_PROCESSES, cores) } = given;
  const plan = { ...given, threads, processes };
  const session = new Session(plan, events);
  try {
    const load = session.start<LoadTalk>(LOAD);
    const { lanes, answerMs } = await openLanes(session, load);
    const { run, samplesOf, connections } = underLoad(session, load, lanes);
    const samples = (): ServerSamples => ({
      subject: {
        module: plan.moduleGiven,
        isCommonJs: isCommonJs(plan.module),
        form: lanes[0]?.opened.form,
        routes: plan.requests.map(routeOf),
        against: plan.against.map(routeOf),
        offload: plan.offloadGiven,
        connections: { used: connections(), asked: plan.connections },
        threads,
        processes,
        environment: process.env.NODE_ENV,
      },
      machine,
      asIs: samplesOf('asIs') ?? NOTHING_MEASURED,
      control: samplesOf('control') ?? NOTHING_MEASURED,
      offloaded: samplesOf('offloaded'),
      cluster: samplesOf('cluster'),
      skipped: session.skipped,
      notes: session.notes,
      isCutShort: session.isCutShort,
    });
    if (lanes[0]?.isDead === false) {
      await run(answerMs, Math.max(threads, processes), look && (() => look(samples())));
    }
    return samples();
  } finally {
    await session.close();
    session.say('done');
  }
}

/** The figures of one slice, from the load generator and from the app itself. */
type LaneSlice = Readonly<Record<SeriesName, number>>;

/** Measures the lanes under load, once `run` is called. */
export function underLoad(session: Session<ServerPlan>, load: Child<LoadTalk>, lanes: readonly AppLane[]) {
  const turns = lanes.map((lane): Turn<LaneSlice> & { readonly lane: AppLane } => ({
    lane,
    what: LANE_NAMES[lane.name],
    isBase: lane.name === 'asIs',
    isDead: () => lane.isDead,
    take: ({ ms }) => slice(lane, ms, rampMsFor(ms)),
  }));
  const count = turns.length;
  let connections = session.plan.connections; // how many connections are used
  let rounds: Rounds<LaneSlice> | undefined;
  return { run, samplesOf, connections: () => connections };

  function samplesOf(name: LaneName): LaneSamples | undefined {
    const turn = turns.find(({ lane }) => lane.name === name);
    if (turn === undefined) return undefined;
    const { errors, child } = turn.lane;
    return { ...seriesOf(rounds?.of(turn) ?? [], ...SERIES), errors, ended: child.ended };
  }

  /**
   * Warms up, which also tells how fast the app is, and so how many connections make sense; then makes the rounds.
   * @param answerMs how many milliseconds a request takes without load. @param parallel how many threads or processes answer at a time
   */
  async function run(answerMs: number, parallel: number, look: Look | undefined): Promise<void> {
    const asIs = lanes[0]!;
    const warmMs = warmMsFor(session.remainingMs, count);
    const plannedMs = sliceMsFor(session.remainingMs - warmMs * count, count);
    const fit = () => connectionsFor(session.plan.connections, perSecond, plannedMs, parallel);
    /** The longest that a slice took beside what was measured, and how many requests per second the app answers as it is. */
    let [overheadMs, perSecond] = [0, 1000 / answerMs];
    connections = fit();
    for (const { lane, what } of turns) {
      if (session.isAborted || asIs.isDead) break;
      session.say(`warming up ${what}`);
      const begin = session.now();
      const warm = await slice(lane, warmMs, 0);
      overheadMs = Math.max(overheadMs, session.now() - begin - warmMs);
      if (lane !== asIs || warm === undefined) continue;
      perSecond = warm.rate;
      connections = fit();
    }
    // Nothing would be learnt from an app that answers with errors.
    if (asIs.isDead || isFailing(asIs.errors)) return;
    const ms = sliceMsFor(session.remainingMs, count, overheadMs);
    rounds = new Rounds({
      session,
      turns,
      needed: count,
      first: FIRST_LANES,
      slice: { ms, least: Math.min(ms, leastMsFor(connections, perSecond)) },
      overheadMs: rampMsFor(ms) + overheadMs,
      look,
    });
    await rounds.run({ endMs: session.plan.budgetMs });
    rounds.finish();
  }

  /** Measures one slice, by the load generator and by the app itself. Resolves to undefined if interrupted, or if the app is gone. */
  async function slice(lane: AppLane, ms: number, rampMs: number): Promise<LaneSlice | undefined> {
    const { child, opened, requests, errors } = lane;
    const target = { origin: opened.origin, requests, connections };
    const limitMs = rampMs + ms + PATIENCE_MS;
    // Both are asked at the same time, and both end by themselves: an app under load takes long to react.
    const [given, app] = await Promise.all([
      askLoad(load, 'step', { ...target, rampMs, ms, timeoutMs: TIMEOUT_MS }, limitMs),
      child.ask('step', rampMs + ms, limitMs),
    ]);
    if (given === undefined) return undefined;
    const { answers, bad, sockets, timeouts, first, othersShare, ...measured } = given;
    // Errors count whenever they happen, also during the warm-up.
    lane.errors = {
      answers: errors.answers + answers,
      bad: errors.bad + bad,
      sockets: errors.sockets + sockets,
      timeouts: errors.timeouts + timeouts,
      first: errors.first ?? first,
    };
    if (app.kind !== 'done') {
      lane.isDead ||= !session.isAborted;
      return undefined;
    }
    await child.ask('settle', SETTLE_MS, SETTLE_MS + PATIENCE_MS);
    return { ...measured, ...app.value, otherShare: Math.max(0, othersShare - app.value.cpuShare) };
  }
}

const WANTED_ROUNDS = 8; // the interval of a median needs seven so that two comparisons hold at once
const SLICE_MS = { least: 150, most: 3000 } as const; // a shorter slice would measure mostly its beginning
/** How long there is load before a slice counts, until connections are made and queues full: a share of the slice, and bounds in ms. */
const RAMP_SHARE = 0.2;
const RAMP_MS = { least: 20, most: 400 } as const;
const HAND_OVER_MS = 60; // between two slices, until the app is idle and the next process is ready: a first estimate
/** The share of the time for warming up, in which the app's code gets compiled; and its bounds in milliseconds for each lane. */
const WARM_SHARE = 0.2;
const WARM_MS = { least: 100, most: 500 } as const;
const FIRST_LANES = 3; // what the first answer needs: the app as it is, the same once more, and one other way
const ANSWERS_IN_SLICE = 4; // on each connection: of fewer, the slow ones would be cut off
const CONNECTIONS_EACH = 4; // how many connections there are at least for each process or thread

/** How many milliseconds each lane is under load in a round. @param handOverMs how long a slice takes beside: long where the app reacts slowly */
export function sliceMsFor(timeMs: number, lanes: number, handOverMs = HAND_OVER_MS): number {
  const perSlice = sliceFor({ ms: timeMs, least: 0, most: timeMs }, lanes, WANTED_ROUNDS, handOverMs);
  return clamp(perSlice / (1 + RAMP_SHARE), SLICE_MS.least, SLICE_MS.most);
}

/** How many milliseconds a slice lasts at least, so that each connection gets an answer at this rate. */
export function leastMsFor(connections: number, perSecond: number): number {
  return Math.max(SLICE_MS.least, (1000 * connections) / perSecond);
}

export function rampMsFor(sliceMs: number): number {
  return clamp(sliceMs * RAMP_SHARE, RAMP_MS.least, RAMP_MS.most);
}

/** How many milliseconds each lane is warmed up. */
export function warmMsFor(remainingMs: number, lanes: number): number {
  return clamp((WARM_SHARE * remainingMs) / lanes, WARM_MS.least, WARM_MS.most);
}

/** How many connections are used: those that were asked for, or fewer where a slice is too short for ANSWERS_IN_SLICE answers on each. */
export function connectionsFor(asked: number, perSecond: number, sliceMs: number, parallel: number): number {
  const fitting = Math.floor((perSecond * sliceMs) / 1000 / ANSWERS_IN_SLICE);
  return Math.min(asked, Math.max(fitting, CONNECTIONS_EACH * parallel));
}
