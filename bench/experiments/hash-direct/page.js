// What is said of hash-direct: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, sentence, shown } from '../../conclusions/clauses.js';
import {
  atCores,
  claimOf,
  isFewRounds,
  isNotable,
  isWithin,
  named,
  sideBySide,
  withThreads,
} from '../../conclusions/finding.js';
import { legendOf, panelByThreads, timesAsGood } from '../../report/picture/points.js';
import { ONE_GO } from './one-go.js';
import { published } from './published.js';
import { COMPARED_THREADS, MATCHING, MEMORY_THREADS } from './scenarios.js';

export const AS_PUBLISHED = 'as published, shared segments';
export const FROM_MEMORY = 'as published, messages from memory';
export const LEASED = 'threadwise, leased';
export const COPIED = 'threadwise, copied';
export const READ = 'threadwise, workers read';

/** Workers count as having got nothing while main read if at least this many per cent of the files are left. */
const NEARLY_ALL = 90;
/** Below this share of the published time of a digest, the rest of the work counts for more. */
const SHORTER = 1 / 2;
/** The number of workers beyond which nothing was gained in the article. */
const MANY = 8;

const [{ rows }, { rows: costs }] = published.tables;

export function conclude(scenarios, tools) {
  const { fasterThan, bestRow, bestX, curveAgrees } = tools;
  const scenario = scenarioAtCores(scenarios, tools);
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const best = bestRow(scenario ?? { rows: [], metrics: [] }, 'totalMs', ({ role }) => role === 'published');
  const compared = [
    [LEASED, AS_PUBLISHED],
    [READ, AS_PUBLISHED],
    [AS_PUBLISHED, 'inline'],
    [LEASED, 'inline'],
    [READ, 'inline'],
    ...(best === undefined
      ? []
      : [
          [best, 'inline'],
          [READ, best],
        ]),
  ];
  const oneGo = named(scenarios, ONE_GO);
  const matching = named(scenarios, MATCHING);
  return [
    curveAgrees(curve, scenarios, AS_PUBLISHED, 'cleanMs').sentence,
    beyondMany(scenarios, AS_PUBLISHED, 'cleanMs', rows, tools),
    digestSentence(scenarios, tools),
    fasterThan(oneGo, COPIED, AS_PUBLISHED, 'leftPercent').sentence,
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, 'totalMs').sentence),
    ),
    ...[
      [COPIED, AS_PUBLISHED],
      [COPIED, 'inline'],
    ].map(
      ([row, other]) =>
        `While main runs regular expressions: ${fasterThan(matching, row, other, 'totalMs').sentence}`,
    ),
    bestX(scenarios, LEASED, 'totalMs')?.sentence,
    bestX(scenarios, READ, 'totalMs')?.sentence,
  ];
}

/** Judges each claim of the document. */
export function judge(scenarios, tools) {
  return [costOfReads(scenarios, tools), nothingMeanwhile(named(scenarios, ONE_GO), tools)];
}

/** Chooses among the compared scenarios: in the others the published program is alone. */
export function scenarioAtCores(scenarios, { machine }) {
  const compared = scenarios.filter(({ x }) => COMPARED_THREADS.includes(x));
  return atCores(compared, machine);
}

/** Compares the published program with its messages in memory and with reads. */
function costOfReads(scenarios, tools) {
  const [[, worse]] = costs;
  const scenario = memoryScenario(scenarios, tools);
  const cost = tools.fasterThan(scenario, FROM_MEMORY, AS_PUBLISHED, 'cleanMs');
  const claim = `synchronous reads make the clean time notably worse (published: by ${worse} %)`;
  return claimOf(claim, cost, { holds: isNotable, said: withThreads(scenario, cost.sentence) });
}

/** The scenario at cores of those in which the program is measured without reads as well. */
export function memoryScenario(scenarios, { machine }) {
  const compared = scenarios.filter(({ x }) => MEMORY_THREADS.includes(x));
  return atCores(compared, machine);
}

/** How much of the work is left when all files are read. */
function nothingMeanwhile(scenario, { estimate, words }) {
  const claim = 'workers get nothing while main reads';
  const left = estimate(scenario, AS_PUBLISHED, 'leftPercent');
  if (left === undefined) return { claim, holds: undefined, said: `${AS_PUBLISHED} was not measured` };
  const holds = isFewRounds(scenario, AS_PUBLISHED) ? undefined : isWithin(left, NEARLY_ALL, Infinity);
  const said = `when all files are read, ${words.perCent(left.value / 100)} of them are left to hash`;
  return { claim, holds, said };
}

