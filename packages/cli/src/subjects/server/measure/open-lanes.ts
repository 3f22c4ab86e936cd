/** Each way that the app is run in: started, seen whether it answers there as it does as it is, and what was measured of it, round by round. */
import { basename } from 'node:path';
import { type Child, describeFailure, type Failure, type Outcome } from '../../../experiment/child.js';
import { clamp, type Session } from '../../../experiment/session.js';
import { seriesOf } from '../../../experiment/statistics.js';
import { UsageError } from '../../../exit-code.js';
import { toldLoadError } from '../../../run/work/task-module.js';
import type { AppTalk } from '../app/process.js';
import type { LoadSlice, LoadTalk } from '../load/process.js';
import { type ErrorSamples, type LaneSamples, NOTHING_MEASURED, SERIES } from '../rules/samples.js';
import { compareAnswer, complaintOf, type Likeness } from './answers.js';
import type { ServerPlan } from './measure.js';
import {
  type Answer,
  type AppOpened,
  type AppSetup,
  type AppSlice,
  type RequestPlan,
  routeOf,
} from './protocol.js';

export type LaneName = 'asIs' | 'control' | 'offloaded' | 'cluster';

/** For messages, and for the display of the progress. */
export const LANE_NAMES: Readonly<Record<LaneName, string>> = {
  asIs: 'the app as it is',
  control: 'the app as it is, again',
  offloaded: 'offloading',
  cluster: 'the cluster',
};

/** What the load generator and the app itself say of the same time. */
export interface AppSliceUnderLoad {
  readonly load: LoadSlice;
  readonly app: AppSlice;
}

/** Its process or processes, and what it is asked for. */
export interface AppLane {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly opened: AppOpened;
  readonly requests: readonly RequestPlan[];
  errors: ErrorSamples;
  isDead: boolean;
}

/** To load, and to listen: an app that takes longer is one that never does. Milliseconds. */
const OPEN_LIMIT_MS = { least: 10_000, most: 30_000 } as const;
/** It says so itself, unless it is in a loop that never ends. Milliseconds. */
const GRACE_MS = 3000;
/** For one answer, before there is any load. Milliseconds. */
const ANSWER_LIMIT_MS = 10_000;
/** As it is, each request is asked so often: two that differ may still be alike by chance in what differs. */
const REFERENCES = 3;
const APP = new URL('../app/process.js', import.meta.url);
/** What the processes of a cluster answer in turn. */
const CANDIDATES = 3;

export interface Counts {
  readonly threads: number;
  readonly processes: number;
}

/** The answers to each request, which was sent several times; and what is wrong with them. */
interface Answered {
  readonly all: readonly (readonly Answer[])[];
  readonly complaint: string | undefined;
}

/** Why a lane cannot be compared with the app as it is. */
type Check = (answered: Answered, lane: AppLane) => Promise<string | undefined> | string | undefined;

interface Started {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly outcome: Outcome<AppOpened>;
}

export class LaneOpener {
  readonly #session: Session<ServerPlan>;
  readonly #plan: ServerPlan;
  readonly #load: Child<LoadTalk>;
  readonly #counts: Counts;
  /** Of each request, what it is answered as the app is. */
  #references: Answered['all'] = [];

  constructor(session: Session<ServerPlan>, load: Child<LoadTalk>, counts: Counts) {
    this.#session = session;
    this.#plan = session.plan;
    this.#load = load;
    this.#counts = counts;
  }

