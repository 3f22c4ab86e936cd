/** Samples in, findings out, no clock, no I/O: why the verdict is what it is, what each way costs, and what to know before any of it is believed. */
import {
  applying,
  busyWarning,
  type Findings,
  leftOutWarnings,
  type Verdict,
} from '../../../experiment/rules.js';
import { middleOf, ratio } from '../../../experiment/statistics.js';
import { bytes, counted, duration, perCent, timesFromTo } from '../../../format/figures.js';
import {
  failuresOf,
  type Figures,
  figuresOf,
  type Gain,
  isFailing,
  type Noise,
  roomOf,
  type Way,
} from './figures.js';
import type { LaneSamples, ServerSamples } from './samples.js';
import { coresOf, endOf, errorsOf, serverVerdict, whoFills } from './verdict.js';

export type ServerAnswer = 'leave' | 'offload' | 'cluster' | 'unknown';

export type ServerVerdict = Verdict<ServerAnswer>;

export interface ServerFindings extends Findings<ServerAnswer, ServerSamples> {
  readonly kind: 'server';
  readonly gains: { readonly offloaded: Gain | undefined; readonly cluster: Gain | undefined };
  readonly noise: Noise;
}

export function findServer(samples: ServerSamples): ServerFindings {
  const figures = figuresOf(samples);
  const { offloaded, cluster, noise } = figures;
  const verdict = serverVerdict(figures);
  return {
    kind: 'server',
    schemaVersion: 1,
    verdict,
    reasons: reasonsOf(figures),
    warnings: warningsOf(figures, verdict),
    gains: { offloaded: offloaded?.gain, cluster: cluster?.gain },
    noise,
    samples,
  };
}

/** An event loop that is held up for longer is felt by other requests. Milliseconds. */
const HELD_UP_MS = 10;
const HARDLY_MS = 1;

function reasonsOf(figures: Figures): string[] {
  const { samples, ways, noise } = figures;
  return applying([
    ...[samples.asIs, samples.offloaded, samples.cluster].map(lastWords),
    bothPay(figures),
    ...ways.map(brings),
    loop(figures),
    whoComputes(figures),
    ...ways.map((way) => memory(way, samples)),
    notOffloaded(samples),
    noise.requests !== undefined &&
      `the app as it is, run twice, differs by up to ${perCent(noise.requests)} in requests: less than that is not seen`,
  ]);
}

function lastWords(lane: LaneSamples | undefined): string | undefined {
  const lines = lane?.ended?.lastWords.split('\n') ?? [];
  return lines.length < 2 ? undefined : `what it wrote last: ${lines.join(' / ')}`;
}

function bothPay({ ways }: Figures): string | undefined {
  const [offloaded, cluster] = ways.filter(({ pays }) => pays);
  if (offloaded === undefined || cluster === undefined) return undefined;
  const requests = ratio(cluster.lane.rate, offloaded.lane.rate);
  const late = ratio(cluster.lane.p99Ms, offloaded.lane.p99Ms);
  if (requests === undefined || late === undefined) return undefined;
  return `both ways pay: ${cluster.words.title} answers ${timesFromTo(requests)} the requests of ${offloaded.words.title}, with ${timesFromTo(late)} its p99`;
}

function brings({ gain: { requests, p99 }, words }: Way): string | undefined {
  if (requests === undefined) return undefined;
  const late = p99 === undefined ? '' : ` and ${timesFromTo(p99)} the p99`;
  return `${words.title}: ${timesFromTo(requests)} the requests${late} of the app as it is`;
}

function loop({ samples, offloaded }: Figures): string | undefined {
  const before = middleOf(samples.asIs.loopDelayMs);
  if (before === undefined) return undefined;
  if (before < HARDLY_MS) return 'its event loop is hardly held up: less than 1 ms (p99)';
  const after = middleOf(offloaded?.lane.loopDelayMs ?? []);
  const whenOffloaded = after === undefined ? '' : `, ${duration(after)} when offloaded`;
  return `its event loop is held up for ${duration(before)} (p99)${whenOffloaded}: every other request waits for that long, too`;
}

function whoComputes({ samples: { asIs }, cores }: Figures): string | undefined {
  const room = roomOf(asIs, cores);
  const share = middleOf(asIs.loopShare);
  if (share === undefined) return undefined;
  const full = room.isFull ? `. The machine is full: ${whoFills(room, cores)}` : '';
  return `one process takes ${coresOf(room.app)} of ${counted(cores, 'core')}, its event loop is busy for ${perCent(share)} of the time${full}`;
}

function memory(way: Way, samples: ServerSamples): string | undefined {
  // What is offloaded already runs in the very same process.
  if (way.name === 'offloaded' && samples.subject.against.length > 0) return undefined;
  const [before, after] = [middleOf(samples.asIs.residentBytes), middleOf(way.lane.residentBytes)];
  if (before === undefined || after === undefined) return undefined;
  return `${way.words.title} takes ${bytes(after)} of memory, one process ${bytes(before)}`;
}

function notOffloaded({ subject, asIs }: ServerSamples): string | undefined {
  if (subject.offload.length > 0 || subject.against.length > 0) return undefined;
  const isLong = (middleOf(asIs.loopDelayMs) ?? 0) > HELD_UP_MS ? ', which may be worth it here' : '';
  return `offloading was not measured: no function was named (--offload ./tasks.js#render, or --against /route)${isLong}`;
}

const NO_STATE =
  'in a cluster each process has a memory of its own: what the app keeps between requests (sessions, caches, counters, rate limits) must be kept elsewhere first';

function warningsOf({ samples, cores }: Figures, { answer }: ServerVerdict): string[] {
  const { machine, subject, notes, asIs } = samples;
  const { used, asked } = subject.connections;
  return applying([
    ...notes,
    answer === 'cluster' && NO_STATE,
    failed('offloading', samples.offloaded),
    failed('the cluster', samples.cluster),
    !isFailing(asIs.errors) && failuresOf(asIs.errors) > 0 && `now and then: ${errorsOf(asIs.errors)}`,
    used < asked &&
      `${used} connections were used, not ${asked}: with more a request would take longer than there is time to measure (--budget)`,
    busyWarning(machine),
    sharedCores(asIs, cores),
    ...leftOutWarnings(samples),
  ]);
}

function failed(name: string, lane: LaneSamples | undefined): string | undefined {
  if (lane?.ended !== undefined) return `${name} is no choice as it is: it ended ${endOf(lane.ended)}`;
  if (lane === undefined || !isFailing(lane.errors)) return undefined;
  return `${name} is no choice as it is: ${errorsOf(lane.errors)}`;
}

/** The load generator has a core of its own only on other machines. */
function sharedCores({ loadShare }: LaneSamples, cores: number): string | undefined {
  const share = Math.max(0, ...loadShare.filter(Number.isFinite));
  if (share < cores / 4) return undefined;
  return `the load generator runs on the same machine, and takes up to ${perCent(share / cores)} of its cores: the app has fewer than in production`;
}
