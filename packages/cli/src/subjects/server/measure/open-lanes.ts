/** Each way that the app is run in: started, seen whether it answers there as it does as it is, and what was measured of it, round by round. */
import { basename } from 'node:path';
import { type Child, describeFailure, type Failure, type Outcome } from '../../../experiment/child.js';
import { clamp, type Session } from '../../../experiment/session.js';
import { seriesOf } from '../../../experiment/statistics.js';
import { UsageError } from '../../../exit-code.js';
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

export class LaneOpener {
  readonly #session: Session<ServerPlan>;
  readonly #plan: ServerPlan;
  readonly #load: Child<LoadTalk>;
  readonly #counts: Counts;
  /** Of each request, what it is answered as the app is. */
  #references: readonly (readonly Answer[])[] = [];

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

  /** All that there are; the app as it is first. Undefined: it was interrupted. Throws UsageError where the app cannot be measured at all. */
  async open(): Promise<AppLane[] | undefined> {
    const asIs = await this.#first();
    if (asIs === undefined) return undefined;
    if (asIs.isDead) return [asIs];
    const { offload, against } = this.#plan;
    const lanes = [asIs, await this.#another('control', {})];
    this.#noteAnswers();
    if (offload.length > 0) lanes.push(await this.#another('offloaded', { offload }));
    if (against.length > 0) lanes.push(await this.#against(asIs));
    lanes.push(await this.#another('cluster', { processes: this.#counts.processes }));
    return lanes.filter((lane) => lane !== undefined);
  }

  async #first(): Promise<AppLane | undefined> {
    this.#session.say(LANE_NAMES.asIs);
    const child = this.#session.start<AppTalk>(APP, { isProgram: true });
    const outcome = await child.ask('open', this.#setup({}), this.#openLimitMs + GRACE_MS);
    if (outcome.kind === 'aborted') return undefined;
    if (outcome.kind !== 'done') throw cannotOpen(outcome, child, this.#plan.moduleGiven);
    const lane = newLane({ name: 'asIs', child, opened: outcome.value, requests: this.#plan.requests });
    const answers = await this.#ask(lane, lane.requests, REFERENCES);
    if (answers === undefined) return child.ended === undefined ? undefined : { ...lane, isDead: true };
    const complaint = this.#complaintOf(lane.requests, answers);
    if (complaint !== undefined) {
      // A request that ends the app is told apart from one that it answers badly.
      if (await child.endsWithin(LAST_BREATH_MS)) return { ...lane, isDead: true };
      throw new UsageError(
        `${complaint}. Expected a status of 2xx, with --route, --header and --body as need be`,
      );
    }
    this.#references = answers;
    return lane;
  }

  async #another(name: LaneName, more: Partial<AppSetup>): Promise<AppLane | undefined> {
    if (this.#session.isAborted) return undefined;
    this.#session.say(LANE_NAMES[name]);
    const child = this.#session.start<AppTalk>(APP, { isProgram: true });
    const outcome = await child.ask('open', this.#setup(more), this.#openLimitMs + GRACE_MS);
    if (outcome.kind !== 'done') return this.#leaveOut(name, child, outcome);
    const lane = newLane({ name, child, opened: outcome.value, requests: this.#plan.requests });
    const why = await this.#unlike(lane);
    if (why === undefined) return lane;
    this.#session.skip(LANE_NAMES[name], why);
    await child.kill();
    return undefined;
  }

  async #leaveOut(name: LaneName, child: Child<AppTalk>, failure: Failure): Promise<undefined> {
    await child.kill();
    if (failure.kind === 'aborted') return undefined;
    // It is in the options what to offload: wrong ones are bad input.
    const complaint = complaintIn(failure);
    if (complaint !== undefined && name === 'offloaded') throw new UsageError(complaint);
    this.#session.skip(LANE_NAMES[name], whyNot(failure, child));
    return undefined;
  }

  /** What is offloaded already runs in the very same process, by other routes. */
  async #against(asIs: AppLane): Promise<AppLane | undefined> {
    const { against } = this.#plan;
    const lane = newLane({ ...asIs, name: 'offloaded', requests: against });
    const answers = await this.#ask(lane, against, 1);
    if (answers === undefined) return undefined;
    const complaint = this.#complaintOf(against, answers);
    if (complaint !== undefined) throw new UsageError(`--against: ${complaint}. Expected a status of 2xx`);
    for (const [i, [answer]] of answers.entries()) {
      const likeness = compareAnswer(this.#references[i]!, answer!);
      const routes = `${routeOf(against[i]!)} and ${routeOf(this.#plan.requests[i]!)}`;
      if (likeness === 'different')
        this.#session.notes.push(`${routes} do not answer the same: is it the same work?`);
    }
    return lane;
  }

  /** Why it cannot be compared with the app as it is. */
  async #unlike(lane: AppLane): Promise<string | undefined> {
    const answers = await this.#ask(lane, lane.requests, CANDIDATES);
    if (answers === undefined) return this.#session.isAborted ? 'it was interrupted' : 'it did not answer';
    const complaint = this.#complaintOf(lane.requests, answers);
    switch (lane.name) {
      case 'offloaded':
        return (await this.#unlikeOffloaded(lane, answers, complaint)) ?? (await this.#neverCalled(lane));
      case 'cluster':
        if (complaint === undefined) this.#noteState(lane, answers);
        return complaint;
      default:
        // The very same app: where it differs, that is no work that differs.
        if (complaint === undefined) {
          this.#references = this.#references.map((own, i) => [...own, ...answers[i]!]);
        }
        return complaint;
    }
  }

  #noteState({ requests }: AppLane, answers: readonly (readonly Answer[])[]): void {
    for (const [i, all] of answers.entries()) {
      if (!this.#likenesses(i, all).includes('different')) continue;
      this.#session.notes.push(
        `${routeOf(requests[i]!)}: a cluster answers something else than one process: does the app keep something in memory?`,
      );
    }
  }

  async #unlikeOffloaded(
    lane: AppLane,
    answers: readonly (readonly Answer[])[],
    complaint: string | undefined,
  ): Promise<string | undefined> {
    if (complaint !== undefined) return this.#whyDifferent(lane, complaint);
    for (const [i, all] of answers.entries()) {
      const route = routeOf(lane.requests[i]!);
      const likenesses = this.#likenesses(i, all);
      if (likenesses.includes('different')) return this.#whyDifferent(lane, `${route}: the answer differs`);
      if (likenesses.includes('unclear')) {
        return `${route} answers something else each time: whether it still does its work when offloaded cannot be checked`;
      }
    }
    return undefined;
  }

  #likenesses(request: number, answers: readonly Answer[]): Likeness[] {
    return answers.map((answer) => compareAnswer(this.#references[request]!, answer));
  }

  async #whyDifferent(lane: AppLane, difference: string): Promise<string> {
    const names = this.#plan.offload.flatMap((target) => target.names).join(', ');
    const calls = await lane.child.ask('calls', undefined, ANSWER_LIMIT_MS);
    const failure = calls.kind === 'done' ? calls.value.firstFailure : undefined;
    if (failure !== undefined) return `${difference}, since the call fails in a thread: ${failure}`;
    return `${difference}: does the app await ${names}()?`;
  }

  async #neverCalled(lane: AppLane): Promise<string | undefined> {
    const calls = await lane.child.ask('calls', undefined, ANSWER_LIMIT_MS);
    if (calls.kind !== 'done')
      return calls.kind === 'aborted' ? 'it was interrupted' : describeFailure(calls);
    if (calls.value.calls > 0) return undefined;
    const names = this.#plan.offloadGiven.join(', ');
    return `these routes never call ${names}: does the app import it from that file?`;
  }

  #complaintOf(
    requests: readonly RequestPlan[],
    answers: readonly (readonly Answer[])[],
  ): string | undefined {
    for (const [i, all] of answers.entries()) {
      const complaint = all.map(complaintOf).find((text) => text !== undefined);
      if (complaint !== undefined) return `${routeOf(requests[i]!)} ${complaint}`;
    }
    return undefined;
  }

  #noteAnswers(): void {
    const { notes } = this.#session;
    if (this.#references.some(([answer]) => answer?.closes)) {
      notes.push(
        'the app closes the connection after each answer: what is measured is mostly how fast connections are made',
      );
    }
    const isRandom = this.#references.some((all) =>
      all.some((each) => compareAnswer(all.slice(0, 1), each) !== 'same'),
    );
    if (isRandom) {
      notes.push(
        'the same request is answered with something else each time: answers were compared only in what they have in common',
      );
    }
  }

  /** Of each request, so many answers; undefined: it could not be asked. */
  async #ask(
    lane: AppLane,
    requests: readonly RequestPlan[],
    times: number,
  ): Promise<Answer[][] | undefined> {
    const all = requests.flatMap((request) => Array.from({ length: times }, () => request));
    const setup = { origin: lane.opened.origin, requests: all, limitMs: ANSWER_LIMIT_MS };
    const outcome: Outcome<readonly Answer[]> = await this.#load.ask(
      'ask',
      setup,
      all.length * ANSWER_LIMIT_MS + 1000,
    );
    if (outcome.kind !== 'done') return undefined;
    return requests.map((_, i) => outcome.value.slice(i * times, (i + 1) * times));
  }

  #setup(more: Partial<AppSetup>): AppSetup {
    const { module, export: name, args, port } = this.#plan;
    const { threads } = this.#counts;
    return {
      module,
      export: name,
      args,
      port,
      offload: [],
      threads,
      processes: undefined,
      limitMs: this.#openLimitMs,
      ...more,
    };
  }

