// What a curve shows: the x after which more does not help, how much work does not run in parallel, where one row overtakes another.
import {
  amdahlOf,
  breakEvenOf,
  counted,
  estimate,
  isTested,
  kneeOf,
  part,
  ratio,
} from '@threadwise/cli/analysis';
import { fasterThan, figure } from './conclusions.js';
import { FEWEST_ROUNDS } from './statistics.js';
import { formatNumber } from '../report/format.js';
import { alongX, goodnessOf, metricOf, pointsOf, seriesOf } from './rows.js';

/** The figure of a knee is 95 % of the best; the lower end of its interval must be at least this share. */
const SURELY_GOOD = 0.9;

/**
 * The knee: the smallest x that is at least 0.95 times as good as the best, round by round.
 * @param thing what x counts, in the singular
 * @returns { x, best, points, sentence }; x: undefined if the rounds are too few, or differ too much; best: the x with the best median;
 *   points: [{ x, value }], value an estimate. Undefined for fewer than two points
 */
export function bestX(scenarios, row, metricId, thing = 'thread') {
  const points = comparablePoints(scenarios, row, metricId);
  if (points.length < 2) return undefined;
  const best = points.reduce((most, point) => (middleOf(point) > middleOf(most) ? point : most));
  const knee = kneeAmong(points, best);
  const sentence = `${row} ${kneeSentence(knee, best, { row, metricId, thing })}`;
  const values = points.map(({ x, series }) => ({ x, value: estimate(series) }));
  return { x: knee?.x, best: best.x, points: values, sentence };
}

function comparablePoints(scenarios, row, metricId) {
  return pointsOf(scenarios, row, metricId)
    .map((point) => ({ ...point, goodness: goodnessOf(point.scenario, row, metricId) }))
    .filter(({ goodness }) => estimate(goodness) !== undefined);
}

const middleOf = ({ goodness }) => estimate(goodness).value;

/** undefined if it cannot be told: the knee must surely be almost as good as the best, and every smaller x surely worse. */
function kneeAmong(points, best) {
  if (points.some(({ goodness }) => goodness.length < FEWEST_ROUNDS)) return undefined;
  const threads = points.map(({ x, goodness }) => ({ threads: x, rate: goodness }));
  const found = kneeOf({ threads }, threads)?.threads;
  const knee = points.find(({ x }) => x === found);
  if (knee === undefined) return undefined;
  const toBest = ({ goodness }) => ratio(goodness, best.goodness);
  const isGood = knee === best || toBest(knee)?.low >= SURELY_GOOD;
  const isNeeded = points.every((point) => point.x >= knee.x || toBest(point)?.high < 1);
  return isGood && isNeeded ? knee : undefined;
}

function kneeSentence(knee, best, { row, metricId, thing }) {
  const shown = ({ x, scenario }) =>
    `${counted(x, thing)}: ${figure(scenario, row, metricOf(scenario, metricId))}`;
  if (knee === undefined) {
    return `did best with ${shown(best)}; whether fewer are enough cannot be told: rounds are too few, or differ too much`;
  }
  if (knee === best) return `is at its best with ${shown(best)}`;
  return `has at least 95 % of its best already with ${shown(knee)}; its best is with ${shown(best)}`;
}

/**
 * Amdahl's law for x up to the number of cores. @param machine where it was measured
 * @returns { serialShare, error, sentence }; undefined if it was not measured with one thread and with more, in two rounds
 */
export function amdahl(machine, scenarios, row, metricId) {
  const threads = pointsOf(scenarios, row, metricId).map(({ x, scenario }) => ({
    threads: x,
    rate: goodnessOf(scenario, row, metricId),
  }));
  const samples = {
    threads,
    machine: { cores: machine.cores, availableThreads: machine.availableParallelism ?? machine.cores },
  };
  const fit = amdahlOf(samples);
  if (fit === undefined) return undefined;
  const { value, low, high } = fit.serialShare;
  const doubt = isTested(samples)
    ? `the fit is off by ${part(fit.error)}`
    : 'two points fit any share, so nothing says that this is the reason';
  return {
    ...fit,
    sentence: `By Amdahl's law, ${part(value)} (${part(low)} to ${part(high)}) of the work of ${row} does not run in parallel; ${doubt}`,
  };
}

/** How much a metric grows per x: least squares in each round, with the interval over the rounds. */
export function slope(scenarios, row, metricId) {
  const points = pointsOf(scenarios, row, metricId);
  const rounds = Math.min(...points.map(({ series }) => series.length));
  if (points.length < 2) return undefined;
  const slopes = Array.from({ length: rounds }, (_, round) =>
    slopeOf(points.map(({ x, series }) => [x, series[round]])),
  );
  return estimate(slopes);
}

function slopeOf(pairs) {
  const mean = (at) => pairs.reduce((sum, pair) => sum + pair[at] / pairs.length, 0);
  const [x, y] = [mean(0), mean(1)];
  const above = pairs.reduce((sum, pair) => sum + (pair[0] - x) * (pair[1] - y), 0);
  return above / pairs.reduce((sum, pair) => sum + (pair[0] - x) ** 2, 0);
}

/**
 * The smallest x at which a row is better than another one, interpolated between measured x on a logarithmic scale.
 * @returns { x, sentence }; x: an estimate; undefined if it always is, never is, or it cannot be told
 */
export function breakEven(scenarios, row, other, metricId, thing = 'call') {
  const both = alongX(scenarios).filter((scenario) =>
    [row, other].every((id) => seriesOf(scenario, id, metricId).some(Number.isFinite)),
  );
  const spins = both.map((scenario) => ({
    runMs: scenario.x,
    inline: goodnessOf(scenario, other, metricId),
    pool: goodnessOf(scenario, row, metricId),
  }));
  const { runMs: x } = breakEvenOf({ spins, inline: { rate: [], bySize: [] }, threads: [] });
  const isSure = spins.every(({ inline, pool }) => Math.min(inline.length, pool.length) >= FEWEST_ROUNDS);
  if (x === undefined || !isSure)
    return { x: undefined, sentence: withoutBreakEven(both, row, other, metricId, thing) };
  const [value, low, high] = [x.value, x.low, x.high].map(formatNumber);
  const interval = low === high ? '' : ` (${low} to ${high})`;
  return { x, sentence: `${row} is better than ${other} with about ${value} ${thing}s${interval} or more` };
}

function withoutBreakEven(scenarios, row, other, metricId, thing) {
  const unclear = `Cannot tell how many ${thing}s it takes until ${row} is better than ${other}`;
  if (scenarios.length === 0) return `${unclear}: they were not measured together`;
  const verdicts = new Set(scenarios.map((scenario) => fasterThan(scenario, row, other, metricId).verdict));
  const [from, to] = [scenarios[0], scenarios.at(-1)].map(({ x }) => formatNumber(x));
  if (verdicts.size === 1 && verdicts.has('faster'))
    return `${row} is better than ${other} already with ${from} ${thing}s`;
  if (!verdicts.has('faster') && !verdicts.has('unknown'))
    return `${row} is not better than ${other} with up to ${to} ${thing}s`;
  return `${unclear}: the rounds differ too much, or are too few`;
}
