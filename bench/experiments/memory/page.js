// The texts and the picture of memory in the documentation.
import { estimate as estimateOf } from '@threadwise/cli/analysis';
import { sentence } from '../../conclusions/clauses.js';
import { seriesOf } from '../../conclusions/rows.js';
import { legendOf, seriesBy } from '../../report/picture/points.js';
import { BARE, idlingOf, loadingOf, perKibibyte, perMebibyte, perThread, shown } from './conclude.js';
import { published } from './published.js';

const [{ rows }] = published.tables;
const ROWS = [
  ['rebuilt', BARE, 'bare threads, here'],
  ['ours', 'threadwise', 'threadwise'],
  ['other', 'piscina', 'piscina'],
];

export const page = {
  claim: 'A thread takes about 6 MB, and more with its modules',
  question: 'What does one more idle thread cost in memory?',

  why: (scenarios, tools) =>
    sentence(`${sizeOf(scenarios, BARE, tools)} a bare thread`, modules(scenarios, tools)),

  says(scenarios, tools) {
    const [bare, ours, piscina] = ROWS.map(([, row]) => sizeOf(scenarios, row, tools));
    const virtual = sizeOf(scenarios, BARE, tools, 'virtualMiB');
    return [
      sentence(
        `each further thread adds ${bare} of resident memory if it is bare, ${ours} as one of threadwise and ${piscina} as one of piscina`,
        'the published figures come to 5.6 MiB on Node 16',
      ),
      sentence(
        modules(scenarios, tools),
        'a worker that loads a framework weighs what the framework weighs, once for each thread',
      ),
      sentence(
        `virtual memory grows by ${virtual} a thread, and is only reserved`,
        'it matters in a process of 32 bits, which can address 4 GB for all its threads together',
      ),
    ];
  },

  picture: (scenarios) => ({
    title:
      'Memory added by idle threads, by their number; and of a thread by the size of the module that it loads',
    columns: 3,
    legend: [['published', 'published'], ...legendOf(ROWS)],
    panels: [
      growth(scenarios, 'Resident size', 'residentMiB', 2),
      growth(scenarios, 'SIZE of ps', 'sizeMiB', 3),
      {
        title: 'A thread that loads a module',
        x: { label: 'KiB of source' },
        y: { label: 'MiB a thread' },
        series: [{ kind: 'rebuilt', points: pointsOf(loadingOf(scenarios), BARE, 'perThreadMiB') }],
      },
    ],
  }),
};

const sizeOf = (scenarios, row, tools, metric) => {
  const slope = perThread(scenarios, row, tools, metric);
  return slope === undefined ? '(not measured yet)' : shown(slope, tools);
};

function modules(scenarios, tools) {
  const slope = perKibibyte(scenarios, tools);
  return slope === undefined
    ? 'what modules add is not measured yet'
    : `each MiB of source that it loads adds ${shown(perMebibyte(slope), tools)}`;
}

/** How much a size grows beyond that without threads, in each round. */
function growth(all, title, metric, column) {
  const idling = idlingOf(all);
  const none = rows[0][column];
  return {
    title,
    x: { label: 'threads' },
    y: { label: 'MiB more than without threads' },
    series: [
      {
        kind: 'published',
        points: rows.map((cells) => ({ x: cells[0], value: (cells[column] - none) / 1024 })),
      },
      ...seriesBy(ROWS, (row) => pointsOf(idling, row, metric, BARE)),
    ],
  };
}

/** @param base the row whose size without threads is subtracted; default: nothing is */
function pointsOf(scenarios, row, metric, base) {
  const empty = scenarios.find(({ x }) => x === 0);
  const none = base && seriesOf(empty, base, metric);
  return scenarios.flatMap((scenario) => {
    const own = seriesOf(scenario, row, metric).map((value, i) => value - (none?.[i] ?? 0));
    const estimate = estimateOf(own);
    return estimate === undefined || none?.length === 0 ? [] : [{ x: scenario.x, ...estimate }];
  });
}