  get #openLimitMs(): number {
    return clamp(this.#plan.budgetMs / 2, OPEN_LIMIT_MS.least, OPEN_LIMIT_MS.most);
  }
}

/** From an answer that failed until the process that failed it is gone. Milliseconds. */
const LAST_BREATH_MS = 500;

/** What the user is meant to read, if it is that. */
function complaintIn(failure: Failure): string | undefined {
  return failure.kind === 'failed' && failure.error.name === 'UsageError' ? failure.error.message : undefined;
}

function cannotOpen(failure: Failure, child: Child<AppTalk>, given: string): UsageError {
  const complaint = complaintIn(failure);
  if (complaint !== undefined) return new UsageError(complaint);
  if (failure.kind === 'failed') {
    const { name, message } = failure.error;
    return new UsageError(`cannot load '${given}': ${name}: ${message}`);
  }
  if (failure.kind === 'silent') {
    const seconds = (failure.ms / 1000).toFixed(0);
    return new UsageError(`'${basename(given)}' listened on no port within ${seconds} s`);
  }
  return new UsageError(`'${given}' does not start: ${whyNot(failure, child)}`);
}

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

export interface AppLane {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly opened: AppOpened;
  readonly requests: readonly RequestPlan[];
  errors: ErrorSamples;
  isDead: boolean;
}

export function newLane(of: Pick<AppLane, 'name' | 'child' | 'opened' | 'requests'>): AppLane {
  return { ...of, errors: NOTHING_MEASURED.errors, isDead: false };
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
export function whyNot(failure: Failure, child: Child<AppTalk>): string {
  const words = failure.kind === 'ended' ? child.lastWords : '';
  const what = failure.kind === 'failed' ? failure.error.message : describeFailure(failure);
  return words === '' ? what : `${what}: ${words.replaceAll('\n', ' / ')}`;
}
