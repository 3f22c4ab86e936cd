// The texts and the picture of hash-direct in the documentation.
import { clausesBy, factor, sentence, shown } from '../../conclusions/clauses.js';
import { legendOf, panelByThreads, timesAsGood } from '../../report/picture/points.js';
import {
  AS_PUBLISHED,
  COPIED,
  digestSentence,
  FROM_MEMORY,
  LEASED,
  memoryScenario,
  READ,
  scenarioAtCores,
} from './conclude.js';
import { named } from '../../conclusions/finding.js';
import { ONE_GO } from './one-go.js';
import { published } from './published.js';
import { MATCHING } from './scenarios.js';

const [{ rows }] = published.tables;

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
