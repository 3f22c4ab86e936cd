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

const changeable = {
  threads: {
    description: "How many: a number, 'auto' or { min, max }",
    anyOf: [
      number('Exactly'),
      { type: 'string', const: 'auto' },
      {
        ...object({ min: number('At least'), max: number('At most') }, ['min', 'max']),
        additionalProperties: false,
      },
    ],
  },
  min: number('Lower bound of the threads; the upper one stays as it is'),
  max: number('Upper bound of the threads; the lower one stays as it is'),
  choose: text("The name of a strategy; not with dispatch 'shared-queue'"),
  placement: { type: 'string', enum: ['threads', 'auto', 'inline'], description: 'For calls from now on' },
  queueLimit: { type: ['number', 'null'], description: 'How many tasks may wait; null: no limit' },
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
  count: count('How many were measured'),
  mean: number('Milliseconds'),
  p50: number('Milliseconds, within 1/16, as the other quantiles'),
  p90: number('Milliseconds'),
  p99: number('Milliseconds'),
  max: number('Milliseconds'),
});

export const BUCKET = entity('Bucket', {
  belowMs: number('Milliseconds'),
  count: count('How many were shorter, those of all lower buckets among them'),
});

export const WORKER = entity(
  'Worker',
  {
    id: count('Unique in its pool; a worker that replaces another one has a new one'),
    state: text("'starting', 'ready', 'retiring', 'stopping' or 'dead'"),
    inline: flag('Runs tasks on the thread that owns the pool'),
    load: count('Tasks handed over and not ended'),
    completed: count('Tasks that it ended'),
    utilization: number('Of its event loop, since the last look, 0 to 1'),
    heapUsedBytes: number('After the last task that was looked at'),
    ageMs: number('Milliseconds since it was started'),
    runMs: DISTRIBUTION,
    waitMs: DISTRIBUTION,
    cpu: orNull(
      'Milliseconds its thread used a CPU, and waited for one; null where the system does not tell',
      object({ usedMs: number('Used'), waitedMs: number('Waited') }),
    ),
  },
  ['runMs', 'waitMs', 'cpu'],
);

export const DECISION = entity('Decision', {
  at: number('When: milliseconds since 1970'),
  by: text("'pool' or 'coordinator'"),
  from: count('Workers before'),
  to: count('Workers that are wanted'),
  why: text('In words'),
  queued: count('Tasks that waited'),
  idle: count('Workers that were idle'),
});

const LAST_ERROR = object({
  at: number('Milliseconds since the epoch'),
  name: text('Of its class'),
  code: { type: ['string', 'null'], description: 'null: it has none' } as Schema<string | null>,
  message: text('The beginning of it, if it is long'),
  stack: text('The same; empty if it has none'),
});

const FUNCTION = entity(
  'Function',
  {
    name: text('As it is called'),
    place: text("'threads' or 'inline', for the next calls"),
    why: text('In words'),
    calls: count('That have ended'),
    inline: count('Of these, those that ran on the thread that owns the pool'),
    failures: count('Of these, those that threw, timed out, or were lost with their worker'),
    timeouts: count('Of the failures, those that were timeouts'),
    lastError: orNull('Of the last call that failed; null: none has', LAST_ERROR),
    runMs: number('Milliseconds, mean of recent calls'),
    bytesIn: maybe('Of the arguments of a recent call, estimated'),
    bytesOut: maybe('Of the result of a recent call, estimated'),
    crossingMs: maybe('Milliseconds that a crossing of it costs'),
  },
  ['failures', 'timeouts', 'lastError'],
);