  /** How long the fastest answer took that the app gave as it is. Milliseconds. */
  get answerMs(): number {
    return Math.min(...this.#references.flat().map(({ ms }) => ms));
  }

  /** All that there are; the app as it is first. Empty: it was interrupted. Throws UsageError where the app cannot be measured at all. */
  async open(): Promise<AppLane[]> {
    const asIs = await this.#first();
    if (asIs === undefined || asIs.isDead) return asIs === undefined ? [] : [asIs];
    const { offload, against } = this.#plan;
    // All at once: on a busy machine each takes its time to start.
    const control = this.#start('control');
    const offloaded = offload.length > 0 ? this.#start('offloaded', { offload }) : undefined;
    const cluster = this.#start('cluster', { processes: this.#counts.processes });
    const lanes = [asIs, await this.#another(control, (answered) => this.#alsoAsIs(answered))];
    this.#noteAnswers();
    if (offloaded !== undefined) {
      lanes.push(await this.#another(offloaded, (answered, lane) => this.#unlikeOffloaded(answered, lane)));
    }
    if (against.length > 0) lanes.push(await this.#against(asIs));
    lanes.push(await this.#another(cluster, (answered) => this.#noteState(answered)));
    return lanes.filter((lane) => lane !== undefined);
  }

  async #first(): Promise<AppLane | undefined> {
    const { name, child, outcome } = await this.#start('asIs');
    if (outcome.kind === 'aborted') return undefined;
    if (outcome.kind !== 'done') throw cannotOpen(outcome, child, this.#plan);
    const lane = this.#laneOf(name, child, outcome.value);
    const answered = await this.#ask(lane, REFERENCES);
    if (answered === undefined) return child.ended === undefined ? undefined : { ...lane, isDead: true };
    if (answered.complaint !== undefined) {
      // A request that ends the app is told apart from one that it answers badly.
      if (await child.endsWithin(LAST_BREATH_MS)) return { ...lane, isDead: true };
      throw new UsageError(
        `${answered.complaint}. Expected a status of 2xx; --route, --header and --body say what is sent`,
      );
    }
    this.#references = answered.all;
    return lane;
  }

  async #another(started: Promise<Started>, check: Check): Promise<AppLane | undefined> {
    const { name, child, outcome } = await started;
    if (this.#session.isAborted) return undefined;
    let why: string | undefined;
    if (outcome.kind === 'done') {
      const lane = this.#laneOf(name, child, outcome.value);
      const answered = await this.#ask(lane, CANDIDATES);
      if (answered === undefined) why = this.#session.isAborted ? 'it was interrupted' : 'it did not answer';
      else why = await check(answered, lane);
      if (why === undefined) return lane;
    } else if (outcome.kind !== 'aborted') {
      // It is in the options what to offload: wrong ones are bad input.
      const complaint = complaintIn(outcome);
      if (complaint !== undefined && name === 'offloaded') throw new UsageError(complaint);
      why = whyNot(outcome, child);
    }
    await child.kill();
    if (why !== undefined) this.#session.skip(LANE_NAMES[name], why);
    return undefined;
  }

  async #start(name: LaneName, more: Partial<AppSetup> = {}): Promise<Started> {
    const { module, export: exportName, args, port, budgetMs } = this.#plan;
    const limitMs = clamp(budgetMs / 2, OPEN_LIMIT_MS.least, OPEN_LIMIT_MS.most);
    const { threads } = this.#counts;
    const own = { module, export: exportName, args, port, offload: [], threads, processes: undefined };
    this.#session.say(LANE_NAMES[name]);
    const child = this.#session.start<AppTalk>(APP, { isProgram: true });
    return {
      name,
      child,
      outcome: await child.ask('open', { ...own, limitMs, ...more }, limitMs + GRACE_MS),
    };
  }

  #laneOf(name: LaneName, child: Child<AppTalk>, opened: AppOpened): AppLane {
    const { requests } = this.#plan;
    return { name, child, opened, requests, errors: NOTHING_MEASURED.errors, isDead: false };
  }

  /** What is offloaded already runs in the very same process, by other routes. */
  async #against(asIs: AppLane): Promise<AppLane | undefined> {
    const { against, requests } = this.#plan;
    const lane: AppLane = { ...asIs, name: 'offloaded', requests: against };
    const answered = await this.#ask(lane, 1);
    if (answered === undefined) return undefined;
    const { all, complaint } = answered;
    if (complaint !== undefined) throw new UsageError(`--against: ${complaint}. Expected a status of 2xx`);
    this.#noteDifferent(all, (i) => {
      const routes = `${routeOf(against[i]!)} and ${routeOf(requests[i]!)}`;
      return `${routes} do not answer the same: is it the same work?`;
    });
    return lane;
  }

