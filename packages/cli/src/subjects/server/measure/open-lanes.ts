/** Starts the app in each way in which it is run, and checks that it answers the same in all of them. */
import { basename } from 'node:path';
import { type Child, describeFailure, type Failure } from '../../../experiment/child.js';
import { clamp, type Session } from '../../../experiment/session.js';
import { UsageError } from '../../../exit-code.js';
import { toldLoadError } from '../../../run/work/task-module.js';
import type { AppOpened, AppSetup, AppTalk } from '../app/process.js';
import type { LoadTalk } from '../load/process.js';
import { type ErrorSamples, NOTHING_MEASURED } from '../rules/samples.js';
import {
  type Answer,
  compareAnswer,
  complaintOf,
  type Likeness,
  type RequestPlan,
  routeOf,
} from './answers.js';
import type { ServerPlan } from './measure.js';

export type LaneName = 'asIs' | 'control' | 'offloaded' | 'cluster';

/** The names of the lanes in messages and in the progress. */
export const LANE_NAMES: Readonly<Record<LaneName, string>> = {
  asIs: 'the app as it is',
  control: 'the app as it is, again',
  offloaded: 'offloading',
  cluster: 'the cluster',
};

/** One way of running the app: its process, or the primary one of its cluster, and the requests that are sent to it. */
export interface AppLane {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly opened: AppOpened;
  readonly requests: readonly RequestPlan[];
  errors: ErrorSamples;
  isDead: boolean;
}

/** How many milliseconds the app may take to load and to listen: if it takes longer, it probably never does. */
const OPEN_LIMIT_MS = { least: 10_000, most: 30_000 } as const;
/** How many milliseconds after the limit its process must have reported it; in a loop that never ends, it cannot. */
const GRACE_MS = 3000;
/** How many milliseconds the app may take for one answer, before there is any load. */
const ANSWER_LIMIT_MS = 10_000;
/** How many milliseconds to wait, after an answer failed, for the end of the process, which would be the reason. */
const LAST_BREATH_MS = 500;
/** How many times each request is sent to the app as it is, to learn what varies in its answers: two may be alike by chance. */
const REFERENCES = 3;
/** How many times each request is sent to another lane: the processes of a cluster answer in turn. */
const CANDIDATES = 3;
const APP = new URL('../app/process.js', import.meta.url);

/** The plan, with the number of threads and of processes that are used where the user named none. */
type LanePlan = ServerPlan & { readonly threads: number; readonly processes: number };

/** The answers to each request, which was sent several times; and what is wrong with them. */
interface Answered {
  readonly all: readonly (readonly Answer[])[];
  readonly complaint: string | undefined;
}

/** A process of the app, and its lane or why there is none. */
interface Started {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly lane: AppLane | Failure;
}

export class LaneOpener {
  readonly #session: Session<LanePlan>;
  readonly #load: Child<LoadTalk>;
  /** The answers of the app as it is. */
  #references: Answered['all'] = [];

  constructor(session: Session<LanePlan>, load: Child<LoadTalk>) {
    this.#session = session;
    this.#load = load;
  }

