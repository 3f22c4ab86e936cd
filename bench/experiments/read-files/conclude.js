// The conclusions of the experiment read-files.
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { formatNumber } from '../../report/format.js';
import { claimOf, isFewRounds, isWithin, named, not } from '../../conclusions/finding.js';
import { NAMES } from './published.js';

export const METRIC = 'readsPerSecond';
export const rowOf = (name) => `${AS_PUBLISHED}, ${name}`;
export const BLOCKING = rowOf('loop of readFileSync');
export const TOGETHER = rowOf('Promise.all of readFile');
export const OURS = 'threadwise, workers read, batched';
export const READ_FILES = 'threadwise, readFiles';
export const WHAT = { 'small-many': '3.3 kB x 10,000', 'small-few': '3.3 kB x 100', large: '6.5 MB x 100' };

export function conclude(scenarios, tools) {
  const { fasterThan, bestRow } = tools;
  const compared = Object.keys(WHAT).flatMap((id) => named(scenarios, id) ?? []);
  const ours = compared.flatMap((scenario) => {
    const best = bestRow(scenario, METRIC, ({ role }) => role === 'as-published');
    return best === undefined ? [] : rowsOfOurs(scenario).map((row) => say(scenario, row, best, fasterThan));
  });
  return [
    ...compared.flatMap((scenario) => shares(scenario, tools)),
    ...ours,
    ...compared.flatMap((scenario) => cores(scenario, tools)),
  ];
}

/** Judges each claim of the article. */
export function judge(scenarios, tools) {
  const [many, few, large] = Object.keys(WHAT).map((id) => named(scenarios, id));
  const part = (claim, ...compared) => claimOf(claim, tools.fasterThan(...compared, METRIC));
  return [
    part(`synchronously, ${WHAT['small-many']}`, many, BLOCKING, TOGETHER),
    part(`synchronously, ${WHAT['small-few']}`, few, BLOCKING, TOGETHER),
    part(`asynchronously, ${WHAT.large}`, large, TOGETHER, BLOCKING),
    coresPart('readFileSync keeps one core busy', large, BLOCKING, tools, (used) =>
      isWithin(used, 1 / ABOUT, ABOUT),
    ),
    coresPart('readFile uses several cores', large, TOGETHER, tools, (used) =>
      not(isWithin(used, -Infinity, ABOUT)),
    ),
  ];
}

/** Judges how many cores a way keeps busy; other programs count as well. @param isTrue judges an estimate in cores */
function coresPart(claim, scenario, row, { estimate, words, machine }, isTrue) {
  const load = estimate(scenario, row, 'coresPercent');
  if (load === undefined)
    return { claim, holds: undefined, said: `the load of the cores with ${row} was not measured` };
  const inCores = Object.fromEntries(
    Object.entries(load).map(([key, percent]) => [key, (percent / 100) * machine.cores]),
  );
  const holds = isFewRounds(scenario, row) ? undefined : isTrue(inCores);
  return {
    claim,
    holds,
    said: `${row}: ${formatNumber(inCores.value)} of ${words.counted(machine.cores, 'core')}`,
  };
}

/** The factor by which a load may be off, because of what else the system does. */
const ABOUT = 1.25;

/** The rows of ours that were measured: older versions of the library do not have all. */
function rowsOfOurs({ rows }) {
  return [OURS, READ_FILES].filter((wanted) =>
    rows.some(({ id, figures }) => id === wanted && figures[METRIC] !== undefined),
  );
}

const say = (scenario, row, best, fasterThan) =>
  `${WHAT[scenario.id]}: ${fasterThan(scenario, row, best, METRIC).sentence}`;

/** Each way as a share of the best of the six, as published. */
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

/** How much of all cores a way takes. */
function cores(scenario, { estimate, words }) {
  const said = [BLOCKING, TOGETHER, OURS].flatMap((row) => {
    const load = estimate(scenario, row, 'coresPercent');
    return load === undefined ? [] : [`${row} ${words.perCent(load.value / 100)}`];
  });
  return said.length === 0 ? [] : [`${WHAT[scenario.id]}, load of all cores together: ${said.join(', ')}`];
}
