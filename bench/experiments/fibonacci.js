// Computes the same number in 100 rounds: from which n, and from which run time on, threads pay.
import { conclude, judge, page } from './fibonacci/page.js';
import { published } from './fibonacci/published.js';
import { RUN_TIME, scenarios, THREADS } from './fibonacci/scenarios.js';

export default {
  id: 'fibonacci',
  title: '100 rounds of fibonacci(n), n from 100 to 10,000,000, and calls of other lengths',
  threads: THREADS,
  scenarios,
  published,
  differs:
    'As published: 100 rounds, each with a worker of its own, 16 or 1 at a time; the time is that from nothing to the last answer, and the ' +
    'counter is written out, which nobody sees. Here each result is checked. The published program ends no worker before it exits. At ' +
    'n = 10,000,000 more than a hundred workers would hold a dozen gigabytes, so there each is ended when it has answered. ' +
    'n = 10,000,000 is measured in three rounds and not in five: each takes minutes. ' +
    'Added: pools, which keep their workers, as many as this processor has threads; their start is part of the time, the import of their package is not. Ours makes a call for each ' +
    'round, or one for all rounds of a thread (batched), or runs each call where it finds it cheaper (auto). Added, too: warm pools, piscina among them, ' +
    'with calls of other lengths, which show from which run time on a call to another thread pays; batched there means that one call does as much as ' +
    'many that compute 100,000 numbers together.',
  x: (curve) => (curve === RUN_TIME ? 'numbers that a task computes' : 'n'),
  judge,
  page,
  conclude,
};
