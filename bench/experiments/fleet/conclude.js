// The conclusions of the experiment fleet.
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
