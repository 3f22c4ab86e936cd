/** Measures a user's HTTP app in each way that it can be run, in turn, round by round, so that what changes on the machine changes for all. */
import type { Child } from '../../../experiment/child.js';
import { readMachine } from '../../../experiment/machine.js';
import { ENOUGH_ROUNDS, usableCores } from '../../../experiment/rules.js';
import { type Plan, Session } from '../../../experiment/session.js';
import type { Progress } from '../../../report/measure-and-report.js';
import { UsageError } from '../../../usage-error.js';
import type { LoadSlice, LoadTalk } from '../load/process.js';
import { isFailing } from '../rules/figures.js';
import { type LaneSamples, NOTHING_MEASURED, type ServerSamples } from '../rules/samples.js';
import { addErrors, type AppLane, LANE_NAMES, samplesOf, type LaneName } from './lane.js';
import { type Counts, LaneOpener } from './open-lanes.js';
import { type OffloadTarget, type RequestPlan, routeOf } from './protocol.js';
import { connectionsFor, planRounds, type RoundsPlan, warmMsFor } from './schedule.js';

export interface ServerPlan extends Plan {
  /** A file URL. */
  readonly module: string;
  /** As the user gave it, for messages and for the report. */
  readonly moduleGiven: string;
  readonly export: string | undefined;
  readonly args: readonly string[];
  readonly port: number | undefined;
  readonly requests: readonly RequestPlan[];
  /** In place of these, in the same order, for what is offloaded already; empty: there is none. */
  readonly against: readonly RequestPlan[];
  readonly offload: readonly OffloadTarget[];
  /** `./tasks.js#render`, as the user gave them. */
  readonly offloadGiven: readonly string[];
  readonly connections: number;
  /** Undefined: as many as cores. */
  readonly threads: number | undefined;
  readonly processes: number | undefined;
}

/** For one answer under load. Milliseconds. */
const TIMEOUT_MS = 10_000;
const LOAD = new URL('../load/process.js', import.meta.url);
/** One is no cluster. */
const LEAST_PROCESSES = 2;
/** What an answer from a process of ours may take beside what it was asked to wait. Milliseconds. */
const PATIENCE_MS = 15_000;
/** For the app to do what it was asked for and is wanted no more. Milliseconds. */
const SETTLE_MS = 3000;

/**
 * Never loads the user's app in this process. Rejects with UsageError where the app cannot be started, or does not answer the routes;
 * whatever else it does is part of what is returned. When it settles, none of its processes is left.
 */
export async function measureServer(plan: ServerPlan, events: Progress): Promise<ServerSamples> {
  const machine = readMachine();
  const cores = usableCores(machine);
  const counts = {
    threads: plan.threads ?? cores,
    processes: plan.processes ?? Math.max(LEAST_PROCESSES, cores),
  };
  const session = new Session(plan, events);
  try {
    const load = session.start<LoadTalk>(LOAD);
    const opener = new LaneOpener(session, load, counts);
    const lanes = await opener.open();
    const rounds = new Rounds(session, load, lanes ?? [], Math.max(counts.threads, counts.processes));
    if (lanes !== undefined && !lanes[0]!.isDead) await rounds.run(opener.answerMs);
    const samples = (name: LaneName): LaneSamples | undefined => rounds.samplesOf(name);
    return {
      subject: { ...subjectOf(plan, counts), form: lanes?.[0]?.opened.form, connections: rounds.connections },
      machine,
      asIs: samples('asIs') ?? NOTHING_MEASURED,
      control: samples('control') ?? NOTHING_MEASURED,
      offloaded: samples('offloaded'),
      cluster: samples('cluster'),
      skipped: session.skipped,
      notes: session.notes,
      isCutShort: session.isCutShort,
    };
  } finally {
    await session.close();
    session.say('done');
  }
}

function subjectOf(plan: ServerPlan, { threads, processes }: Counts) {
  return {
    module: plan.moduleGiven,
    routes: plan.requests.map(routeOf),
    against: plan.against.map(routeOf),
    offload: plan.offloadGiven,
    threads,
    processes,
    environment: process.env.NODE_ENV,
  };
}

class Rounds {
  readonly #session: Session<ServerPlan>;
  readonly #load: Child<LoadTalk>;
  readonly #lanes: readonly AppLane[];
  readonly #parallel: number;
  #connections: number;
  #complete = 0;
  /** The longest that a slice took beside what was measured, of the warm-up. */
  #handOverMs = 0;

  constructor(
    session: Session<ServerPlan>,
    load: Child<LoadTalk>,
    lanes: readonly AppLane[],
    parallel: number,
  ) {
    this.#session = session;
    this.#load = load;
    this.#lanes = lanes;
    this.#parallel = parallel;
    this.#connections = session.plan.connections;
  }

