// Jobs of a BullMQ queue that compute, on one machine: a fleet's service beside BullMQ's own processors.
import { conclude, page } from './fleet/page.js';
import { scenarios } from './fleet/scenarios.js';

export default {
  id: 'fleet',
  title: 'Jobs of a BullMQ queue that compute: a pool behind the worker, and BullMQ’s own processors',
  threads: 2,
  page,
  scenarios,
  differs:
    'A job counts prime numbers; its result is checked. Redis, the machine that works and the program that adds the jobs share the cores. ' +
    'The queue is full before the machine begins. The time is that from the machine’s first job to its last; the CPU time is that of the machine with all ' +
    'its processes, without Redis. Each way has as many jobs at a time as threads. In the last scenario a job takes longer than a lock lasts ' +
    'that is not renewed; what is counted is how many jobs BullMQ calls stalled, and begins once more.',
  conclude,
};