  /** The very same app: where it differs, that is no work that differs. */
  #alsoAsIs({ all, complaint }: Answered): string | undefined {
    if (complaint === undefined) this.#references = this.#references.map((own, i) => [...own, ...all[i]!]);
    return complaint;
  }

  #noteState({ all, complaint }: Answered): string | undefined {
    const textOf = (i: number): string =>
      `${routeOf(this.#plan.requests[i]!)}: a cluster answers something else than one process: does the app keep something in memory?`;
    if (complaint === undefined) this.#noteDifferent(all, textOf);
    return complaint;
  }

  /** @param textOf the note on a request, by its number */
  #noteDifferent(all: Answered['all'], textOf: (request: number) => string): void {
    const different = [...all.keys()].filter((i) => this.#likenesses(i, all).includes('different'));
    this.#session.notes.push(...different.map(textOf));
  }

  async #unlikeOffloaded({ all, complaint }: Answered, { child, requests }: AppLane) {
    const { offload, offloadGiven } = this.#plan;
    const likenesses = complaint === undefined ? all.map((_, i) => this.#likenesses(i, all)) : [];
    const odd = likenesses.findIndex((each) => each.includes('different') || each.includes('unclear'));
    const route = odd === -1 ? '' : routeOf(requests[odd]!);
    if (odd !== -1 && !likenesses[odd]!.includes('different')) {
      return `${route} answers something else each time: whether it still does its work when offloaded cannot be checked`;
    }
    const difference = odd === -1 ? complaint : `${route}: the answer differs`;
    const asked = await child.ask('calls', undefined, ANSWER_LIMIT_MS);
    if (difference !== undefined) {
      const failure = asked.kind === 'done' ? asked.value.firstFailure : undefined;
      if (failure !== undefined) return `${difference}, since the call fails in a thread: ${failure}`;
      return `${difference}: does the app await ${offload.flatMap(({ names }) => names).join(', ')}()?`;
    }
    if (asked.kind !== 'done') return describeFailure(asked);
    if (asked.value.calls > 0) return undefined;
    return `these routes never call ${offloadGiven.join(', ')}: does the app import it from that file?`;
  }

  #likenesses(request: number, all: Answered['all']): Likeness[] {
    return all[request]!.map((answer) => compareAnswer(this.#references[request]!, answer));
  }

  #noteAnswers(): void {
    const { notes } = this.#session;
    if (this.#references.some(([answer]) => answer?.closes)) {
      notes.push(
        'the app closes the connection after each answer: what is measured is mostly how fast connections are made',
      );
    }
    const isVaried = (all: readonly Answer[]): boolean =>
      all.some((each) => compareAnswer(all.slice(0, 1), each) !== 'same');
    if (this.#references.some(isVaried)) {
      notes.push(
        'the same request is answered with something else each time: answers were compared only in what they have in common',
      );
    }
  }

  /** Sends each request several times; undefined: it could not be asked. */
  async #ask({ opened, requests }: AppLane, times: number): Promise<Answered | undefined> {
    const each = requests.flatMap((request) => Array.from({ length: times }, () => request));
    const setup = { origin: opened.origin, requests: each, limitMs: ANSWER_LIMIT_MS };
    const outcome = await this.#load.ask('ask', setup, each.length * ANSWER_LIMIT_MS + 1000);
    if (outcome.kind !== 'done') return undefined;
    const complaints = outcome.value.flatMap((answer, i) => {
      const complaint = complaintOf(answer);
      return complaint === undefined ? [] : `${routeOf(each[i]!)} ${complaint}`;
    });
    const all = requests.map((_, i) => outcome.value.slice(i * times, (i + 1) * times));
    return { all, complaint: complaints[0] };
  }
}

/** From an answer that failed until the process that failed it is gone. Milliseconds. */
const LAST_BREATH_MS = 500;

/** What the user is meant to read, if it is that. */
function complaintIn(failure: Failure): string | undefined {
  return failure.kind === 'failed' && failure.error.name === 'UsageError' ? failure.error.message : undefined;
}

function cannotOpen(
  failure: Failure,
  child: Child<AppTalk>,
  { module, moduleGiven: given }: ServerPlan,
): UsageError {
  if (failure.kind === 'failed') return toldLoadError(given, module, failure.error);
  if (failure.kind !== 'silent')
    return new UsageError(`'${given}' does not start: ${whyNot(failure, child)}`);
  return new UsageError(
    `'${basename(given)}' listened on no port within ${(failure.ms / 1000).toFixed(0)} s`,
  );
}

/** Errors count whenever they happen, also while it is warmed up. */
export function addErrors(
  sum: ErrorSamples,
  { answers, bad, sockets, timeouts, first }: LoadSlice,
): ErrorSamples {
  return {
    answers: sum.answers + answers,
    bad: sum.bad + bad,
    sockets: sum.sockets + sockets,
    timeouts: sum.timeouts + timeouts,
    first: sum.first ?? first,
  };
}

export function samplesOf({ errors, child }: AppLane, slices: readonly AppSliceUnderLoad[]): LaneSamples {
  const measured = slices.map(({ load, app }) => ({
    ...load,
    ...app,
    loadShare: load.cpuShare,
    loadLoopShare: load.loopShare,
    otherShare: Math.max(0, load.othersShare - app.cpuShare),
  }));
  return { ...seriesOf(measured, ...SERIES), errors, ended: child.ended };
}

/** Why there is no such lane: what failed, and what its process said last. */
function whyNot(failure: Failure, child: Child<AppTalk>): string {
  const words = failure.kind === 'ended' ? child.lastWords : '';
  const what = failure.kind === 'failed' ? failure.error.message : describeFailure(failure);
  return words === '' ? what : `${what}: ${words.replaceAll('\n', ' / ')}`;
}
