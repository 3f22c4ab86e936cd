// What follows from fibonacci.
import { allHold, finding, isFaster } from '../hash-direct/finding.js';
import { CALLS, RUN_TIME } from './scenarios.js';

const METRIC = 'callsPerSecond';
const MANY = 'as published, 16 workers';
const ONE = 'as published, 1 worker';

export function conclude(scenarios, tools) {
  const [counted, lengths] = [CALLS, RUN_TIME].map((wanted) =>
    scenarios.filter(({ curve }) => curve === wanted),
  );
  const { breakEven } = tools;
  const rows = [MANY, 'threadwise, across', 'threadwise, batched', 'threadwise, auto'];
  return [
    publishedFinding(counted, tools),
    ...rows.map((row) => breakEven(counted, row, 'inline', METRIC).sentence),
    ...['threadwise, across', 'piscina (8 per worker), across'].map((row) =>
      runTimeSentence(lengths, row, tools),
    ),
    ...lengths.map((scenario) => autoSentence(scenario, tools)),
  ];
}

/** Below a million calls the main thread wins, from there on 16 workers; one worker never does. */
function publishedFinding(scenarios, { fasterThan }) {
  const compare = (calls, row, other) => {
    const scenario = scenarios.find(({ x }) => x === calls);
    const { verdict, sentence } = fasterThan(scenario, row, other, METRIC);
    return { holds: isFaster({ verdict }), said: `${calls.toLocaleString('en-US')} calls: ${sentence}` };
  };
  const parts = [
    compare(100, 'inline', MANY),
    compare(100_000, 'inline', MANY),
    compare(1_000_000, MANY, 'inline'),
    compare(10_000_000, MANY, 'inline'),
    compare(10_000_000, 'inline', ONE),
  ];
  return finding(allHold(...parts.map(({ holds }) => holds)), ...parts.map(({ said }) => said));
}

/** From which run time on, by what the break-even in numbers takes inline. */
function runTimeSentence(scenarios, row, { breakEven, estimate, words }) {
  const { x, sentence } = breakEven(scenarios, row, 'inline', METRIC, 'number');
  if (x === undefined) return `By the length of a task: ${sentence}`;
  const nearest = scenarios.toSorted((a, b) => distance(a.x, x.value) - distance(b.x, x.value))[0];
  const msPerNumber = 1000 / estimate(nearest, 'inline', METRIC).value / nearest.x;
  const [at, low, high] = [x.value, x.low, x.high].map((numbers) => words.duration(numbers * msPerNumber));
  return `By the length of a task: ${sentence}: a run time of ${at} (${low} to ${high})`;
}

const distance = (a, b) => Math.abs(Math.log(a / b));

function autoSentence(scenario, { fasterThan }) {
  const { sentence } = fasterThan(scenario, 'threadwise, auto', 'inline', METRIC);
  return `Tasks of ${scenario.x.toLocaleString('en-US')} numbers: ${sentence}`;
}