  get connections(): { readonly used: number; readonly asked: number } {
    return { used: this.#connections, asked: this.#session.plan.connections };
  }

  /** @param answerMs how long one request takes, by itself */
  async run(answerMs: number): Promise<void> {
    await this.#warmUp(answerMs);
    const { errors } = this.samplesOf('asIs')!;
    // Of the time that it answers with errors nothing would be learnt.
    if (this.#lanes[0]!.isDead || isFailing(errors)) return;
    const plan = planRounds(this.#session.remainingMs, this.#alive.length, this.#handOverMs);
    for (let round = 0; round < plan.rounds; round++) {
      if (round > 0 && this.#isTooLateFor(plan)) break;
      if (!(await this.#round(round, plan))) break;
      this.#complete += 1;
    }
    if (this.#complete < ENOUGH_ROUNDS && !this.#lanes[0]!.isDead) this.#session.cutShort();
  }

  samplesOf(name: LaneName): LaneSamples | undefined {
    const lane = this.#lanes.find((each) => each.name === name);
    // Better an unfinished round than none.
    return lane && samplesOf(lane, Math.max(1, this.#complete));
  }

  /** Code that is not compiled yet is slow; and how fast the app is, says how many connections make sense. */
  async #warmUp(answerMs: number): Promise<void> {
    const ms = warmMsFor(this.#session.remainingMs, this.#lanes.length);
    const { sliceMs } = planRounds(this.#session.remainingMs - ms * this.#lanes.length, this.#lanes.length);
    const { connections: asked } = this.#session.plan;
    this.#connections = connectionsFor(asked, 1000 / answerMs, sliceMs, this.#parallel);
    for (const lane of this.#lanes) {
      if (this.#session.isAborted || this.#lanes[0]!.isDead) return;
      this.#session.say(`warming up ${LANE_NAMES[lane.name]}`);
      const begin = performance.now();
      const slice = await this.#slice(lane, { sliceMs: ms, rampMs: 0 });
      this.#handOverMs = Math.max(this.#handOverMs, performance.now() - begin - ms);
      if (lane.name !== 'asIs' || slice === undefined) continue;
      this.#connections = connectionsFor(asked, slice.rate, sliceMs, this.#parallel);
    }
  }

  #isTooLateFor({ sliceMs, rampMs }: RoundsPlan): boolean {
    return this.#session.remainingMs < this.#alive.length * (sliceMs + rampMs);
  }

  get #alive(): readonly AppLane[] {
    return this.#lanes.filter((lane) => !lane.isDead);
  }

  /** Each round begins with another one: none is always first. Whether it was finished. */
  async #round(round: number, plan: RoundsPlan): Promise<boolean> {
    const lanes = this.#alive;
    const first = round % Math.max(1, lanes.length);
    for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      if (this.#session.isAborted) return false;
      this.#session.say(LANE_NAMES[lane.name]);
      const slice = await this.#slice(lane, plan);
      if (slice === undefined && (lane.name === 'asIs' || this.#session.isAborted)) return false;
    }
    return true;
  }

  /** Under load, the app's own figures are taken; undefined: one of both is gone. */
  async #slice(
    lane: AppLane,
    { sliceMs, rampMs }: Pick<RoundsPlan, 'sliceMs' | 'rampMs'>,
  ): Promise<LoadSlice | undefined> {
    const { child, opened, requests } = lane;
    const target = { origin: opened.origin, requests, connections: this.#connections };
    // Both at a time: an app under load takes long to react to us.
    const [started, begun] = await Promise.all([
      this.#load.ask('start', { ...target, rampMs, timeoutMs: TIMEOUT_MS }, rampMs + PATIENCE_MS),
      child.ask('begin', undefined, PATIENCE_MS),
    ]);
    if (started.kind !== 'done') return this.#lost();
    const ms = begun.kind === 'done' ? sliceMs : 0;
    const load = await this.#load.ask('measure', ms, ms + PATIENCE_MS);
    const [ended, stopped] = await Promise.all([
      child.ask('end', undefined, PATIENCE_MS),
      this.#load.ask('stop', undefined, PATIENCE_MS),
    ]);
    if (load.kind !== 'done' || stopped.kind !== 'done') return this.#lost();
    lane.errors = addErrors(lane.errors, load.value);
    if (begun.kind !== 'done' || ended.kind !== 'done') {
      if (!this.#session.isAborted) lane.isDead = true;
      return undefined;
    }
    // The warm-up has no ramp, and is not kept.
    if (rampMs > 0) lane.slices.push({ load: load.value, app: ended.value });
    await child.ask('settle', SETTLE_MS, SETTLE_MS + PATIENCE_MS);
    return load.value;
  }

  #lost(): undefined {
    if (this.#session.isAborted) return undefined;
    throw new UsageError('the load generator ended: was it killed, or is there no memory left?');
  }
}
