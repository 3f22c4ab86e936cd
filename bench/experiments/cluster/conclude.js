// What follows from cluster.
import { allHold, atCores, finding, isFaster } from '../hash-direct/finding.js';

const CLUSTER = 'as published, cluster';
const OURS = 'threadwise, pool';
/** Processes of the published cluster. */
const PROCESSES = 4;
/** By each of them the published cluster was better than one process. */
const METRICS = ['requestsPerSecond', 'latencyP50Ms', 'latencyP95Ms'];

export function conclude(scenarios, { fasterThan, bestX, machine }) {
  const four = scenarios.find(({ x }) => x === PROCESSES);
  const gains = METRICS.map((metric) => fasterThan(four, CLUSTER, 'inline', metric));
  const scenario = atCores(scenarios, machine);
  const compare = (row, other, metric) => {
    const { sentence } = fasterThan(scenario, row, other, metric);
    return scenario === undefined ? sentence : `With ${scenario.x} threads, or processes: ${sentence}`;
  };
  return [
    finding(
      allHold(...gains.map(isFaster)),
      `With ${PROCESSES} processes: ${gains.map(({ sentence }) => sentence).join('; ')}`,
    ),
    bestX(scenarios, CLUSTER, 'requestsPerSecond', 'worker')?.sentence,
    bestX(scenarios, OURS, 'requestsPerSecond')?.sentence,
    compare(OURS, CLUSTER, 'requestsPerSecond'),
    compare(OURS, CLUSTER, 'latencyP95Ms'),
    compare(OURS, 'inline', 'requestsPerSecond'),
    compare(OURS, 'piscina, pool', 'requestsPerSecond'),
  ].filter((sentence) => sentence !== undefined);
}
