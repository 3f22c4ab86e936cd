// What is said of cores: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clause, clausesBy, factor, sentence, WORK } from '../../conclusions/clauses.js';
import {
  atCores,
  isFaster,
  isNotable,
  named,
  not,
  reaches,
  sideBySide,
  UNTESTABLE,
  withThreads,
} from '../../conclusions/finding.js';
import { formatNumber } from '../../report/format.js';
import { legendOf, panelByThreads } from '../../report/picture/points.js';
import { published } from './published.js';
import { curveOf, MOST_CORES, THREADS } from './scenarios.js';

export const METRIC = 'requestsPerSecond';
export const AS_PUBLISHED = 'as published';
export const OURS = 'threadwise';
/** How many threads a pool has that makes three of JavaScript, as the chapter counts: main is one of them. */
const TWO = 2;

const [{ rows: matrix }, { rows: others }] = published.tables;
/** The published requests per second. */
const publishedRate = (threads, cores) => matrix.find(([of]) => of === threads)[cores];

export function conclude(scenarios, tools) {
  const { fasterThan, bestX, machine } = tools;
  const curves = [...new Set(scenarios.map(({ curve }) => curve))].filter(Boolean);
  const of = (wanted) => scenarios.filter(({ curve }) => curve === wanted);
  const [least, most] = [of(curves[0]), of(curves.at(-1))];
  const [few, many] = [least.find(({ x }) => x === TWO), atCores(most, machine)];
  const compare = (curve, scenario, other, metric = METRIC) =>
    `On ${curve}. ${withThreads(scenario, fasterThan(scenario, OURS, other, metric).sentence)}`;
  return [
    whatCanBeShown(coresOf(machine)),
    ...curves.map((curve) => {
      const knee = bestX(of(curve), OURS, METRIC);
      return knee && `On ${curve} ${knee.sentence}`;
    }),
    few && compare(curves[0], few, 'inline'),
    ...(curves.length < 2 ? [] : ['inline', AS_PUBLISHED, 'piscina']).map(
      (other) => many && compare(curves.at(-1), many, other),
    ),
    many && compare(curves.at(-1), many, 'piscina', 'latencyMaxMs'),
  ];
}

/** How many cores are compared: no more than the chapter has, and no more than the machine. */
export const coresOf = ({ cores, availableParallelism = cores }) =>
  Math.min(MOST_CORES, availableParallelism);

/** Judges each claim of the chapter, on its program rebuilt. */
export function judge(scenarios, tools) {
  const step = (from, to, there) => stepOf(scenarios, from, to, { ...tools, there });
  const [[, all], [, one]] = others;
  const loss = step([TWO, 1], [TWO, Math.max(2, coresOf(tools.machine))], all / one);
  const onOne = step([1, 1], [THREADS.at(-1), 1]);
  const oneThread = step([1, 1], [1, 2]);
  const twoCores = step([1, 2], [TWO, 2]);
  const jump = step([TWO, 2], [TWO, 3]);
  const beyond = step([TWO, 3], [THREADS.at(-1), MOST_CORES]);
  return [
    part('two threads get less done on one core than on all', loss, isFaster(loss)),
    part('on one core they get half as much done', loss, reaches(all / one, loss)),
    part('on one core, threads add nothing', onOne, not(isNotable(onOne))),
    part('to one thread, a second core adds nothing', oneThread, not(isNotable(oneThread))),
    part('on two cores, a second thread adds nothing', twoCores, not(isNotable(twoCores))),
    part('to two threads, a third core adds a jump', jump, isNotable(jump)),
    part('more threads and cores add nothing', beyond, not(isNotable(beyond))),
  ];
}

const part = (claim, { isTestable, said }, holds) => ({
  claim,
  said,
  holds: isTestable ? holds : UNTESTABLE,
});

/** Compares two cells of the matrix, each [threads, cores]. @param there the published factor, if it is not that of the matrix */
export function stepOf(scenarios, from, to, { fasterThan, words, machine, there = publishedStep(from, to) }) {
  const place = ([threads, cores]) => [
    `${AS_PUBLISHED}, ${words.counted(threads, 'thread')} on ${curveOf(cores)}`,
    named(scenarios, `cores-${cores}-threads-${threads}`),
    AS_PUBLISHED,
  ];
  const [before, after] = [from, to].map(place);
  const compared = fasterThan(sideBySide([before, after]), after[0], before[0], METRIC);
  const needs = Math.max(from[1], to[1]);
  const isTestable = needs <= coresOf(machine);
  const { ratio } = compared;
  const figures =
    ratio === undefined
      ? compared.sentence
      : `${after[0]}, to ${before[0]}: ${words.times(ratio)} (${words.timesFromTo(ratio)})`;
  const here = isTestable ? figures : `it takes ${needs} cores`;
  return { ...compared, isTestable, said: `${here}; published: ${words.times({ value: there })}` };
}