  /** How many milliseconds the fastest answer of the app as it is took. */
  get answerMs(): number {
    return Math.min(...this.#references.flat().map(({ ms }) => ms));
  }

  /** Opens all lanes, the app as it is first. Resolves to none if interrupted. Rejects with UsageError if the app cannot be measured. */
  async open(): Promise<AppLane[]> {
    const asIs = await this.#first();
    if (asIs === undefined || asIs.isDead) return asIs === undefined ? [] : [asIs];
    const { offload, against, processes } = this.#session.plan;
    // All start at once, since on a busy machine each takes long.
    const control = this.#start('control');
    const offloaded = offload.length > 0 ? this.#start('offloaded', { offload }) : undefined;
    const cluster = this.#start('cluster', { processes });
    const lanes = [asIs, await this.#another(await control)];
    this.#noteAnswers();
    if (offloaded !== undefined) lanes.push(await this.#another(await offloaded));
    if (against.length > 0) lanes.push(await this.#against(asIs));
    lanes.push(await this.#another(await cluster));
    return lanes.filter((lane) => lane !== undefined);
  }

  async #start(name: LaneName, more: Partial<AppSetup> = {}): Promise<Started> {
    const { module, export: exportName, args, port, threads, budgetMs, requests } = this.#session.plan;
    const limitMs = clamp(budgetMs / 2, OPEN_LIMIT_MS.least, OPEN_LIMIT_MS.most);
    const own = { module, export: exportName, args, port, offload: [], threads, processes: undefined };
    this.#session.say(LANE_NAMES[name]);
    const child = this.#session.start<AppTalk>(APP, { isProgram: true });
    const outcome = await child.ask('open', { ...own, limitMs, ...more }, limitMs + GRACE_MS);
    if (outcome.kind !== 'done') return { name, child, lane: outcome };
    const { errors } = NOTHING_MEASURED;
    return { name, child, lane: { name, child, opened: outcome.value, requests, errors, isDead: false } };
  }

  async #first(): Promise<AppLane | undefined> {
    const { child, lane } = await this.#start('asIs');
    if ('kind' in lane) {
      if (lane.kind === 'aborted') return undefined;
      throw cannotOpen(lane, child, this.#session.plan);
    }
    const answered = await this.#ask(lane, REFERENCES);
    if (answered === undefined) return child.ended === undefined ? undefined : { ...lane, isDead: true };
    if (answered.complaint !== undefined) {
      // If the request ended the app, that is reported, and not a bad answer.
      if (await child.endsWithin(LAST_BREATH_MS)) return { ...lane, isDead: true };
      throw new UsageError(
        `${answered.complaint}. Expected a status of 2xx; --route, --header and --body say what is sent`,
      );
    }
    this.#references = answered.all;
    return lane;
  }

  async #another({ name, child, lane }: Started): Promise<AppLane | undefined> {
    if (this.#session.isAborted) return undefined;
    const why = 'kind' in lane ? whyNoLane(name, child, lane) : await this.#whyNot(lane);
    if (why === undefined && !('kind' in lane)) return lane;
    await child.kill();
    if (why !== undefined) this.#session.skip(LANE_NAMES[name], why);
    return undefined;
  }

  /** Why the lane cannot be compared with the app as it is; undefined: it can. */
  async #whyNot(lane: AppLane): Promise<string | undefined> {
    const answered = await this.#ask(lane, CANDIDATES);
    if (answered === undefined) return this.#session.isAborted ? 'it was interrupted' : 'it did not answer';
    const { all, complaint } = answered;
    if (lane.name === 'offloaded') return this.#unlikeOffloaded(answered, lane);
    if (complaint !== undefined) return complaint;
    if (lane.name === 'control') {
      // The control is the same app, so its answers are more references: what differs in them varies by itself.
      this.#references = this.#references.map((own, i) => [...own, ...all[i]!]);
    } else {
      this.#noteDifferent(
        all,
        (route) =>
          `${route}: a cluster answers something else than one process: does the app keep something in memory?`,
      );
    }
    return undefined;
  }

  async #unlikeOffloaded({ all, complaint }: Answered, { child, requests }: AppLane) {
    const { offload, offloadGiven } = this.#session.plan;
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

  /** Routes whose work is offloaded already are served by the process of the app as it is. */
  async #against(asIs: AppLane): Promise<AppLane | undefined> {
    const { against } = this.#session.plan;
    const lane: AppLane = { ...asIs, name: 'offloaded', requests: against };
    const answered = await this.#ask(lane, 1);
    if (answered === undefined) return undefined;
    const { all, complaint } = answered;
    if (complaint !== undefined) throw new UsageError(`--against: ${complaint}. Expected a status of 2xx`);
    this.#noteDifferent(
      all,
      (route, i) => `${routeOf(against[i]!)} and ${route} do not answer the same: is it the same work?`,
    );
    return lane;
  }

  /** @param textOf the note on a request, by its route and its number */
  #noteDifferent(all: Answered['all'], textOf: (route: string, request: number) => string): void {
    const { notes, plan } = this.#session;
    for (const [i, request] of plan.requests.entries()) {
      if (this.#likenesses(i, all).includes('different')) notes.push(textOf(routeOf(request), i));
    }
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

function cannotOpen(
  failure: Failure,
  child: Child<AppTalk>,
  { module, moduleGiven: given }: ServerPlan,
): UsageError {
  if (failure.kind === 'failed') return toldLoadError(given, module, failure.error);
  if (failure.kind !== 'silent')
    return new UsageError(`'${given}' does not start: ${inWords(failure, child)}`);
  return new UsageError(
    `'${basename(given)}' listened on no port within ${(failure.ms / 1000).toFixed(0)} s`,
  );
}

/** Undefined if interrupted. Throws UsageError if that is what the process says of the functions to offload: bad options are bad input. */
function whyNoLane(name: LaneName, child: Child<AppTalk>, failure: Failure): string | undefined {
  if (failure.kind === 'aborted') return undefined;
  if (name === 'offloaded' && failure.kind === 'failed' && failure.error.name === 'UsageError') {
    throw new UsageError(failure.error.message);
  }
  return inWords(failure, child);
}

/** What failed, and what its process said last. */
function inWords(failure: Failure, child: Child<AppTalk>): string {
  if (failure.kind === 'failed') return failure.error.message;
  const words = failure.kind === 'ended' ? child.lastWords : '';
  return describeFailure(failure) + (words && `: ${words.replaceAll('\n', ' / ')}`);
}
