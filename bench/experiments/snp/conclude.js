// The conclusions of the experiment snp.
import { atCores, claimOf, isNotable, sideBySide, withThreads } from '../../conclusions/finding.js';
import { published } from './published.js';
import { HEAVY } from './scenarios.js';

export const METRIC = 'totalMs';
export const AS_PUBLISHED = 'as published, a thread for each share';
export const BY_OFFSET = 'threadwise, slices by offset';
export const SHARED = 'threadwise, shared buffer';
export const PISCINA = 'piscina, slices by offset';

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
    shape.sentence,
    ...saidOf(heavy, atCores(heavy, machine), compared, tools),
    `With little work for a line: ${lightShape.sentence}`,
    ...saidOf(light, atCores(light, machine), [...compared, [SHARED, BY_OFFSET]], tools).map(
      (sentence) => `With little work for a line: ${sentence}`,
    ),
  ];
}

/** Judges each claim of the slides, with as much work for a line as published. */
export function judge(scenarios, tools) {
  const heavy = scenarios.filter(({ curve }) => curve === HEAVY);
  const most = Math.max(...published.tables[0].rows.map(([threads]) => threads));
  const cores = atCores(heavy, tools.machine)?.x;
  const faster = stepOf(heavy, 1, cores, tools);
  const slower = stepOf(heavy, most, cores, tools);
  return [
    claimOf('threads help up to the number of cores', faster, { holds: isNotable }),
    claimOf('more threads than cores make it slower', slower, { holds: isNotable }),
  ];
}

/** Compares the published program with as many threads as cores and with another number of threads. */
export function stepOf(scenarios, other, cores, { fasterThan }) {
  const places = [cores, other].map((x) => [
    `${AS_PUBLISHED}, threads: ${x}`,
    scenarios.find((one) => one.x === x),
    AS_PUBLISHED,
  ]);
  return fasterThan(sideBySide(places), places[0][0], places[1][0], METRIC);
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
