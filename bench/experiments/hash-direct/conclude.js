// What follows from hash-direct.
import { atCores, finding, isFaster, named, withThreads } from './finding.js';
import { ONE_GO } from './one-go.js';
import { published } from './published.js';

const AS_PUBLISHED = 'as published, shared segments';
const LEASED = 'threadwise, leased';
const COPIED = 'threadwise, copied';
const READ = 'threadwise, workers read';

export function conclude(scenarios, { fasterThan, bestRow, bestX, curveAgrees, machine }) {
  const scenario = atCores(scenarios, machine);
  const [{ rows }] = published.tables;
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const meanwhile = fasterThan(named(scenarios, ONE_GO), COPIED, AS_PUBLISHED, 'leftPercent');
  const best = bestRow(scenario ?? { rows: [], metrics: [] }, 'totalMs', ({ role }) => role === 'published');
  const compared = [
    [LEASED, AS_PUBLISHED],
    [READ, AS_PUBLISHED],
    [AS_PUBLISHED, 'inline'],
    [LEASED, 'inline'],
    [READ, 'inline'],
    ...(best === undefined
      ? []
      : [
          [best, 'inline'],
          [READ, best],
        ]),
  ];
  return [
    finding(isFaster(meanwhile), meanwhile.sentence),
    curveAgrees(curve, scenarios, AS_PUBLISHED, 'cleanMs').sentence,
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, 'totalMs').sentence),
    ),
    bestX(scenarios, LEASED, 'totalMs')?.sentence,
    bestX(scenarios, READ, 'totalMs')?.sentence,
  ].filter((sentence) => sentence !== undefined);
}
