// The texts and the picture of hash-coordinator in the documentation.
import { clausesBy, factor, sentence, shown } from '../../conclusions/clauses.js';
import { scenarioAtCores } from '../hash-direct/conclude.js';
import { named } from '../../conclusions/finding.js';
import { hashPicture } from '../hash-direct/page.js';
import { published as direct } from '../hash-direct/published.js';
import { bestOfBoth, MOVED, OURS, WITH, WITHOUT } from './conclude.js';
import { published } from './published.js';
import { SIZING } from './scenarios.js';

const [{ rows }] = published.tables;
const [{ rows: directRows }] = direct.tables;
/** The published utilisation of the coordinator in per cent, the lowest and the highest. */
const [LEAST, MOST] = [Math.min, Math.max].map((pick) => pick(...rows.map((cells) => cells[5])));

export const page = {
  claim: 'A coordinator thread makes it almost 4 times faster',
  question: 'Does a thread that does nothing but hand out the files keep the others busy?',

  why(scenarios, tools) {
    const busy = busyOf(WITH, 'coordinatorPercent', scenarios, tools) ?? '(not measured)';
    return `Speed, best to best: ${factor(bestOfBoth(scenarios, tools))}; coordinator busy: ${busy}.`;
  },

  says(scenarios, tools) {
    const [clean, total] = ['cleanMs', 'totalMs'].map((metric) => clausesBy(tools, metric));
    const scenario = scenarioAtCores(scenarios, tools);
    const [busy, workers] = ['coordinatorPercent', 'workersPercent'].map((metric) =>
      busyOf(WITH, metric, scenarios, tools),
    );
    const isBusier = tools.estimate(scenario, WITH, 'coordinatorPercent')?.low > MOST;
    return [
      sentence(
        clean(
          ...[scenario, WITH, WITHOUT],
          ...['with as many threads as cores, the clean time with the published coordinator', 'without it'],
          { better: 'is shorter than', worse: 'is longer than', same: 'is as long as' },
        ),
        total(scenario, WITH, WITHOUT, 'all in all, reads included, it', 'no coordinator'),
      ),
      sentence(
        busy === undefined
          ? 'how busy the coordinator is is not measured yet'
          : `its event loop is busy for ${busy} of the time, those of its workers for ${workers}; published were ${LEAST} to ${MOST} % for the coordinator`,
        isBusier
          ? 'here it is busier, for a digest is shorter than there and it hands out more files a second'
          : undefined,
        clean(scenario, OURS, WITH, 'our coordinator with leased memory', 'the published one'),
      ),
      sentence(sizingOf(scenarios, tools)),
    ];
  },

  picture: (scenarios) =>
    hashPicture(scenarios, {
      title: 'How many times as fast as one worker without a coordinator, clean time and total, by threads',
      base: WITHOUT,
      reference: directRows,
      legend: [['inline', 'published, without']],
      there: [
        ['published', rows],
        ['inline', directRows],
      ],
      here: [
        ['rebuilt', WITH, 'with a coordinator, here'],
        ['other', WITHOUT, 'without, here'],
        ['ours', OURS, 'threadwise, coordinator, leased'],
        ['ours2', MOVED, 'threadwise, coordinator, moved'],
      ],
    }),
};

function busyOf(row, metric, scenarios, tools) {
  const { estimate, words } = tools;
  return shown(estimate(scenarioAtCores(scenarios, tools), row, metric), (value) =>
    words.perCent(value / 100),
  );
}

function sizingOf(scenarios, { estimate, words }) {
  const [changes, workers] = ['changes', 'workers'].map(
    (metric) => estimate(named(scenarios, SIZING), 'threadwise', metric)?.value,
  );
  if (workers === undefined)
    return 'how our coordinator changes the number of workers by itself is not measured yet';
  return `the article announces a coordinator that changes the number of workers: ours did so ${words.counted(changes, 'time')}, and ended with ${words.counted(workers, 'worker')}`;
}
