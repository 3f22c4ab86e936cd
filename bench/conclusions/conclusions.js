// Puts measurements into words: which row is faster, and which is the best. The analysis of the command computes the figures
// and their intervals; this decides when they suffice for a verdict. Nothing is concluded from fewer than three rounds.
import { estimate as estimateOf, noiseOf, ratio, times, timesFromTo } from '@threadwise/cli/analysis';
import { formatNumber } from '../report/format.js';
import { bestRow as bestOf } from './goals.js';
import { goodnessOf, metricOf, seriesOf } from './rows.js';
import { FEWEST_ROUNDS } from './statistics.js';

/** The share within which a difference does not matter, if its whole interval lies within. */
const SAME = 0.05;

/** The figure with its interval; undefined if it was not measured. */
export function estimate(scenario, row, metric) {
  return estimateOf(seriesOf(scenario, row, metric));
}

/**
 * Whether a row is better than another one in the same scenario. The same rounds of both are compared, and the interval of their ratio must
 * be further from one than repeated rounds of the steadier row are from each other.
 * @returns { verdict, leaning, ratio, sentence }; leaning: 'faster' or 'slower' if the interval lies on that side of one, but not that far
 * from it; ratio: how many times as good; undefined if it was not measured, or in one round
 */
export function fasterThan(scenario, row, other, metric) {
  const of = metricOf(scenario, metric);
  const goodness = [row, other].map((id) => goodnessOf(scenario, id, metric));
  const { verdict, leaning, ratio: compared } = judge(...goodness);
  const rounds = Math.min(...goodness.map((series) => series.length));
  const sentence = sentenceOf({ scenario, row, other, metric: of, verdict, leaning, compared, rounds });
  return { verdict, leaning, ratio: compared, sentence };
}

/**
 * @param own @param other their goodness in each round: more is better
 * @returns { verdict, leaning, ratio }; ratio: undefined for fewer than two rounds
 */
export function judge(own, other) {
  const compared = ratio(own, other);
  const rounds = Math.min(own.length, other.length);
  const inRounds = [own, other].flatMap((series) => series.slice(0, rounds));
  // A difference within the noise may be below zero: nothing is so many times as good.
  if (inRounds.some((value) => value < 0)) return { verdict: 'unknown', ratio: undefined };
  // A ratio to zero is no number, and without such rounds the result would be another.
  if (compared === undefined || !inRounds.every(Number.isFinite) || rounds < FEWEST_ROUNDS)
    return { verdict: 'unknown', ratio: compared };
  const verdict = verdictOf(compared, noiseOfSteadier([own, other]));
  return { verdict, leaning: verdict === 'unknown' ? sideOf(compared) : undefined, ratio: compared };
}

function verdictOf({ low, high }, noise) {
  if (low >= 1 - SAME && high <= 1 + SAME) return 'same';
  if (low > 1 + noise) return 'faster';
  return high < 1 / (1 + noise) ? 'slower' : 'unknown';
}

/** On which side of one the interval lies, read with two digits; undefined if on both. */
function sideOf({ low, high }) {
  if (low >= 1.05) return 'faster';
  return high < 0.995 ? 'slower' : undefined;
}

function noiseOfSteadier(goodness) {
  return Math.min(...goodness.map((series) => noiseOf(series) ?? 0));
}

/** The words for better and worse: not every metric is a speed. */
function wordsFor({ unit = '', better }) {
  if (unit === 'ms' || unit === 'us' || unit.endsWith('/s'))
    return { faster: 'is faster than', slower: 'is slower than' };
  if (better === 'lower') return { faster: 'takes less than', slower: 'takes more than', isAmount: true };
  return { faster: 'has more than', slower: 'has less than' };
}

function sentenceOf({ scenario, row, other, metric, verdict, leaning, compared, rounds }) {
  const absent = [row, other].filter((id) => estimate(scenario, id, metric?.id) === undefined);
  if (absent.length > 0) {
    return `Cannot tell ${row} from ${other}: ${absent.join(' and ')} ${absent.length > 1 ? 'were' : 'was'} not measured`;
  }
  const words = wordsFor(metric);
  const by = `by ${metric.label}`;
  if (verdict === 'same') return `${row} is as good as ${other}, within 5 %, ${by}`;
  const side = leaning ?? verdict;
  if (side !== 'unknown') {
    const shown = words.isAmount ? inverse(compared) : compared;
    const probably = leaning === undefined ? '' : ', probably';
    return `${row} ${words[side]} ${other}${probably}: ${withInterval(shown)}, ${by}`;
  }
  const whether = `Cannot tell whether ${row} ${words.faster} ${other}, ${by}`;
  const figures = [row, other].map((id) => figure(scenario, id, metric)).join(' and ');
  if (rounds < FEWEST_ROUNDS)
    return `${whether}: ${figures}, in ${rounds === 1 ? 'one round' : `${rounds} rounds`}`;
  if (compared === undefined) return `${whether}: ${figures}, of which no round gives a ratio`;
  return `${whether}: the interval is ${timesFromTo(compared)} as good`;
}

/** Turns how many times as good into how many times as much, for a metric of which less is better. */
export function inverse({ value, low, high }) {
  return { value: 1 / value, low: 1 / high, high: 1 / low };
}

/** `1.3 x (1.2 to 1.4 x)`; one figure where both ends read the same */
export function withInterval(figures) {
  const [value, both] = [times(figures), timesFromTo(figures)];
  return value === both ? value : `${value} (${both})`;
}

/** `75 ms` */
export function figure(scenario, row, metric) {
  const { unit, id } = metric;
  return `${formatNumber(estimate(scenario, row, id).value)} ${unit ?? metric.label}`;
}

/** The id of the row with the best median among the wanted ones; undefined if none was measured. */
export function bestRow(scenario, metric, isWanted = () => true) {
  const of = metricOf(scenario, metric);
  return of && bestOf(scenario.rows.filter(isWanted), of)?.id;
}
