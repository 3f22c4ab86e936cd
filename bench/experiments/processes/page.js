// The texts and the picture of processes in the documentation.
import { lessOf, sentence } from '../../conclusions/clauses.js';
import { besidePublished, besidePublishedPicture } from '../crossing/page.js';

/** Only threadwise can have several workers in a process. */
const hasPublished = ({ id }) => id !== 'memory-shared';

export const page = {
  question: 'What does it cost to have work done in another process?',

  says(scenarios, { fasterThan }) {
    const compare = besidePublished(scenarios, fasterThan);
    return [
      sentence(
        compare('trivial', 'callsPerSecond', 'with 1,000 calls outstanding'),
        compare('one-at-a-time', 'p50Microseconds', 'with one call at a time'),
      ),
      sentence(
        compare('small-object', 'callsPerSecond', 'with a small object there and back'),
        compare('bytes-1m', 'callsPerSecond', 'with 1 MiB of bytes'),
      ),
      sentence(compare('memory', 'perWorkerMiB', 'for each further worker', lessOf('takes', ' memory'))),
    ];
  },

  picture: (scenarios) =>
    besidePublishedPicture(
      'the best published pool with processes',
      scenarios.filter(hasPublished).map((scenario) => ({ scenario, metric: scenario.metrics[0].id })),
    ),
};
