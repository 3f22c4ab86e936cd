// The load of each core over time, as the article has it: for the file and the two ways that it compares.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { overTime } from '../../report/over-time.js';
import { named } from '../hash-direct/finding.js';

const LOAD = { id: 'corePercent', label: 'load %', unit: '%', better: 'lower' };
/** Of a plot: as many curves as can be told apart. */
const MOST_CURVES = 8;

/** @param ways by their names in the tables @param id of the scenario */
export function pictureOf(title, id, ways) {
  const cores = Math.floor(MOST_CURVES / ways.length);
  const rows = ways.flatMap((way) => Array.from({ length: cores }, (_, core) => nameOf(way, core)));
  return {
    ...{ title, metric: LOAD.id, x: { label: '% of the time' }, rows },
    points: (scenarios) => overTime(LOAD, seriesOf(named(scenarios, id), ways, cores)),
  };
}

const nameOf = (way, core) => `${way}, core ${core + 1}`;

/** The load of each core over time, in the first round, for each way. */
function seriesOf(scenario, ways, most) {
  return ways.flatMap((way) => {
    const row = scenario?.rows.find(({ id }) => id === `${AS_PUBLISHED}, ${way}`);
    const looks = row?.samples[0]?.coresOverTime ?? [];
    const cores = Math.min(most, looks[0]?.length ?? 0);
    return Array.from({ length: cores }, (_, core) => ({
      row: nameOf(way, core),
      values: looks.map((loads) => loads[core]),
    }));
  });
}
