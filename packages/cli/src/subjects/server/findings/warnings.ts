/** What the user should know of his app, and of the measurement, before he believes any figure. */
import { busyWarning, leftOutWarnings, usableCores } from '../../../experiment/rules.js';
import { perCent } from '../../../format/figures.js';
import { isFailing } from './figures.js';
import type { ServerVerdict } from './findings.js';
import type { LaneSamples, ServerSamples } from './samples.js';
import { endOf, errorsOf } from './verdict.js';

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
