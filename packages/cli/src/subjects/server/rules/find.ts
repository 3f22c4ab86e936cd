/** Samples in, findings out, no clock, no I/O: why the verdict is what it is, what each way costs, and what to know before any of it is believed. */
import {
  busyWarning,
  type Findings,
  leftOutWarnings,
  usableCores,
  type Verdict,
} from '../../../experiment/rules.js';
import { type Estimate, middleOf, ratio } from '../../../experiment/statistics.js';
import { bytes, counted, duration, perCent, timesFromTo } from '../../../format/figures.js';
import { type Figures, figuresOf, isFailing, roomOf, type Way } from './figures.js';
import type { LaneSamples, ServerSamples } from './samples.js';
import { coresOf, doesPay, endOf, errorsOf, processesOf, serverVerdict, whoFills } from './verdict.js';

export function findServer(samples: ServerSamples): ServerFindings {
  const figures = figuresOf(samples);
  const verdict = serverVerdict(samples, figures);
  const gainOf = (name: 'offloaded' | 'cluster') => figures.ways.find((way) => way.name === name)?.gain;
  return {
    kind: 'server',
    schemaVersion: 1,
    verdict,
    reasons: reasonsOf(samples, figures),
    warnings: warningsOf(samples, verdict),
    gains: { offloaded: gainOf('offloaded'), cluster: gainOf('cluster') },
    noise: figures.noise,
    samples,
  };
}

export type ServerAnswer = 'leave' | 'offload' | 'cluster' | 'unknown';

export type ServerVerdict = Verdict<ServerAnswer>;

/** Another way of running the app against the app as it is: how many times as much. Undefined: it came to no number. */
export interface Gain {
  readonly requests: Estimate | undefined;
  readonly p99: Estimate | undefined;
  readonly memory: Estimate | undefined;
}

/** By what share the very same differs, when it is run twice: effects below that are not seen. */
export interface Noise {
  readonly requests: number | undefined;
  readonly p99: number | undefined;
}

export interface ServerFindings extends Findings<ServerAnswer, ServerSamples> {
  readonly kind: 'server';
  readonly gains: { readonly offloaded: Gain | undefined; readonly cluster: Gain | undefined };
  readonly noise: Noise;
}

/** An event loop that is held up for longer is felt by other requests. Milliseconds. */
const HELD_UP_MS = 10;
const HARDLY_MS = 1;

export function reasonsOf(samples: ServerSamples, figures: Figures): string[] {
  const { ways, noise } = figures;
  const found = [
    ...[samples.asIs, samples.offloaded, samples.cluster].map(lastWords),
    bothPay(samples, figures),
    ...ways.map((way) => brings(way, samples)),
    loop(samples, ways),
    whoComputes(samples),
    ...ways.map((way) => memory(way, samples)),
    samples.subject.offload.length === 0 &&
      samples.subject.against.length === 0 &&
      notOffloaded(samples.asIs),
    noise.requests !== undefined &&
      `the app as it is, run twice, differs by up to ${perCent(noise.requests)} in requests: less than that is not seen`,
  ];
  return found.filter((text) => typeof text === 'string');
}

function wayName({ name }: Pick<Way, 'name'>, { subject }: ServerSamples): string {
  if (name === 'cluster') return `a cluster of ${processesOf(subject.processes)}`;
  if (subject.against.length > 0) return subject.against.join(', ');
  return `offloading to ${counted(subject.threads, 'thread')}`;
}

function lastWords(lane: LaneSamples | undefined): string | undefined {
  const lines = lane?.ended?.lastWords.split('\n') ?? [];
  return lines.length < 2 ? undefined : `what it wrote last: ${lines.join(' / ')}`;
}

function bothPay(samples: ServerSamples, figures: Figures): string | undefined {
  const [offloaded, cluster, ...none] = figures.ways.filter((way) => doesPay(way, samples.asIs, figures));
  if (offloaded === undefined || cluster === undefined || none.length > 0) return undefined;
  const requests = ratio(cluster.lane.rate, offloaded.lane.rate);
  const late = ratio(cluster.lane.p99Ms, offloaded.lane.p99Ms);
  if (requests === undefined || late === undefined) return undefined;
  return `both ways pay: ${wayName(cluster, samples)} answers ${timesFromTo(requests)} the requests of ${wayName(offloaded, samples)}, with ${timesFromTo(late)} its p99`;
}

