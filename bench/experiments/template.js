// A web server that renders templates: itself, or on threads.
import { conclude } from './template/conclude.js';
import { published } from './template/published.js';
import { REPEATED, scenarios } from './template/scenarios.js';
import { overTime } from '../report/over-time.js';
import { named } from './hash-direct/finding.js';

const DELAYED = ['inline', 'as published, across', 'threadwise, across', 'threadwise, auto'];

export default {
  id: 'template',
  title: 'A Fastify server that renders templates, itself or on threads',
  threads: 4,
  scenarios,
  published,
  differs:
    'Server, threads and load share the cores of one machine. The load is autocannon in a process of its ' +
    'own, ten connections, as published, and three seconds a round; it compares each answer with what it must be. Each row has ' +
    'a server of its own, ' +
    'with one route, so that none runs on what another one left. The pool of the chapter is rebuilt, with ' +
    '4 threads and the least busy first; beside it ours with the same strategy, with its defaults, and ' +
    "with placement 'auto', and piscina. Delay of the event loop: how long a setImmediate takes, as published, but a hundred times a " +
    'second; and how late a timer of 1 ms is (p99). Added: templates of other sizes, for the chapter says that their size ' +
    'decides.',
  plots: [
    {
      title: 'Requests a second by the size of the template',
      metric: 'requestsPerSecond',
      x: { label: 'sentences' },
      rows: ['as published, across', 'threadwise, across', 'threadwise, auto', 'inline'],
      isLog: true,
    },
    {
      title: 'Delay of the event loop over time, a sentence 80 times, in the first round',
      metric: 'immediateUs',
      x: { label: '% of the time' },
      rows: DELAYED,
      points: delaysOf,
      isLog: true,
    },
  ],
  conclude,
};

/** What a setImmediate takes, over the time of the load. */
function delaysOf(all) {
  const scenario = named(all, REPEATED);
  const metric = scenario?.metrics.find(({ id }) => id === 'immediateUs');
  const series = DELAYED.flatMap((row) => {
    const values = scenario?.rows.find(({ id }) => id === row)?.samples[0]?.immediatesUs;
    return values === undefined ? [] : [{ row, values }];
  });
  return overTime(metric, series);
}
