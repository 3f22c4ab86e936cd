/** Starts the app in each way in which it is run, and checks that it answers the same in all of them. */
import { type Child, describeFailure, type Failure, type Outcome } from '../../../experiment/child.js';
import { applying } from '../../../experiment/rules.js';
import { clamp, type Session } from '../../../experiment/session.js';
import { UsageError } from '../../../exit-code.js';
import { toldLoadError } from '../../../run/work/task-module.js';
import type { AppOpened, AppSetup, AppTalk } from '../app/process.js';
import type { LoadTalk } from '../load/process.js';
import { type ErrorSamples, NOTHING_MEASURED } from '../rules/samples.js';
import { compareAnswer, complaintOf, routeOf } from './answers.js';
import type { Answer, RequestPlan } from './answers.js';
import type { ServerPlan } from './measure.js';

/** The names of the lanes in messages and in the progress. */
export const LANE_NAMES = {
  asIs: 'the app as it is',
  control: 'the app as it is, again',
  offloaded: 'offloading',
  cluster: 'the cluster',
} as const;

export type LaneName = keyof typeof LANE_NAMES;

/** One way of running the app: its process, or the primary one of its cluster, and the requests that are sent to it. */
export interface AppLane {
  readonly name: LaneName;
  readonly child: Child<AppTalk>;
  readonly opened: AppOpened;
  readonly requests: readonly RequestPlan[];
  errors: ErrorSamples;
  isDead: boolean;
}

const OPEN_LIMIT_MS = { least: 10_000, most: 30_000 } as const; // if the app takes longer to listen, it probably never does
const GRACE_MS = 3000; // after the limit, until its process must have reported it; in a loop that never ends, it cannot
const ANSWER_LIMIT_MS = { least: 5000, most: 10_000 } as const; // how long the app may take for one answer, before there is any load
const LAST_BREATH_MS = 500; // how long to wait, after an answer failed, for the end of the process, which would be the reason
const REFERENCES = 3; // how often each request is sent, to learn what varies in its answers: two may be alike by chance
const CANDIDATES = 3; // how often each request is sent to another lane: the processes of a cluster answer in turn
const APP = new URL('../app/process.js', import.meta.url);

/** The plan, with the number of threads and of processes that are used where the user named none. */
type LanePlan = ServerPlan & { readonly threads: number; readonly processes: number };