export const POOL_STATS = entity(
  'PoolStats',
  {
    name: text('The name under which the pool is served; the second pool of a name has `~2` after it'),
    state: { ...text('It takes calls in the first two'), enum: POOL_STATES },
    dispatch: text('Who hands tasks to workers'),
    placement: text('Where tasks run'),
    choose: text('The strategy that chooses a worker'),
    threads: object({
      min: count('Lower bound'),
      max: count('Upper bound'),
      current: count('Workers that are, or will be, there for tasks'),
      starting: count('Of these, those that still load'),
      idle: count('Of these, those that have nothing to do'),
    }),
    queue: object({
      size: count('Tasks that wait'),
      limit: { type: ['number', 'null'], description: 'null: none' } as Schema<number | null>,
      oldestMs: number('How long the oldest has waited'),
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
      ms: number('How far back it reaches: ten seconds, or to the last look before them'),
      runMs: DISTRIBUTION,
      waitMs: DISTRIBUTION,
    }),
    buckets: object({ runMs: listOf(BUCKET, 'Lowest first'), waitMs: listOf(BUCKET, 'Lowest first') }),
    crashes: count('Workers that ended though nobody asked for it'),
    recycled: count('Workers that were replaced for their age or their memory, or on request'),
    interrupted: count('Workers that were replaced because a task went on after its timeout or abort'),
    coordinator: object({
      utilization: number('Of its event loop, 0 to 1'),
      restarts: count('How often it was replaced'),
    }),
    sizing: object({
      policy: text('How it is decided how many workers there should be'),
      decisions: listOf(DECISION, 'The last 64, oldest first'),
    }),
    process: object({
      utilization: number('Of the event loop of the thread that owns the pool, since the last look, 0 to 1'),
      residentBytes: number('Memory of the whole process'),
      heapUsedBytes: number('Of the thread that owns the pool'),
    }),
    crossingMs: maybe('Milliseconds of CPU time that a crossing costs, beside the task itself'),
    functions: listOf(FUNCTION, 'Those that were called, and one entry for all other names'),
    workers: listOf(WORKER, 'Those that there are'),
  },
  ['coordinator', 'throughput', 'process', 'crossingMs', 'functions', 'interrupted', 'recent', 'buckets'],
);

export const MACHINE = entity('Machine', {
  id: text('Unique, new with each start'),
  name: text('Need not be unique'),
  host: text('Its name'),
  pid: count('Of the operating system'),
  state: text("'running', or 'closing'"),
  upMs: number('Milliseconds since its start'),
  threads: count('Workers'),
  concurrency: count('How many jobs the machine takes at a time at the most'),
  active: count('Jobs of the machine that run, or are about to'),
  completed: count('Jobs that ended with a result'),
  failed: count('Attempts that ended with an error'),
  returned: count('Jobs that were given back to the queue'),
  recovered: count('Jobs of others that it found abandoned and put back'),
  repeated: count('Starts of jobs that had been started before'),
});

const JOBS = count('Jobs in that state');
export const FLEET_STATS = entity('FleetStats', {
  queue: text('Of BullMQ'),
  jobs: object({ waiting: JOBS, active: JOBS, delayed: JOBS, failed: JOBS, completed: JOBS }),
  machines: count('How many there are'),
  threads: count('Of all machines'),
  perMachine: listOf(MACHINE, 'The last report of each machine; a machine reports every two seconds'),
  open: count('Calls of this process that have not settled'),
});

export const OVERVIEW = entity('Overview', {
  process: object({
    pid: count('Of the operating system'),
    node: text('Version of Node.js'),
    title: text('Of the process'),
    uptimeMs: number('Milliseconds since its start'),
  }),
  pools: listOf(POOL_STATS, 'All of them'),
  fleets: listOf(text('Of a fleet'), 'Which fleets there are, by name'),
});

const FLEET_ERROR = object({ code: text('ERR_CONTROL_FLEET'), message: text('For people') });
export const FLEET = entity('Fleet', {
  name: text('The name under which it is served: its queue; the second fleet of a name has `~2` after it'),
  stats: orNull('null: there is an error', FLEET_STATS),
  error: orNull('Why there are no statistics', FLEET_ERROR),
});
export const FLEETS = entity('Fleets', { fleets: listOf(FLEET, 'All of them') });

export const HISTORY = entity('History', {
  nowMs: number('The clock of the rows, milliseconds'),
  columns: listOf(text('Of a row'), 'What the places of a row mean; the first is its time'),
  rows: listOf(
    { type: 'array' },
    'Oldest first. Numbers; null: not known. `failures`: pairs of a function and how often it failed; ' +
      '`workers`: id, number of the state, utilisation in percent and load, of one worker after the other',
  ),
});

export const READINESS = entity('Readiness', {
  ready: flag("Whether every pool is 'open' or 'paused'"),
  pools: listOf(object({ name: text('As it is served'), state: text('As in PoolStats') }), 'All of them'),
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
