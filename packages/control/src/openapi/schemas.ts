/** The bodies of the HTTP interface as JSON schemas: clients may rely on them. */
import { OBSERVED_EVENTS, POOL_STATES } from '../controllable-pool.js';
import {
  count,
  flag,
  listOf,
  maybe,
  number,
  object,
  orNull,
  type Properties,
  type Schema,
  text,
} from './schema.js';

/** The schemas that have a name. */
export const SCHEMAS: Record<string, Schema> = {};

/** Names a schema. Returns a reference to it. */
function named<T>(name: string, schema: Schema<T>): Schema<T> {
  SCHEMAS[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** Names an object schema. */
function entity<P extends Properties, O extends keyof P & string = never>(
  name: string,
  properties: P,
  optional: readonly O[] = [],
) {
  return named(name, object(properties, optional));
}

/** A count that is not 0. */
const some = (description: string) => ({ ...count(description), minimum: 1 });

const changeable = {
  threads: {
    description: "How many workers: a number, 'auto' or { min, max }",
    anyOf: [
      some('The exact number of workers'),
      { type: 'string', const: 'auto' },
      {
        ...object({ min: count('The fewest workers'), max: some('The most workers') }, ['min', 'max']),
        additionalProperties: false,
      },
    ],
  },
  min: count('Lower bound of the threads; the upper one stays as it is'),
  max: some('Upper bound of the threads; the lower one stays as it is'),
  choose: text("The name of a strategy; not with dispatch 'shared-queue'"),
  placement: { type: 'string', enum: ['threads', 'auto', 'inline'], description: 'For calls from now on' },
  queueLimit: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'How many tasks may wait; null: no limit',
  },
};
export const CHANGE_FIELDS = Object.keys(changeable);

/** The body of PATCH. The server checks the names of the fields, and the library their values. */
export const CHANGES = named('Changes', {
  type: 'object',
  description: 'What to change. Either all of it is applied, or nothing.',
  minProperties: 1,
  additionalProperties: false,
  properties: changeable,
});

export const DISTRIBUTION = entity('Distribution', {
  count: count('How many tasks were measured'),
  mean: number('Milliseconds'),
  p50: number('Milliseconds, within 1/16, as the other quantiles'),
  p90: number('Milliseconds'),
  p99: number('Milliseconds'),
  max: number('Milliseconds'),
});

export const BUCKET = entity('Bucket', {
  belowMs: number('The bound. Milliseconds'),
  count: count('How many tasks were below the bound, those of all lower buckets included'),
});

export const WORKER = entity(
  'Worker',
  {
    id: count('Unique in its pool; a worker that replaces another one has a new id'),
    state: text("'starting', 'ready', 'retiring', 'stopping' or 'dead'"),
    inline: flag('Runs tasks on the thread that owns the pool'),
    load: count('Tasks handed over and not ended'),
    completed: count('Tasks that the worker ended'),
    utilization: number('How busy its event loop was since the last reading, 0 to 1'),
    heapUsedBytes: number('Its heap after the last task that was measured'),
    residentBytes: number("Memory of its process; only with isolation 'process', and where the system tells"),
    ageMs: number('Milliseconds since the worker was started'),
    runMs: DISTRIBUTION,
    waitMs: DISTRIBUTION,
    cpu: orNull(
      'CPU time of its thread; null where the system does not tell it',
      object({
        usedMs: number('Milliseconds on a CPU'),
        waitedMs: number('Milliseconds of waiting for one'),
      }),
    ),
  },
  ['residentBytes', 'runMs', 'waitMs', 'cpu'],
);

export const DECISION = entity('Decision', {
  at: number('The time of the decision: milliseconds since 1970'),
  by: text("Who decided: 'pool' or 'coordinator'"),
  from: count('Workers before'),
  to: count('Workers that are wanted'),
  why: text('The reason, in words'),
  queued: count('Tasks that waited'),
  idle: count('Workers that were idle'),
});

const LAST_ERROR = object({
  at: number('The time of the failure: milliseconds since 1970'),
  name: text('The name of the error'),
  code: { type: ['string', 'null'], description: 'null: the error has none' } as Schema<string | null>,
  message: text('The message; only its beginning, if it is long'),
  stack: text('The stack; only its beginning, if it is long; empty if there is none'),
});

const FUNCTION = entity(
  'Function',
  {
    name: text('The name by which it is called'),
    place: text("Where its next calls run: 'threads' or 'inline'"),
    why: text('The reason for the place, in words'),
    calls: count('Calls that have ended'),
    inline: count('Calls that ran on the thread that owns the pool'),
    failures: count('Calls that threw, timed out, or were lost with their worker'),
    timeouts: count('Calls that timed out'),
    lastError: orNull('The error of the last call that failed; null: none has failed', LAST_ERROR),
    runMs: number('Mean running time of recent calls. Milliseconds'),
    bytesIn: maybe('Estimated size of the arguments of a recent call'),
    bytesOut: maybe('Estimated size of the result of a recent call'),
    crossingMs: maybe('Milliseconds that a crossing of a call costs'),
  },
  ['failures', 'timeouts', 'lastError'],
);

export const POOL_STATS = entity(
  'PoolStats',
  {
    name: text('The name under which the pool is served; the second pool of a name has `~2` after it'),
    state: { ...text('The pool takes calls in the first two'), enum: POOL_STATES },
    dispatch: text('Who hands tasks to workers'),
    placement: text('Where tasks run'),
    choose: text('The strategy that chooses a worker'),
    threads: object({
      min: count('Lower bound'),
      max: count('Upper bound'),
      current: count('Workers that are, or will be, there for tasks'),
      starting: count('Workers that still load'),
      idle: count('Workers that have nothing to do'),
    }),
    queue: object({
      size: count('Tasks that wait'),
      limit: { type: ['number', 'null'], description: 'How many tasks may wait; null: no limit' } as Schema<
        number | null
      >,
      oldestMs: number('How long the oldest task has waited'),
    }),
    tasks: object({
      completed: count('Calls that got a result'),
      failed: count('Calls whose task threw'),
      aborted: count('Calls whose signal aborted'),
      timedOut: count('Calls that ran too long'),
      crashed: count('Calls whose worker ended under them'),
      rejected: count('Calls that were open when the pool was destroyed, or when `close` gave up'),
      submitted: count('Calls that were accepted'),
      open: count('Calls that have not settled'),
      retried: count('Times that a task was run again'),
    }),
    throughput: number('Calls that settled, per second, over the last ten seconds'),
    runMs: DISTRIBUTION,
    waitMs: DISTRIBUTION,
    recent: object({
      ms: number(
        'How many milliseconds back the figures reach: to ten seconds ago, or to the last reading before that',
      ),
      runMs: DISTRIBUTION,
      waitMs: DISTRIBUTION,
    }),
    buckets: object({ runMs: listOf(BUCKET, 'Lowest first'), waitMs: listOf(BUCKET, 'Lowest first') }),
    crashes: count('Workers that ended without being told to'),
    recycled: count(
      'Workers that were replaced after their number of tasks, for their memory, or on request',
    ),
    interrupted: count('Workers that were replaced because a task went on after its timeout or abort'),
    coordinator: object({
      utilization: number('How busy its event loop is, 0 to 1'),
      restarts: count('How often the coordinator was replaced'),
    }),
    sizing: object({
      policy: text('The name of the rule by which the number of workers is decided'),
      decisions: listOf(DECISION, 'The last 64, oldest first'),
    }),
    process: object({
      utilization: number(
        'How busy the event loop of the thread that owns the pool was since the last reading, 0 to 1',
      ),
      residentBytes: number('Memory of the whole process'),
      heapUsedBytes: number('Heap of the thread that owns the pool'),
    }),
    crossingMs: maybe('Milliseconds of CPU time that a crossing costs, beside the task itself'),
    functions: listOf(FUNCTION, 'The functions that were called, and one entry for all other names'),
    workers: listOf(WORKER, 'The workers that there are'),
  },
  ['coordinator', 'throughput', 'process', 'crossingMs', 'functions', 'interrupted', 'recent', 'buckets'],
);

export const MACHINE = entity('Machine', {
  id: text('Unique, new with each start'),
  name: text('The name of the machine; need not be unique'),
  host: text('The name of its host'),
  pid: count('The number of its process'),
  state: text("'running', or 'closing'"),
  upMs: number('Milliseconds since its start'),
  threads: count('Workers'),
  concurrency: count('How many jobs the machine takes at a time at the most'),
  active: count('Jobs of the machine that run, or are about to'),
  completed: count('Jobs that ended with a result'),
  failed: count('Attempts that ended with an error'),
  returned: count('Jobs that were given back to the queue'),
  recovered: count('Jobs of other machines that this one found abandoned and put back'),
  repeated: count('Starts of jobs that had been started before'),
});

const JOBS = count('Jobs in that state');
export const FLEET_STATS = entity('FleetStats', {
  queue: text('The name of the BullMQ queue'),
  jobs: object({ waiting: JOBS, active: JOBS, delayed: JOBS, failed: JOBS, completed: JOBS }),
  machines: count('How many machines there are'),
  threads: count('Workers of all machines'),
  perMachine: listOf(MACHINE, 'The last report of each machine; a machine reports every two seconds'),
  open: count('Calls of this process that have not settled'),
});

export const OVERVIEW = entity('Overview', {
  process: object({
    pid: count('The number of the process'),
    node: text('Version of Node.js'),
    title: text('The title of the process'),
    uptimeMs: number('Milliseconds since its start'),
  }),
  pools: listOf(POOL_STATS, 'All pools'),
  fleets: listOf(text('The name of a fleet'), 'The names of all fleets'),
});

const FLEET_ERROR = object({ code: text('ERR_CONTROL_FLEET'), message: text('For people') });
export const FLEET = entity('Fleet', {
  name: text('The name under which it is served: its queue; the second fleet of a name has `~2` after it'),
  stats: orNull('The statistics; null: there is an error', FLEET_STATS),
  error: orNull('Why there are no statistics', FLEET_ERROR),
});
export const FLEETS = entity('Fleets', { fleets: listOf(FLEET, 'All fleets') });

export const HISTORY = entity('History', {
  nowMs: number('The time now, by the clock of the rows. Milliseconds'),
  columns: listOf(text('The name of a column'), 'What the places of a row mean; the first is its time'),
  rows: listOf(
    { type: 'array' },
    'Oldest first. Numbers; null: not known. `failures`: pairs of a function and how often it failed; ' +
      '`workers`: id, number of the state, utilisation in percent and load, of one worker after the other',
  ),
});

export const READINESS = entity('Readiness', {
  ready: flag("Whether every pool is 'open' or 'paused'"),
  pools: listOf(object({ name: text('As it is served'), state: text('As in PoolStats') }), 'All pools'),
});

export const HEALTH = entity('Health', { status: { type: 'string', const: 'ok' } });

export const ERROR = entity('Error', {
  error: object({ code: text('Stable: match on this'), message: text('For people') }),
});

export const EVENT_STREAM = named('EventStream', {
  type: 'string',
  description:
    "Server-sent events. `stats`, with a PoolStats, at once and then once a second. And the pool's own events as " +
    `they happen: ${OBSERVED_EVENTS.map((name) => `\`${name}\``).join(', ')}; their data is JSON with \`pool\` and ` +
    'what docs/pool.md lists; an error is `{ name, message, code }`. It ends after `pool:close`. A client that ' +
    'does not read is cut off.',
});
