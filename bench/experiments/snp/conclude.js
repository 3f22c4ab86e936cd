// What follows from snp.
import { atCores, finding, withThreads } from '../hash-direct/finding.js';
import { published } from './published.js';
import { HEAVY } from './scenarios.js';

const METRIC = 'totalMs';
const AS_PUBLISHED = 'as published, a thread for each share';
const BY_OFFSET = 'threadwise, slices by offset';
const SHARED = 'threadwise, shared buffer';
const PISCINA = 'piscina, slices by offset';

export function conclude(scenarios, tools) {
  const { curveAgrees, machine } = tools;
  const heavy = scenarios.filter(({ curve }) => curve === HEAVY);
  const light = scenarios.filter(({ curve }) => curve !== HEAVY);
  const [{ rows }] = published.tables;
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const [shape, lightShape] = [heavy, light].map((all) => curveAgrees(curve, all, AS_PUBLISHED, METRIC));
  const compared = [
    [AS_PUBLISHED, 'inline'],
    [BY_OFFSET, 'inline'],
    [BY_OFFSET, AS_PUBLISHED],
    [BY_OFFSET, PISCINA],
  ];
  return [
    finding(shape.agrees, shape.sentence),
    ...saidOf(heavy, atCores(heavy, machine), compared, tools),
    `With little work for a line: ${lightShape.sentence}`,
    ...saidOf(light, atCores(light, machine), [...compared, [SHARED, BY_OFFSET]], tools).map(
      (sentence) => `With little work for a line: ${sentence}`,
    ),
  ];
}

function saidOf(scenarios, scenario, compared, { fasterThan, bestX, amdahl }) {
  return [
    ...[AS_PUBLISHED, BY_OFFSET].map((row) => bestX(scenarios, row, METRIC)?.sentence),
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, METRIC).sentence),
    ),
    amdahl(scenarios, BY_OFFSET, METRIC)?.sentence,
  ].filter((sentence) => sentence !== undefined);
}
