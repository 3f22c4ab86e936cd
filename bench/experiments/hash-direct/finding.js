// Whether what a document found holds here, in words; and scenarios as conclusions want them. The verdicts are those
// of the tools: see bench/README.md.

import { FEWEST_ROUNDS } from '../../conclusions/conclusions.js';

const WORDS = new Map([
  ['untestable', 'The published finding cannot be tested on this machine'],
  [true, 'The published finding holds here'],
  ['partly', 'The published finding holds here in part'],
  [false, 'The published finding does not hold here'],
  [undefined, 'Cannot tell whether the published finding holds here'],
]);

/** @param holds true, 'partly', false, or undefined: cannot tell @param sentences why */
export function finding(holds, ...sentences) {
  return `${WORDS.get(holds)}: ${sentences.join('; ')}`;
}

/** What the machine is too small for. */
export const UNTESTABLE = 'untestable';

/** What is found of one claim, or of all that a document claims ('partly' is of these only). */
export const FOUND = new Map([
  ['partly', 'holds in part'],
  [UNTESTABLE, 'cannot be tested on this machine'],
  [true, 'holds'],
  [false, 'does not hold'],
  [undefined, 'cannot be told'],
]);

/**
 * A finding that claims several things, each of them judged apart.
 * @param parts [{ claim, holds, said }]; holds: true, false, UNTESTABLE, or undefined: cannot tell; said: why
 */
export function findingInParts(parts) {
  const sentences = parts.map(({ claim, holds, said }) => `${claim}: ${FOUND.get(holds)} (${said})`);
  return finding(ofAll(parts.map(({ holds }) => holds)), ...sentences);
}

/** What cannot be told makes it neither whole nor wrong; 'partly': at least one holds, and not all. */
export function ofAll(each) {
  if (each.length > 0 && each.every((holds) => holds === UNTESTABLE)) return UNTESTABLE;
  if (each.includes(true)) return each.every((holds) => holds === true) ? true : 'partly';
  return each.includes(false) ? false : undefined;
}

/** All of them hold; one that does not is enough against it. */
export function allHold(...each) {
  if (each.includes(false)) return false;
  return each.includes(undefined) ? undefined : true;
}

/** Of what `fasterThan` gives. What is within 5 % is not faster. */
export function isFaster({ verdict }) {
  return verdict === 'unknown' ? undefined : verdict === 'faster';
}

/** Published figures have no interval: what is within a quarter of a factor has reached it; below an eighth is no change. */
const NEAR = 1.25;
const NOTABLE = 1.125;

/** Whether a factor that was published is reached here, of what `fasterThan` gives; undefined: cannot tell. */
export function reaches(factor, { verdict, ratio }) {
  if (verdict === 'unknown') return undefined;
  if (ratio.low >= factor / NEAR && ratio.low > 1) return true;
  return ratio.high < factor / NEAR ? false : undefined;
}

/** Whether it is better by more than published figures can be off, of what `fasterThan` gives; undefined: cannot tell. */
export function isNotable({ verdict, ratio }) {
  if (verdict === 'slower' || verdict === 'same') return false;
  if (verdict === 'unknown') return ratio !== undefined && ratio.high < NOTABLE ? false : undefined;
  if (ratio.low >= NOTABLE) return true;
  return ratio.high < NOTABLE ? false : undefined;
}

/** Whether there are too few rounds of a row for any word. */
export function isFewRounds(scenario, rowId) {
  const row = scenario?.rows.find(({ id }) => id === rowId);
  return (row?.samples.length ?? 0) < FEWEST_ROUNDS;
}

/** The scenario of that id; undefined: it was not measured. */
export const named = (scenarios, wanted) => scenarios.find(({ id }) => id === wanted);

/** The scenario with as many threads as cores, or if there is none, with the next fewer. */
export function atCores(scenarios, { cores, availableParallelism = cores }) {
  const fitting = scenarios.filter(({ x }) => x <= availableParallelism);
  return fitting.toSorted((a, b) => a.x - b.x).at(-1);
}

/**
 * Rows of several scenarios as those of one, so that they can be compared: what belongs to one round was measured in
 * it.
 * @param places [[name, scenario, row], …]; name: what the row is called then
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