function brings(way: Way, samples: ServerSamples): string | undefined {
  const { requests, p99 } = way.gain;
  if (requests === undefined) return undefined;
  const late = p99 === undefined ? '' : ` and ${timesFromTo(p99)} the p99`;
  return `${wayName(way, samples)}: ${timesFromTo(requests)} the requests${late} of the app as it is`;
}

function loop({ asIs }: ServerSamples, ways: readonly Way[]): string | undefined {
  const before = middleOf(asIs.loopDelayMs);
  const offloaded = ways.find(({ name }) => name === 'offloaded');
  const after = offloaded && middleOf(offloaded.lane.loopDelayMs);
  if (before === undefined) return undefined;
  if (before < HARDLY_MS) return 'its event loop is hardly held up: less than 1 ms (p99)';
  const with_ = after === undefined ? '' : `, ${duration(after)} when offloaded`;
  return `its event loop is held up for ${duration(before)} (p99)${with_}: so long every other request waits, too`;
}

function whoComputes(samples: ServerSamples): string | undefined {
  const { machine, asIs } = samples;
  const cores = usableCores(machine);
  const room = roomOf(asIs, cores);
  const share = middleOf(asIs.loopShare);
  if (share === undefined) return undefined;
  const app = `one process takes ${coresOf(room.app)} of ${counted(cores, 'core')}, its event loop is busy for ${perCent(share)} of the time`;
  const full = room.isFull ? `. The machine is full: ${whoFills(room, cores)}` : '';
  return `${app}${full}`;
}

function memory(way: Way, samples: ServerSamples): string | undefined {
  const [before, after] = [middleOf(samples.asIs.residentBytes), middleOf(way.lane.residentBytes)];
  if (
    before === undefined ||
    after === undefined ||
    (samples.subject.against.length > 0 && way.name === 'offloaded')
  )
    return undefined;
  return `${wayName(way, samples)} takes ${bytes(after)} of memory, one process ${bytes(before)}`;
}

function notOffloaded({ loopDelayMs }: LaneSamples): string {
  const delay = middleOf(loopDelayMs) ?? 0;
  const isLong = delay > HELD_UP_MS ? ', which may be worth it here' : '';
  return `offloading was not measured: no function was named (--offload ./tasks.js#render, or --against /route)${isLong}`;
}

const NO_STATE =
  'in a cluster each process has a memory of its own: what the app keeps between requests (sessions, caches, counters, rate limits) must be kept elsewhere first';

export function warningsOf(samples: ServerSamples, { answer }: ServerVerdict): string[] {
  const { machine, subject, notes, asIs } = samples;
  const found = [
    ...notes,
    answer === 'cluster' && NO_STATE,
    ...failed('offloading', samples.offloaded),
    ...failed('the cluster', samples.cluster),
    !isFailing(asIs.errors) && hasErrors(asIs) && `now and then: ${errorsOf(asIs.errors)}`,
    subject.connections.used < subject.connections.asked &&
      `${subject.connections.used} connections were used, not ${subject.connections.asked}: with more a request would take longer than there is time to measure (--budget)`,
    busyWarning(machine),
    sharedCores(samples),
    ...leftOutWarnings(samples),
  ];
  return found.filter((text) => typeof text === 'string');
}

function hasErrors({ errors }: LaneSamples): boolean {
  return errors.bad + errors.sockets + errors.timeouts > 0;
}

function failed(name: string, lane: LaneSamples | undefined): string[] {
  if (lane?.ended !== undefined) return [`${name} is no choice as it is: it ended ${endOf(lane.ended)}`];
  if (lane !== undefined && isFailing(lane.errors)) {
    return [`${name} is no choice as it is: ${errorsOf(lane.errors)}`];
  }
  return [];
}

/** The load generator has a core of its own only on other machines. */
function sharedCores({ asIs, machine }: ServerSamples): string | undefined {
  const share = asIs.loadShare.length === 0 ? 0 : Math.max(...asIs.loadShare.filter(Number.isFinite));
  const cores = usableCores(machine);
  if (share < cores / 4) return undefined;
  return `the load generator runs on the same machine, and takes up to ${perCent(share / cores)} of its cores: the app has fewer than in production`;
}
