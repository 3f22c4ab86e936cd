// Whether the finding of a document holds here, in words; and helpers for scenarios. The verdicts are those of the tools:
// see bench/README.md.

import { FEWEST_ROUNDS } from './statistics.js';

const WORDS = new Map([
  ['untestable', 'The published finding cannot be tested on this machine'],
  [true, 'The published finding holds here'],
  ['partly', 'The published finding holds here in part'],
  [false, 'The published finding does not hold here'],
  [undefined, 'Cannot tell whether the published finding holds here'],
]);

/** @param holds true, 'partly', false, or undefined if it cannot be told @param sentences why */
export function finding(holds, ...sentences) {
  return `${WORDS.get(holds)}: ${sentences.join('; ')}`;
}

/** The verdict if the machine is too small to test a claim. */
export const UNTESTABLE = 'untestable';

/** The words for a verdict on one claim, or on all claims of a document (only these can be 'partly'). */
export const FOUND = new Map([
  ['partly', 'holds in part'],
  [UNTESTABLE, 'cannot be tested on this machine'],
  [true, 'holds'],
  [false, 'does not hold'],
  [undefined, 'cannot be told'],
]);

/**
 * A finding that makes several claims, each of which is judged.
 * @param parts [{ claim, holds, said }]; holds: true, false, UNTESTABLE, or undefined if it cannot be told; said: why
 */
export function findingInParts(parts) {
  const sentences = parts.map(({ claim, holds, said }) => `${claim}: ${FOUND.get(holds)} (${said})`);
  return finding(ofAll(parts.map(({ holds }) => holds)), ...sentences);
}

/** The verdict on all claims: true if all hold, 'partly' if some do, false if none does and at least one surely does not. */
export function ofAll(each) {
  if (each.length > 0 && each.every((holds) => holds === UNTESTABLE)) return UNTESTABLE;
  if (each.includes(true)) return each.every((holds) => holds === true) ? true : 'partly';
  return each.includes(false) ? false : undefined;
}

/** The opposite of what is judged; undefined, if it cannot be told, stays so. */
export const not = (holds) => (holds === undefined ? undefined : !holds);

/** @param compared what `fasterThan` returns; a difference within 5 % is not faster */
export function isFaster({ verdict }) {
  return verdict === 'unknown' ? undefined : verdict === 'faster';
}

/** A claim that a row is faster, by what `fasterThan` returns. @param holds, said if the claim is another one, or told in other words */
export const claimOf = (claim, compared, { holds = isFaster, said = compared.sentence } = {}) => ({
  claim,
  holds: holds(compared),
  said,
});

/** Whether an estimate is within limits; undefined if its interval contains one of them. */
export function isWithin({ low, high }, least, most) {
  if (low >= least && high <= most) return true;
  return high < least || low > most ? false : undefined;
}

/** Published figures have no interval: a factor is reached from four fifths of it on, and a change below an eighth is none. */
const NEAR = 1.25;
const NOTABLE = 1.125;

/** Whether a published factor is reached here, by what `fasterThan` returns; undefined if it cannot be told. */
export function reaches(factor, { verdict, ratio }) {
  if (verdict === 'unknown') return undefined;
  if (ratio.low >= factor / NEAR && ratio.low > 1) return true;
  return ratio.high < factor / NEAR ? false : undefined;
}

/** Whether a row is better by more than published figures may be off, by what `fasterThan` returns; undefined if it cannot be told. */
export function isNotable({ verdict, ratio }) {
  if (verdict === 'slower' || verdict === 'same') return false;
  if (verdict === 'unknown') return ratio !== undefined && ratio.high < NOTABLE ? false : undefined;
  if (ratio.low >= NOTABLE) return true;
  return ratio.high < NOTABLE ? false : undefined;
}

/** Whether a row has too few rounds for a verdict. */
export function isFewRounds(scenario, rowId) {
  const row = scenario?.rows.find(({ id }) => id === rowId);
  return (row?.samples.length ?? 0) < FEWEST_ROUNDS;
}

/** The scenario of that id; undefined if it was not measured. */
export const named = (scenarios, wanted) => scenarios.find(({ id }) => id === wanted);

/** The scenario with as many threads as cores, or else with the next smaller number. */
export function atCores(scenarios, { cores, availableParallelism = cores }) {
  const fitting = scenarios.filter(({ x }) => x <= availableParallelism);
  return fitting.toSorted((a, b) => a.x - b.x).at(-1);
}

/**
 * Rows of several scenarios as those of one, so that they can be compared round by round.
 * @param places [[name, scenario, row], …]; name: the new id of the row
 */
export function sideBySide(places) {
  const rows = places.flatMap(([name, scenario, rowId]) => {
    const row = scenario?.rows.find(({ id }) => id === rowId);
    return row === undefined ? [] : [{ ...row, id: name }];
  });
  const measured = places.find(([, scenario]) => scenario !== undefined)?.[1];
  return { metrics: measured?.metrics ?? [], rows };
}

/** `With 2 threads: …` */
export function withThreads(scenario, sentence) {
  return scenario === undefined
    ? sentence
    : `With ${scenario.x === 1 ? '1 thread' : `${scenario.x} threads`}: ${sentence}`;
}
