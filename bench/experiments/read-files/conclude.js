// What follows from read-files.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { formatNumber } from '../../report/format.js';
import { findingInParts, isFaster, named } from '../hash-direct/finding.js';
import { NAMES } from './published.js';

const METRIC = 'readsPerSecond';
const rowOf = (name) => `${AS_PUBLISHED}, ${name}`;
const BLOCKING = rowOf('loop of readFileSync');
const TOGETHER = rowOf('Promise.all of readFile');
const OURS = 'threadwise, workers read, batched';
const READ_FILES = 'threadwise, readFiles';
const WHAT = { 'small-many': '3.3 kB x 10,000', 'small-few': '3.3 kB x 100', large: '6.5 MB x 100' };

export function conclude(scenarios, tools) {
  const { fasterThan, bestRow } = tools;
  const [many, few, large] = Object.keys(WHAT).map((id) => named(scenarios, id));
  const part = (claim, scenario, row, other) => {
    const compared = fasterThan(scenario, row, other, METRIC);
    return { claim, holds: isFaster(compared), said: compared.sentence };
  };
  const ours = scenarios.flatMap((scenario) => {
    const best = bestRow(scenario, METRIC, ({ role }) => role === 'as-published');
    return best === undefined ? [] : rowsOfOurs(scenario).map((row) => say(scenario, row, best, fasterThan));
  });
  return [
    findingInParts([
      part(`synchronously, ${WHAT['small-many']}`, many, BLOCKING, TOGETHER),
      part(`synchronously, ${WHAT['small-few']}`, few, BLOCKING, TOGETHER),
      part(`asynchronously, ${WHAT.large}`, large, TOGETHER, BLOCKING),
    ]),
    ...scenarios.flatMap((scenario) => shares(scenario, tools)),
    ...ours,
    ...scenarios.flatMap((scenario) => cores(scenario, tools)),
  ];
}

/** Those that were measured: not every version of the library has all. */
function rowsOfOurs({ rows }) {
  return [OURS, READ_FILES].filter((wanted) =>
    rows.some(({ id, figures }) => id === wanted && figures[METRIC] !== undefined),
  );
}

const say = (scenario, row, best, fasterThan) =>
  `${WHAT[scenario.id]}: ${fasterThan(scenario, row, best, METRIC).sentence}`;

/** As they were published: each way as a share of the best of the six. */
function shares(scenario, { estimate }) {
  const rates = NAMES.flatMap((name) => {
    const rate = estimate(scenario, rowOf(name), METRIC)?.value;
    return rate === undefined ? [] : [[name, rate]];
  });
  if (rates.length === 0) return [];
  const best = Math.max(...rates.map(([, rate]) => rate));
  const said = rates.map(([name, rate]) => `${name} ${formatNumber((100 * rate) / best)} %`);
  return [`${WHAT[scenario.id]}, as shares of the best of the six: ${said.join(', ')}`];
}

/** How much of the machine a way takes. */
function cores(scenario, { estimate, words }) {
  const said = [BLOCKING, TOGETHER, OURS].flatMap((row) => {
    const load = estimate(scenario, row, 'coresPercent');
    return load === undefined ? [] : [`${row} ${words.perCent(load.value / 100)}`];
  });
  return said.length === 0 ? [] : [`${WHAT[scenario.id]}, load of all cores together: ${said.join(', ')}`];
}
