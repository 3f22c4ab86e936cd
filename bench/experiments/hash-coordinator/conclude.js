// What follows from hash-coordinator.
import { atCores, finding, isFaster, named, withThreads } from '../hash-direct/finding.js';
import { ONE_GO } from '../hash-direct/one-go.js';
import { published } from './published.js';

const WITH = 'as published, coordinator';
const WITHOUT = 'as published, no coordinator';
const OURS = 'threadwise, coordinator, leased';
const MOVED = 'threadwise, coordinator, moved';
const COPIED = 'threadwise, copied';
const LEASED = 'threadwise, leased';

export function conclude(scenarios, tools) {
  const { fasterThan, bestX, curveAgrees, machine } = tools;
  const scenario = atCores(scenarios, machine);
  const [{ rows }] = published.tables;
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const gain = fasterThan(scenario, WITH, WITHOUT, 'cleanMs');
  const compared = [
    [WITH, WITHOUT],
    [OURS, WITH],
    [MOVED, WITH],
    [LEASED, OURS],
    [OURS, 'inline'],
    [LEASED, 'inline'],
  ];
  return [
    finding(isFaster(gain), withThreads(scenario, gain.sentence)),
    curveAgrees(curve, scenarios, WITH, 'cleanMs').sentence,
    ...[WITH, MOVED, COPIED].map(
      (row) => fasterThan(named(scenarios, ONE_GO), row, WITHOUT, 'leftPercent').sentence,
    ),
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, 'totalMs').sentence),
    ),
    bestX(scenarios, WITH, 'totalMs')?.sentence,
    bestX(scenarios, OURS, 'totalMs')?.sentence,
    ...[WITH, OURS].map((row) => utilization(scenario, row, tools)),
  ].filter((sentence) => sentence !== undefined);
}

/** How busy the coordinator was, and its workers. */
function utilization(scenario, row, { estimate, words }) {
  const [coordinator, workers] = ['coordinatorPercent', 'workersPercent'].map((metric) =>
    estimate(scenario, row, metric),
  );
  if (coordinator === undefined || workers === undefined) return undefined;
  const [one, many] = [coordinator, workers].map(({ value }) => words.perCent(value / 100));
  return withThreads(
    scenario,
    `the coordinator of ${row} has a utilisation of ${one}, its workers of ${many}`,
  );
}
