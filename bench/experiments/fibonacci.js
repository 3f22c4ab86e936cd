// Computes the same number in 100 rounds: from which n, and from which run time on, threads pay.
import { conclude, judge } from './fibonacci/conclude.js';
import { page } from './fibonacci/page.js';
import { published } from './fibonacci/published.js';
import { RUN_TIME, scenarios, THREADS } from './fibonacci/scenarios.js';

export default {
  id: 'fibonacci',
  title: '100 rounds of fibonacci(n), n from 100 to 10,000,000, and calls of other lengths',
  threads: THREADS,
  scenarios,
  published,
  differs:
    'As published: 100 rounds, each with a worker of its own, 16 or 1 at a time, times from nothing to the last answer, and the ' +
    'counter is written, to nobody. Here each result is checked. The published program ends no worker before it exits; at ' +
    'n = 10,000,000, where more than a hundred of them would hold a dozen gigabytes, one is ended when it has answered. ' +
    'Added: pools, which keep their workers, as many as this processor has threads, started in the time that is told: ours with a call for each ' +
    'round, with the rounds of a thread in one call (batched), and where it finds it cheaper (auto). n = 10,000,000 is measured in three rounds and not in five: each takes minutes. And warm pools, piscina too, ' +
    'with calls of other lengths, which show from which run time on a call across pays; batched there is as many calls in one as ' +
    'compute 100,000 numbers.',
  x: (curve) => (curve === RUN_TIME ? 'numbers that a task computes' : 'n'),
  judge,
  page,
  conclude,
};
