// What follows from cluster.
import { atCores, findingInParts, isFaster } from '../hash-direct/finding.js';

const CLUSTER = 'as published, cluster';
const OURS = 'threadwise, pool';
const PISCINA = 'piscina, pool';
/** Processes of the published cluster. */
const PROCESSES = 4;
/** By each of them the published cluster was better than one process. */
const METRICS = {
  requestsPerSecond: 'gets more requests done',
  latencyP50Ms: 'answers sooner in the median',
  latencyP95Ms: 'answers sooner in 95 of 100',
  latencyMaxMs: 'answers sooner at worst',
};

export function conclude(scenarios, { fasterThan, bestX, machine }) {
  const four = scenarios.find(({ x }) => x === PROCESSES);
  const part = (claim, row, other, metric) => {
    const compared = fasterThan(four, row, other, metric);
    return { claim, holds: isFaster(compared), said: compared.sentence };
  };
  const scenario = atCores(scenarios, machine);
  const compare = (row, other, metric) => {
    const { sentence } = fasterThan(scenario, row, other, metric);
    return scenario === undefined ? sentence : `With ${scenario.x} threads, or processes: ${sentence}`;
  };
  return [
    findingInParts([
      ...Object.entries(METRICS).map(([metric, what]) =>
        part(`a cluster of ${PROCESSES} ${what} than one process`, CLUSTER, 'inline', metric),
      ),
      part(
        `clustering rather than threads: a cluster of ${PROCESSES} gets more requests done than a pool of ${PROCESSES} threads`,
        ...[CLUSTER, OURS, 'requestsPerSecond'],
      ),
    ]),
    bestX(scenarios, CLUSTER, 'requestsPerSecond', 'worker')?.sentence,
    bestX(scenarios, OURS, 'requestsPerSecond')?.sentence,
    ...Object.keys(METRICS).map((metric) => compare(OURS, CLUSTER, metric)),
    compare(OURS, 'inline', 'requestsPerSecond'),
    compare(OURS, PISCINA, 'requestsPerSecond'),
    compare(OURS, PISCINA, 'latencyMaxMs'),
  ].filter((sentence) => sentence !== undefined);
}
