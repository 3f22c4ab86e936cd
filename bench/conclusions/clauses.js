// Comparisons as clauses of a sentence that a person writes. A clause claims no more than the interval allows.
import { timesFromTo } from '@threadwise/cli/analysis';
import { inverse, withInterval } from './conclusions.js';

const SPEED = { better: 'is faster than', worse: 'is slower than', same: 'does as well as' };
/** Words for other comparisons than of speed. */
export const WORK = {
  better: 'gets more done than',
  worse: 'gets less done than',
  same: 'gets as much done as',
};
/** @param verb, what of which less is better @param much 'much', or 'many' */
export const lessOf = (verb, what = '', much = 'much') => ({
  better: `${verb} less${what} than`,
  worse: `${verb} more${what} than`,
  same: `${verb} as ${much}${what} as`,
});

/**
 * @param compared the result of `fasterThan` @param subject, other the names of the two
 * @param words the words for better and worse; same: for a difference within 5 %
 */
export function clause({ verdict, leaning, ratio }, subject, other, words = SPEED) {
  const { better, worse, same = SPEED.same } = words;
  if (ratio === undefined) return `${subject} beside ${other} is not measured yet`;
  const side = leaning ?? verdict;
  const probably = leaning === undefined ? '' : ', probably';
  if (side === 'faster') return `${subject} ${better} ${other}${probably}: ${withInterval(ratio)}`;
  if (side === 'slower') return `${subject} ${worse} ${other}${probably}: ${withInterval(inverse(ratio))}`;
  if (verdict === 'same') return `${subject} ${same} ${other}`;
  return `it cannot be told whether ${subject} ${better} ${other} (${timesFromTo(ratio)})`;
}

/** Makes clauses by one metric: each compares two rows of a scenario. */
export const clausesBy =
  ({ fasterThan }, metric, usual) =>
  (scenario, row, other, subject, name, words = usual) =>
    clause(fasterThan(scenario, row, other, metric), subject, name, words);

/** Joins clauses into a sentence with a capital letter and a full stop. */
export function sentence(...clauses) {
  const text = clauses.filter((part) => part !== undefined).join('; ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** How many times as good, with the interval. */
export const factor = ({ ratio }) => (ratio === undefined ? 'not measured' : withInterval(ratio));

/** `61 % (58 to 64 %)`, with the interval if there is one; undefined if it was not measured */
export function shown(estimate, format) {
  if (estimate === undefined) return undefined;
  const [value, low, high] = [estimate.value, estimate.low, estimate.high].map(format);
  const unit = /\D*$/.exec(high)[0];
  return low === high
    ? value
    : `${value} (${low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high})`;
}
