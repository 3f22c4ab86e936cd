// A web server that renders templates, itself or on threads.
import { conclude, judge, page } from './template/page.js';
import { published } from './template/published.js';
import { scenarios } from './template/scenarios.js';

export default {
  id: 'template',
  title: 'A Fastify server that renders templates, itself or on threads',
  threads: 4,
  scenarios,
  published,
  differs:
    'Server, threads and load share the cores of one machine. The load is autocannon in a process of its ' +
    'own, ten connections, as published, and two seconds a round; it compares each answer with what it must be. Each row has ' +
    'a server of its own, ' +
    'with one route, so that none runs on what another one left. The pool of the chapter is rebuilt, with ' +
    '4 threads and the least busy first. Beside it: ours with the same strategy, with its defaults, and ' +
    "with placement 'auto'; and piscina. Delay of the event loop: how long a setImmediate takes, as published, but a hundred times a " +
    'second; and how late a timer of 1 ms is (p99). Added: templates of other sizes, for the chapter says that their size ' +
    'decides.',
  x: () => 'sentences',
  judge,
  page,
  conclude,
};
