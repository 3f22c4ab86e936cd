// The conclusions of the experiment fibonacci.
import { claimOf } from '../../conclusions/finding.js';
import { BY_N, LARGEST, RUN_TIME } from './scenarios.js';

export const TIME = 'totalMs';
export const RATE = 'callsPerSecond';
export const MANY = 'as published, 16 workers at a time';
export const ONE = 'as published, 1 worker at a time';
export const ACROSS = 'threadwise, across';
export const BATCHED = 'threadwise, batched';
export const AUTO = 'threadwise, auto';
const PISCINA = 'piscina (8 per worker), across';
export const INLINE = 'inline';

export function conclude(scenarios, tools) {
  const [byN, lengths] = [BY_N, RUN_TIME].map((wanted) => scenarios.filter(({ curve }) => curve === wanted));
  const { breakEven, fasterThan } = tools;
  const compare = (scenario, row, other, metric) =>
    `n = ${scenario.x.toLocaleString('en-US')}: ${fasterThan(scenario, row, other, metric).sentence}`;
  return [
    ...[MANY, ACROSS, BATCHED, AUTO].map(
      (row) => `${BY_N}: ${breakEven(byN, row, INLINE, TIME, 'step').sentence}`,
    ),
    ...byN.flatMap((scenario) => [
      compare(scenario, ACROSS, MANY, TIME),
      compare(scenario, AUTO, INLINE, TIME),
      compare(scenario, AUTO, ACROSS, TIME),
    ]),
    ...[ACROSS, BATCHED, PISCINA].map((row) => runTimeSentence(lengths, row, tools)),
    ...lengths.map((scenario) => `Warm, ${compare(scenario, AUTO, INLINE, RATE)}`),
  ];
}

/** Judges who wins at each n. At 1,000,000 the article's text and its figures disagree; the claim is that of the text. */
export function judge(scenarios, { fasterThan }) {
  const part = (claim, n, row, other) => {
    const scenario = scenarios.find(({ curve, x }) => curve === BY_N && x === n);
    const compared = fasterThan(scenario, row, other, TIME);
    return claimOf(claim, compared, { said: `n = ${n.toLocaleString('en-US')}: ${compared.sentence}` });
  };
  const main = 'the main thread wins';
  return [
    ...[100, 100_000, 1_000_000].map((n) => part(main, n, INLINE, MANY)),
    part('16 workers at a time win', LARGEST, MANY, INLINE),
    part('one worker at a time loses', LARGEST, INLINE, ONE),
  ];
}

/** The least run time with which a call pays: as many numbers as break even, times the time that one takes inline. */
export function runTimeSentence(scenarios, row, { breakEven, estimate, words }) {
  const { x, sentence } = breakEven(scenarios, row, INLINE, RATE, 'number');
  if (x === undefined) return `By the length of a task: ${sentence}`;
  const nearest = scenarios.toSorted((a, b) => distance(a.x, x.value) - distance(b.x, x.value))[0];
  const msPerNumber = 1000 / estimate(nearest, INLINE, RATE).value / nearest.x;
  const [at, low, high] = [x.value, x.low, x.high].map((numbers) => words.duration(numbers * msPerNumber));
  return `By the length of a task: ${sentence}: a run time of ${at} (${low} to ${high})`;
}

const distance = (a, b) => Math.abs(Math.log(a / b));
