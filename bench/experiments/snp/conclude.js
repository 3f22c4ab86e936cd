// What follows from snp.
import { atCores, finding, withThreads } from '../hash-direct/finding.js';
import { published } from './published.js';

const METRIC = 'totalMs';
const AS_PUBLISHED = 'as published, a thread for each share';
const BY_OFFSET = 'threadwise, slices by offset';
const SHARED = 'threadwise, shared buffer';
const PISCINA = 'piscina, slices by offset';

export function conclude(scenarios, { fasterThan, bestX, amdahl, curveAgrees, machine }) {
  const scenario = atCores(scenarios, machine);
  const [{ rows }] = published.tables;
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const shape = curveAgrees(curve, scenarios, AS_PUBLISHED, METRIC);
  const compared = [
    [AS_PUBLISHED, 'inline'],
    [BY_OFFSET, 'inline'],
    [BY_OFFSET, AS_PUBLISHED],
    [SHARED, BY_OFFSET],
    [BY_OFFSET, PISCINA],
  ];
  return [
    finding(shape.agrees, shape.sentence),
    ...[AS_PUBLISHED, BY_OFFSET, SHARED].map((row) => bestX(scenarios, row, METRIC)?.sentence),
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, METRIC).sentence),
    ),
    amdahl(scenarios, BY_OFFSET, METRIC)?.sentence,
  ].filter((sentence) => sentence !== undefined);
}