/** Compares the most workers with `MANY` workers, there and here. */
export function beyondMany(scenarios, row, metric, publishedRows, { fasterThan, words }) {
  const most = Math.max(...publishedRows.map(([x]) => x));
  const places = [MANY, most].map((x) => [`${row}, ${x} threads`, scenarios.find((one) => one.x === x), row]);
  const { sentence } = fasterThan(sideBySide(places), places[1][0], places[0][0], metric);
  const column = metric === 'cleanMs' ? 1 : 3;
  const valueOf = (x) => publishedRows.find(([of]) => of === x)[column];
  return `Beyond ${MANY} threads: ${sentence}; published: ${words.times({ value: valueOf(MANY) / valueOf(most) })}`;
}

/** Why the cost of handing over counts for more where a digest is short. */
export function digestSentence(scenarios, tools) {
  const { estimate, words } = tools;
  const here = estimate(scenarioAtCores(scenarios, tools), 'inline', 'cleanUsPerFile')?.value;
  if (here === undefined) return undefined;
  const [, clean] = rows.find(([workers]) => workers === 1);
  const there = (1000 * clean) / MESSAGES;
  const figures = `Hashing a file takes ${words.duration(here / 1000)} here, inline; published, with one worker and the handing over: ${words.duration(there / 1000)}`;
  if (here > SHORTER * there) return figures;
  return `${figures}: so more workers gain less here, and the cost of handing over counts for more`;
}

const MESSAGES = 4096;

export const page = {
  claim: 'Threads starve while main reads synchronously, which costs 15 %',
  question: 'What do threads get to do while the main thread reads files, synchronously?',

  why(scenarios, tools) {
    const cost = tools.fasterThan(memoryScenario(scenarios, tools), FROM_MEMORY, AS_PUBLISHED, 'cleanMs');
    const left = leftOf(AS_PUBLISHED, scenarios, tools) ?? '(not measured)';
    return `${left} of the files wait until all are read; speed without reads, to with: ${factor(cost)}.`;
  },

  says(scenarios, tools) {
    const compare = clausesBy(tools, 'totalMs');
    const scenario = scenarioAtCores(scenarios, tools);
    const [rebuilt, ours] = [AS_PUBLISHED, COPIED].map((row) => leftOf(row, scenarios, tools));
    const one =
      rebuilt === undefined
        ? 'what is left to hash after the last read is not measured yet'
        : `when the published program has read its last file, ${rebuilt} of the files are left to hash, for a task leaves the main thread only when its event loop turns`;
    const two =
      ours === undefined
        ? undefined
        : `with threadwise, which writes a task where a thread finds it by itself, it is ${ours}`;
    const threads = scenario === undefined ? '' : `with as many threads as cores (${scenario.x}), `;
    return [
      sentence(one, two),
      sentence(
        `${threads}${compare(scenario, LEASED, 'inline', 'threadwise with leased memory', 'hashing without threads')}`,
        compare(scenario, READ, 'inline', 'with threads that read for themselves it', 'that'),
        compare(
          ...[named(scenarios, MATCHING), COPIED, 'inline'],
          ...['where main runs regular expressions instead of reading, threadwise', 'main alone'],
        ),
      ),
      sentence(digestSentence(scenarios, tools) ?? 'how long a digest takes is not measured yet'),
    ];
  },

  picture: (scenarios) =>
    hashPicture(scenarios, {
      title:
        'How many times as fast as one worker of the published program, clean time and total, by threads',
      base: AS_PUBLISHED,
      there: [['published', rows]],
      here: [
        ['rebuilt', AS_PUBLISHED, 'the published program, here'],
        ['ours', LEASED, 'threadwise, leased'],
        ['ours2', READ, 'threadwise, workers read'],
        ['other', 'piscina (8 per worker), moved', 'piscina, moved'],
        ['inline', 'inline', 'no threads'],
      ],
    }),
};

function leftOf(row, scenarios, { estimate, words }) {
  const left = estimate(named(scenarios, ONE_GO), row, 'leftPercent');
  return shown(left, (value) => words.perCent(value / 100));
}

/** Draws clean time and total side by side. @param base the row whose figure with one worker is 1 @param there [[kind, published rows]] */
export function hashPicture(scenarios, { title, base, there, here, reference = rows, legend = [] }) {
  const all = scenarios.filter(({ x }) => x !== undefined);
  const first = { scenario: all.find(({ x }) => x === 1), row: base };
  const panel = (metric, column, name) =>
    panelByThreads({
      title: name,
      y: { label: 'times as fast as the published program with one' },
      there: there.map(([kind, table]) => ({
        kind,
        points: timesAsGood(
          table.map((cells) => [cells[0], cells[column]]),
          reference[0][column],
        ),
      })),
      ...{ scenarios: all, metric, base: first, curves: here },
    });
  return {
    title,
    legend: [['published', 'published'], ...legend, ...legendOf(here)],
    panels: [panel('cleanMs', 1, 'Clean time: total less reads'), panel('totalMs', 3, 'Total time')],
  };
}
