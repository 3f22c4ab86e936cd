/** From the samples of a server to its findings: the verdict, its reasons, what each way costs, and the warnings. Pure. */
import * as rules from '../../../experiment/rules.js';
import { type Estimate, middleOf, ratio } from '../../../experiment/statistics.js';
import * as format from '../../../format/figures.js';
import { bytes, counted, duration, lateness, perCent, timesFromTo } from '../../../format/figures.js';
import type { LaneSamples, ServerSamples } from './samples.js';
import * as verdicts from './verdict.js';
import { coresOf, errorsOf, failuresOf, type Figures, isFailing, type Way } from './verdict.js';

export type ServerFindings = ReturnType<typeof findServer>;

export function findServer(samples: ServerSamples) {
  const figures = verdicts.figuresOf(samples);
  const { offloaded, cluster, noise } = figures;
  const verdict = verdicts.serverVerdict(figures);
  return {
    kind: 'server' as const,
    schemaVersion: 1 as const,
    verdict,
    reasons: reasonsOf(figures),
    warnings: warningsOf(figures, verdict.answer),
    gains: { offloaded: offloaded?.gain, cluster: cluster?.gain },
    noise,
    samples,
  };
}

const HELD_UP_MS = 10; // how many milliseconds the event loop may be held up before other requests feel it

function reasonsOf(figures: Figures): string[] {
  const { samples, ways, offloaded, noise } = figures;
  const { asIs, subject } = samples;
  const isOffloadedAlready = subject.against.length > 0;
  const heldMs = middleOf(asIs.loopDelayMs);
  const mayHelp = (heldMs ?? 0) > HELD_UP_MS ? ', which may be worth it here' : '';
  const ended = [asIs, samples.offloaded, samples.cluster].map((lane) => lane?.ended?.lastWords ?? '');
  // An app that ends by itself says the same whichever way it is run.
  const lines = [...new Set(ended)].map((words) => words.split('\n'));
  return rules.applying([
    ...lines.map((words) => words.length > 1 && `what it wrote last: ${words.join(' / ')}`),
    bothPay(ways),
    ...ways.map(({ gain: { requests, p99 }, title, lane }) => {
      // An interval of so few rounds is so wide that it says nothing.
      const isWide = Math.min(lane.rate.length, asIs.rate.length) < rules.FEWEST_ROUNDS;
      const said = (gain: Estimate) => (isWide ? format.timesAfter('about', gain) : timesFromTo(gain));
      const late = p99 === undefined ? '' : ` and ${said(p99)} the p99`;
      return requests && `${title}: ${said(requests)} the requests${late} of the app as it is`;
    }),
    heldMs !== undefined && heldUp(heldMs, middleOf(offloaded?.lane.loopDelayMs ?? [])),
    whoComputes(figures),
    // Routes that are offloaded already are served by the very same process, so there is no memory to compare.
    ...ways.map((way) => (way === offloaded && isOffloadedAlready ? undefined : memory(way, asIs))),
    subject.offload.length === 0 &&
      !isOffloadedAlready &&
      `offloading was not measured: no function was named (--offload ./tasks.js#render, or --against /route)${mayHelp}`,
    noise.requests !== undefined &&
      `the app as it is, run twice, differs by ${format.noiseInWords(noise.requests)} in requests: smaller effects are not seen`,
  ]);
}

function bothPay(ways: readonly Way[]): string | undefined {
  const [offloaded, cluster] = ways.filter(({ pays }) => pays);
  if (offloaded === undefined || cluster === undefined) return undefined;
  const requests = ratio(cluster.lane.rate, offloaded.lane.rate);
  const late = ratio(cluster.lane.p99Ms, offloaded.lane.p99Ms);
  if (requests === undefined || late === undefined) return undefined;
  return `both ways pay: ${cluster.title} answers ${timesFromTo(requests)} the requests of ${offloaded.title}, with ${timesFromTo(late)} its p99`;
}

function heldUp(ms: number, msWhenOffloaded: number | undefined): string {
  if (ms < format.HARDLY_LATE_MS) return `its event loop is hardly held up: ${lateness(ms)} (p99)`;
  const offloaded = msWhenOffloaded === undefined ? '' : `, ${lateness(msWhenOffloaded)} when offloaded`;
  return `its event loop is held up for ${duration(ms)} (p99)${offloaded}: a request that comes meanwhile has to wait`;
}

function whoComputes(figures: Figures): string | undefined {
  const { cores, samples } = figures;
  const room = verdicts.roomOf(samples.asIs, figures);
  const share = middleOf(samples.asIs.loopShare);
  if (share === undefined) return undefined;
  const full = room.isFull ? `. The machine is full: ${verdicts.whoFills(room, cores)}` : '';
  return `one process takes ${coresOf(room.app)} of ${counted(cores, 'core')}, its event loop is busy for ${perCent(share)} of the time${full}`;
}

function memory({ lane, title }: Way, asIs: LaneSamples): string | undefined {
  const [before, after] = [middleOf(asIs.residentBytes), middleOf(lane.residentBytes)];
  if (before === undefined || after === undefined) return undefined;
  return `${title} takes ${bytes(after)} of memory, one process ${bytes(before)}`;
}

const NO_STATE =
  'in a cluster each process has a memory of its own: what the app keeps between requests (sessions, caches, counters, rate limits) must be kept elsewhere first';

function warningsOf({ samples, cores, silent, ways }: Figures, answer: verdicts.ServerAnswer): string[] {
  const { machine, subject, notes, asIs } = samples;
  const { used, asked } = subject.connections;
  return rules.applying([
    ...notes,
    answer === 'cluster' && NO_STATE,
    failed('offloading', samples.offloaded),
    failed('the cluster', samples.cluster),
    // Without another way of running the server to compare with, the verdict itself says that the server answered nothing.
    silent !== undefined && ways.length > 0 && verdicts.silence(silent),
    !isFailing(asIs.errors) && failuresOf(asIs.errors) > 0 && `now and then: ${errorsOf(asIs.errors)}`,
    // First what was asked for and left out: most often there is something to do about it.
    ...rules.notMeasured(samples.skipped),
    used < asked &&
      `${used} connections were used, not ${asked}: with more a request would take longer than there is time to measure (--budget)`,
    rules.busyWarning(machine),
    sharedCores(asIs, cores),
    ...rules.leftOutWarnings({ ...samples, skipped: [] }),
  ]);
}

function failed(name: string, lane: LaneSamples | undefined): string | undefined {
  const is = `${name} is no choice as it is`;
  if (lane?.ended !== undefined) return `${is}: it ended ${verdicts.endOf(lane.ended, lane)}`;
  return lane && isFailing(lane.errors) ? `${is}: ${errorsOf(lane.errors)}` : undefined;
}

/** Warns that the load generator takes cores which the app would have in production. */
function sharedCores({ loadShare }: LaneSamples, cores: number): string | undefined {
  const share = Math.max(0, ...loadShare.filter(Number.isFinite));
  if (share < cores / 4) return undefined;
  return `the load generator runs on the same machine, and takes up to ${perCent(share / cores)} of its cores: the app has fewer than in production`;
}
