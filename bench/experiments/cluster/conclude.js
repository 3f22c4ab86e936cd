// The conclusions of the experiment cluster.
import { atCores, claimOf } from '../../conclusions/finding.js';

export const CLUSTER = 'as published, cluster';
export const OURS = 'threadwise, pool';
export const PISCINA = 'piscina, pool';
/** How many processes the published cluster has. */
export const PROCESSES = 4;
/** The metrics by which the published cluster was better than one process, and how the claims say so. */
export const METRICS = {
  requestsPerSecond: 'gets more requests done',
  latencyP50Ms: 'answers sooner in the median',
  latencyP95Ms: 'answers sooner in 95 of 100',
  latencyMaxMs: 'answers sooner at worst',
};

export function conclude(scenarios, tools) {
  const { fasterThan, bestX, machine } = tools;
  const scenario = atCores(scenarios, machine);
  const compare = (row, other, metric, at = scenario) => {
    const { sentence } = fasterThan(at, row, other, metric);
    return at === undefined ? sentence : `With ${at.x} threads, or processes: ${sentence}`;
  };
  return [
    bestX(scenarios, CLUSTER, 'requestsPerSecond', 'worker')?.sentence,
    bestX(scenarios, OURS, 'requestsPerSecond')?.sentence,
    ...Object.keys(METRICS).map((metric) => compare(OURS, CLUSTER, metric)),
    compare(OURS, 'inline', 'requestsPerSecond'),
    compare(OURS, PISCINA, 'requestsPerSecond', fourOf(scenarios)),
    compare(OURS, PISCINA, 'latencyMaxMs', fourOf(scenarios)),
  ].filter((sentence) => sentence !== undefined);
}

/** Judges each claim of the slides. */
export function judge(scenarios, { fasterThan }) {
  const four = fourOf(scenarios);
  const part = (claim, ...compared) => claimOf(claim, fasterThan(four, ...compared));
  return [
    ...Object.entries(METRICS).map(([metric, what]) =>
      part(`a cluster of ${PROCESSES} ${what} than one process`, CLUSTER, 'inline', metric),
    ),
    part(
      `clustering rather than threads: a cluster of ${PROCESSES} gets more requests done than a pool of ${PROCESSES} threads`,
      ...[CLUSTER, OURS, 'requestsPerSecond'],
    ),
  ];
}

/** The scenario with as many processes, or threads, as published. */
export const fourOf = (scenarios) => scenarios.find(({ x }) => x === PROCESSES);
