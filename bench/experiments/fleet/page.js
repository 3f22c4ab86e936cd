// What is said of fleet: its conclusions, and the texts and the picture of its section.
import { clausesBy, sentence } from '../../conclusions/clauses.js';
import { named } from '../../conclusions/finding.js';
import { seriesOf } from '../../conclusions/rows.js';
import { pictureBeside } from '../../report/picture/points.js';
import { WAYS } from './scenarios.js';

export function conclude(scenarios, { fasterThan }) {
  const [ours, ...theirs] = WAYS.map(({ row }) => row);
  return scenarios
    .filter(({ id }) => id.startsWith('compute-'))
    .flatMap((scenario) =>
      theirs.flatMap((row) =>
        ['jobsPerSecond', 'cpuMs'].map((metric) => {
          const { sentence } = fasterThan(scenario, ours, row, metric);
          return `${scenario.title.split(',')[0]}: ${sentence}`;
        }),
      ),
    );
}

const [OURS, ...THEIRS] = WAYS.map(({ row }) => row);
const [IN_PROCESS, PROCESSES] = THEIRS;
const METRIC = 'jobsPerSecond';

export const page = {
  question: 'What does a pool bring behind a BullMQ queue whose jobs compute?',

  says(scenarios, tools) {
    const clauseOf = clausesBy(tools, METRIC);
    const compare = (id, ...names) => clauseOf(named(scenarios, id), OURS, ...names);
    const long = named(scenarios, 'longer-than-lock');
    const stalled = [OURS, ...THEIRS].map((row) => [row, seriesOf(long, row, 'stalled')]);
    return [
      sentence(
        compare('compute-1', IN_PROCESS, 'a pool', "BullMQ's own worker, in one process, with jobs of 1 ms"),
        compare('compute-20', IN_PROCESS, 'the pool', 'it with jobs of 20 ms'),
      ),
      sentence(
        compare('compute-1', PROCESSES, 'the pool', "BullMQ's sandboxed processes with jobs of 1 ms"),
        compare('compute-200', PROCESSES, 'it', 'they with jobs of 200 ms'),
      ),
      sentence(
        stalled.some(([, rounds]) => rounds.length === 0)
          ? 'how many jobs are called stalled while they run is not measured yet'
          : `how often a job that computes for longer than its lock was called stalled, in all rounds: ${stalled
              .map(([row, rounds]) => `${row} ${rounds.reduce((sum, count) => sum + count)}`)
              .join(', ')}`,
      ),
    ];
  },

  picture: (scenarios) =>
    pictureBeside({
      title:
        'How many times as many jobs a second a pool does as BullMQ’s own processors, by the length of a job',
      others: 'each of them',
      panel: 'Beside each of BullMQ’s own processors',
      x: { label: 'times as many jobs a second', isLog: true },
      compared: scenarios
        .filter(({ id }) => id.startsWith('compute-'))
        .flatMap((scenario) =>
          THEIRS.map((other) => ({
            label: `${scenario.id.slice('compute-'.length)} ms, ${other.slice('as published, '.length)}`,
            ...{ scenario, row: OURS, metric: METRIC, other },
          })),
        ),
    }),
};
