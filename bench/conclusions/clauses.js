// What was compared, as part of a sentence that a person writes: it says no more than the interval does.
import { timesFromTo } from '@threadwise/cli/analysis';
import { withInterval } from './conclusions.js';

const SPEED = { better: 'is faster than', worse: 'is slower than', same: 'does as well as' };

/**
 * @param compared what `fasterThan` gives @param subject, other what the two are called
 * @param words what better and worse are called; same: within 5 %
 */
export function clause({ verdict, leaning, ratio }, subject, other, words = SPEED) {
  const { better, worse, same = SPEED.same } = words;
  if (ratio === undefined) return `${subject} beside ${other} is not measured yet`;
  const side = leaning ?? verdict;
  const probably = leaning === undefined ? '' : ', probably';
  if (side === 'faster') return `${subject} ${better} ${other}${probably}: ${withInterval(ratio)}`;
  if (side === 'slower') return `${subject} ${worse} ${other}${probably}: ${withInterval(inverse(ratio))}`;
  if (verdict === 'same') return `${subject} ${same} ${other}`;
  return `whether ${subject} ${better} ${other} cannot be told (${timesFromTo(ratio)})`;
}

const inverse = ({ value, low, high }) => ({ value: 1 / value, low: 1 / high, high: 1 / low });

/** With a capital letter, and a full stop. */
export function sentence(...clauses) {
  const text = clauses.filter((part) => part !== undefined).join('; ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** How many times as good, with its interval: the shortest that can be said. */
export const factor = ({ ratio }) => (ratio === undefined ? 'not measured' : withInterval(ratio));

/** `61 % (58 to 64 %)`, with the interval where there is one; undefined: not measured */
export function shown(estimate, format) {
  if (estimate === undefined) return undefined;
  const [value, low, high] = [estimate.value, estimate.low, estimate.high].map(format);
  const unit = /\D*$/.exec(high)[0];
  return low === high
    ? value
    : `${value} (${low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high})`;
}
