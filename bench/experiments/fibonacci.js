// A task of half a microsecond, called many times: from how many calls, and from which run time on, threads pay.
import { conclude } from './fibonacci/conclude.js';
import { published } from './fibonacci/published.js';
import { CALLS, RUN_TIME, scenarios } from './fibonacci/scenarios.js';

export default {
  id: 'fibonacci',
  title: 'fibonacci(100) from 100 to 10,000,000 times, and tasks that run longer',
  threads: 2,
  scenarios,
  published,
  differs:
    'The counter on the terminal is left out. Times are from nothing to the last result, with the start of the ' +
    'threads, as published. The published method makes 300,000 calls at the most, and piscina 100,000: where ' +
    'those are not all calls, they have no total, and their rate is reckoned, with all further calls as fast ' +
    'as the second half of those that were made. Added: our pool with a call across threads for each number, ' +
    'with a thousand numbers in one call, and where it finds it cheaper (auto); and tasks of other lengths, ' +
    'warm, which show from which run time on a call across pays.',
  plots: [
    {
      title: 'Total time by number of calls',
      metric: 'totalMs',
      x: { label: 'calls' },
      scenarios: ({ curve }) => curve === CALLS,
      rows: [
        'threadwise, across',
        'threadwise, batched',
        'threadwise, auto',
        'as published, 16 workers',
        'inline',
      ],
      isLog: true,
    },
    {
      title: 'Calls a second by the length of the task',
      metric: 'callsPerSecond',
      x: { label: 'numbers that a task computes' },
      scenarios: ({ curve }) => curve === RUN_TIME,
      rows: ['threadwise, across', 'threadwise, auto', 'piscina (8 per worker), across', 'inline'],
      isLog: true,
    },
  ],
  conclude,
};