const publishedStep = (from, to) => publishedRate(...to) / publishedRate(...from);

export function whatCanBeShown(cores) {
  if (cores >= 3) return `On ${curveOf(cores)}, the jump of the chapter can be shown`;
  const second = cores === 2 ? ', and what a second core brings' : '';
  return `${curveOf(cores)} can show what a thread costs that has no core to itself${second}, but not whether a third one brings the jump`;
}

/** The matrix of the chapter, as measured here. */
export function tables(scenarios, { estimate, machine }) {
  const all = Array.from({ length: coresOf(machine) }, (_, i) => i + 1);
  const rateOf = (threads, cores) =>
    estimate(named(scenarios, `cores-${cores}-threads-${threads}`), AS_PUBLISHED, METRIC)?.value;
  const rows = THREADS.map((threads) => {
    const rates = all.map((cores) => rateOf(threads, cores));
    return [threads, ...rates.map((rate) => (rate === undefined ? rate : formatNumber(rate)))];
  });
  const title = "Requests a second of the chapter's program here, by threads and cores";
  return [{ title, head: ['threads', ...all.map(curveOf)], rows }];
}

const CURVES = [
  ['rebuilt', AS_PUBLISHED, 'the published pool, here'],
  ['ours', OURS, 'threadwise'],
  ['other', 'piscina', 'piscina'],
  ['inline', 'inline', 'no threads'],
];

export const page = {
  claim: 'Two threads on three cores double the work done, more add nothing',
  question: 'How many cores and threads does a server need that computes for each request?',

  why(scenarios, tools) {
    const lacking = coresOf(tools.machine) < 3 ? 'Three cores are lacking; two' : 'Two';
    return `${lacking} threads, all cores to one: ${factor(stepOf(scenarios, ...lossOn(coresOf(tools.machine)), tools))}.`;
  },

  says(scenarios, tools) {
    const cores = coresOf(tools.machine);
    const step = (from, to, ...names) => clause(stepOf(scenarios, from, to, tools), ...names, WORK);
    const [requests, longest] = [METRIC, 'latencyMaxMs'].map((metric) => clausesBy(tools, metric));
    const full = atCores(onCores(scenarios, cores), tools.machine);
    return [
      sentence(
        whatCanBeShown(cores),
        step(...lossOn(cores), 'with two threads, the published program on all cores', 'itself on one'),
      ),
      sentence(
        step([1, 1], [1, 2], 'one thread on two cores', 'one thread on one core'),
        step([1, 2], [2, 2], 'on two cores, a second thread', 'a single one'),
      ),
      sentence(
        requests(
          ...[full, OURS, AS_PUBLISHED],
          ...[`on ${curveOf(cores)} with as many threads, threadwise`, 'the published pool', WORK],
        ),
        longest(full, OURS, 'piscina', 'by the longest that a request waits, it', 'piscina'),
      ),
    ];
  },

  picture(scenarios) {
    const base = { scenario: named(scenarios, 'cores-1-threads-1'), row: AS_PUBLISHED };
    const panel = (cores) => {
      const own = onCores(scenarios, cores);
      const points = matrix.map((cells) => ({ x: cells[0], value: cells[cores] / matrix[0][1] }));
      return panelByThreads({
        title: `${curveOf(cores)}${own.length === 0 ? ': not this machine' : ''}`,
        y: { label: 'requests/s, to 1 thread on 1 core', most: MOST_FACTOR },
        ...{ scenarios: own, metric: METRIC, base, curves: CURVES },
        there: [{ kind: 'published', points }],
      });
    };
    return {
      title:
        'Requests a second by threads, on one to four cores, as many times as with one thread on one core',
      legend: [['published', 'published'], ...legendOf(CURVES)],
      panels: Array.from({ length: MOST_CORES }, (_, i) => panel(i + 1)),
    };
  },
};

/** The end of the scale that all panels share, so that they can be compared. */
const MOST_FACTOR = 2.4;

const onCores = (scenarios, cores) => scenarios.filter(({ curve }) => curve === curveOf(cores));

/** The step of two threads from one core to all, [threads, cores]. */
const lossOn = (cores) => [
  [2, 1],
  [2, Math.max(2, cores)],
];