/** Opens all lanes, the app as it is first; none if interrupted. Rejects with UsageError if the app cannot be measured. */
export async function openLanes(session: Session<LanePlan>, load: Child<LoadTalk>) {
  const { plan, notes } = session;
  const { offload, against, processes, requests } = plan;
  const asIs = await start('asIs');
  const first = asIs && (await ask(asIs, REFERENCES));
  if (asIs === undefined || first === undefined) return { lanes: [], answerMs: Number.NaN };
  if (first.complaint !== undefined) {
    // If the request ended the app, that is reported, and not a bad answer.
    asIs.isDead = await asIs.child.endsWithin(LAST_BREATH_MS);
    if (asIs.isDead) return { lanes: [asIs], answerMs: Number.NaN };
    const expected = 'Expected a status of 2xx; --route, --header and --body say what is sent';
    throw new UsageError(`${first.complaint}. ${expected}`);
  }
  let references = first.all; // the answers of the app as it is
  // All start at once, since on a busy machine each takes long.
  const [control, offloaded, cluster] = await Promise.all([
    start('control'),
    offload.length > 0 ? start('offloaded', { offload }) : undefined,
    start('cluster', { processes }),
  ]);
  const opened = [asIs, await checked(control)];
  const closes = references.some(([answer]) => answer?.closes);
  const varies = references.some((all) =>
    all.some((each) => compareAnswer(all.slice(0, 1), each) !== 'same'),
  );
  const said = applying([
    closes &&
      'the app closes the connection after each answer: what is measured is mostly how fast connections are made',
    varies &&
      'the same request is answered with something else each time: answers were compared only in what they have in common',
  ]);
  notes.push(...said);
  opened.push(await checked(offloaded));
  if (against.length > 0) opened.push(await openAgainst(asIs));
  opened.push(await checked(cluster));
  const answerMs = Math.min(...references.flat().map(({ ms }) => ms));
  return { lanes: opened.filter((lane) => lane !== undefined), answerMs };

  /** Resolves to undefined where the app does not start that way, which the session knows. Rejects with UsageError if it does not as it is. */
  async function start(name: LaneName, more: Partial<AppSetup> = {}): Promise<AppLane | undefined> {
    const { module, export: exportName, args, port, threads } = plan;
    const limitMs = clamp(plan.budgetMs / 2, OPEN_LIMIT_MS.least, OPEN_LIMIT_MS.most);
    const own: AppSetup = { module, export: exportName, args, port, threads, offload: [], limitMs };
    session.say(LANE_NAMES[name]);
    const child = session.start<AppTalk>(APP, { isProgram: true });
    const outcome = await child.ask('open', { ...own, ...more }, limitMs + GRACE_MS);
    if (outcome.kind === 'aborted') return undefined;
    if (outcome.kind === 'done') {
      const { errors } = NOTHING_MEASURED;
      return { name, child, opened: outcome.value, requests, errors, isDead: false };
    }
    if (name === 'asIs') throw cannotOpen(outcome, child, plan);
    if (name === 'offloaded' && outcome.kind === 'failed' && outcome.error.name === 'UsageError') {
      throw new UsageError(outcome.error.message);
    }
    return leaveOut(name, child, inWords(outcome, child));
  }

  async function leaveOut(name: LaneName, child: Child<AppTalk>, why: string): Promise<undefined> {
    await child.kill();
    session.skip(LANE_NAMES[name], why);
  }

  /** Resolves to undefined where the lane cannot be compared with the app as it is, which the session then knows. */
  async function checked(lane: AppLane | undefined): Promise<AppLane | undefined> {
    if (lane === undefined || session.isAborted) return undefined;
    const { name, child } = lane;
    const answered = await ask(lane, CANDIDATES);
    if (answered === undefined) return leaveOut(name, child, 'it was interrupted');
    const { all, complaint } = answered;
    const why = name === 'offloaded' ? await whyNotOffloaded(answered, child) : complaint;
    if (why !== undefined) return leaveOut(name, child, why);
    // The control is the same app, so its answers are more references: what differs in them varies by itself.
    if (name === 'control') references = references.map((own, i) => [...own, ...all[i]!]);
    if (name === 'cluster') {
      const what =
        'a cluster answers something else than one process: does the app keep something in memory?';
      notes.push(...different(all).map((i) => `${routeOf(requests[i]!)}: ${what}`));
    }
    return lane;
  }

  /** Why the offloaded app cannot be compared with the app as it is; undefined: it can. */
  async function whyNotOffloaded({ all, complaint }: Answered, child: Child<AppTalk>) {
    const likenesses = complaint === undefined ? all.map(likenessesOf) : [];
    const odd = likenesses.findIndex((each) => each.includes('different') || each.includes('unclear'));
    const route = odd === -1 ? '' : routeOf(requests[odd]!);
    if (odd !== -1 && !likenesses[odd]!.includes('different')) {
      return `${route} answers something else each time, so the command cannot check whether it still does its work when offloaded`;
    }
    const difference = odd === -1 ? complaint : `${route}: the answer differs`;
    const asked = await child.ask('calls', undefined, ANSWER_LIMIT_MS.most);
    if (difference !== undefined) {
      const failure = asked.kind === 'done' ? asked.value.firstFailure : undefined;
      if (failure !== undefined) return `${difference}, since the call fails in a thread: ${failure}`;
      return `${difference}: does the app await ${offload.flatMap(({ names }) => names).join(', ')}()?`;
    }
    if (asked.kind !== 'done') return describeFailure(asked);
    if (asked.value.calls > 0) return undefined;
    return `these routes never call ${plan.offloadGiven.join(', ')}: does the app import it from that file?`;
  }

  /** Routes whose work is offloaded already are served by the process of the app as it is. */
  async function openAgainst(own: AppLane): Promise<AppLane | undefined> {
    const lane: AppLane = { ...own, name: 'offloaded', requests: against };
    const answered = await ask(lane, 1);
    if (answered === undefined) return undefined;
    const { all, complaint } = answered;
    if (complaint !== undefined) throw new UsageError(`--against: ${complaint}. Expected a status of 2xx`);
    const both = (i: number): string => [against[i]!, requests[i]!].map(routeOf).join(' and ');
    notes.push(...different(all).map((i) => `${both(i)} do not answer the same: is it the same work?`));
    return lane;
  }

  /** The requests whose answers differ from those of the app as it is, by number. */
  function different(all: Answered['all']): number[] {
    return [...all.keys()].filter((i) => likenessesOf(all[i]!, i).includes('different'));
  }

  function likenessesOf(answers: readonly Answer[], request: number) {
    return answers.map((answer) => compareAnswer(references[request]!, answer));
  }

  /** Sends each request several times. Resolves to the answers to each request, and what is wrong with them; to undefined if interrupted. */
  async function ask({ opened: { origin }, requests: plans }: AppLane, times: number) {
    const each = plans.flatMap((request) => Array.from({ length: times }, () => request));
    const limitMs = clamp(plan.budgetMs, ANSWER_LIMIT_MS.least, ANSWER_LIMIT_MS.most);
    const setup = { origin, requests: each, limitMs };
    const answers = await askLoad(load, 'ask', setup, each.length * ANSWER_LIMIT_MS.most + 1000);
    if (answers === undefined) return undefined;
    const complaints = answers.map(complaintOf);
    const bad = complaints.findIndex((why) => why !== undefined);
    const complaint = bad === -1 ? undefined : `${routeOf(each[bad]!)} ${complaints[bad]}`;
    return { all: plans.map((_, i) => answers.slice(i * times, (i + 1) * times)), complaint };
  }

  type Answered = NonNullable<Awaited<ReturnType<typeof ask>>>;
}

/** Resolves to undefined if interrupted. Rejects with UsageError if the load generator is gone: nothing can be measured without it. */
export async function askLoad<K extends keyof LoadTalk>(
  load: Child<LoadTalk>,
  type: K,
  asks: LoadTalk[K]['asks'],
  limitMs: number,
): Promise<LoadTalk[K]['gets'] | undefined> {
  const outcome: Outcome<LoadTalk[K]['gets']> = await load.ask(type, asks, limitMs);
  if (outcome.kind === 'done') return outcome.value;
  if (outcome.kind === 'aborted') return undefined;
  throw new UsageError('the load generator ended: was it killed, or is there no memory left?');
}

function cannotOpen(failure: Failure, child: Child<AppTalk>, plan: ServerPlan): UsageError {
  const { module, moduleGiven: given } = plan;
  if (failure.kind === 'failed') return toldLoadError(given, module, failure.error);
  return new UsageError(`'${given}' does not start: ${inWords(failure, child)}`);
}

/** What failed, and what its process said last. */
function inWords(failure: Failure, child: Child<AppTalk>): string {
  if (failure.kind === 'failed') return failure.error.message;
  const words = failure.kind === 'ended' ? child.lastWords : '';
  return describeFailure(failure) + (words && `: ${words.replaceAll('\n', ' / ')}`);
}
