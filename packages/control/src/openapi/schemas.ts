/** The bodies of the HTTP interface, as JSON Schema: what is checked of requests, and what clients may count on. */
import { JOB_STATES } from '../fleets/observable-fleet.js';
import { OBSERVED_EVENTS, POOL_STATES } from '../controllable-pool.js';

type Schema = Readonly<Record<string, unknown>>;

const number = (description: string): Schema => ({ type: 'number', description });
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const text = (description: string): Schema => ({ type: 'string', description });
/** null: not known. */
const maybe = (description: string): Schema => ({ type: ['number', 'null'], description });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: Schema, description: string): Schema => ({ type: 'array', items, description });

/** `required`: all, but those named in `optional`. Fields may be added, so others are allowed. */
function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

/**
 * The body of PATCH. Only types are checked by it; which values are allowed is the library's to say. A field's
 * `description` is also what an error says was expected.
 */
export const CHANGES = {
  type: 'object',
  description: 'What to change. All of it is done, or nothing.',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    threads: {
      description: "a number, 'auto' or { min, max }",
      anyOf: [
        { type: 'number' },
        { type: 'string', const: 'auto' },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            min: { type: 'number', description: 'a number of threads' },
            max: { type: 'number', description: 'a number of threads' },
          },
        },
      ],
    },
    min: { type: 'number', description: 'a number of threads; the upper bound stays as it is' },
    max: { type: 'number', description: 'a number of threads; the lower bound stays as it is' },
    choose: { type: 'string', description: "the name of a strategy; only with dispatch 'direct'" },
    placement: {
      type: 'string',
      enum: ['threads', 'auto', 'inline'],
      description: "'threads', 'auto' or 'inline', for calls from now on",
    },
    queueLimit: {
      type: ['number', 'null'],
      description: 'how many tasks may wait (a number), or null for no limit',
    },
  },
} as const;

const DISTRIBUTION = object({
  count: count('How many were measured'),
  mean: number('Milliseconds'),
  p50: number('Milliseconds, within 1/16, as the other quantiles'),
  p90: number('Milliseconds'),
  p99: number('Milliseconds'),
  max: number('Milliseconds'),
});

const BUCKET = object({
  belowMs: number('Milliseconds'),
  count: count('How many were shorter, those of all lower buckets among them'),
});

const WORKER = object(
  {
    id: count('Unique in its pool; a worker that replaces another one has a new one'),
    state: text("'starting', 'ready', 'retiring', 'stopping' or 'dead'"),
    inline: { type: 'boolean', description: 'Runs tasks on the thread that owns the pool' },
    load: count('Tasks handed over and not ended'),
    completed: count('Tasks that it ended'),
    utilization: number('Of its event loop, since the last look, 0 to 1'),
    heapUsedBytes: number('After the last task that was looked at'),
    ageMs: number('Milliseconds since it was started'),
    runMs: ref('Distribution'),
    waitMs: ref('Distribution'),
    cpu: {
      description:
        'Milliseconds its thread used a CPU, and waited for one; null where the system does not tell',
      anyOf: [{ type: 'null' }, object({ usedMs: number('Used'), waitedMs: number('Waited') })],
    },
  },
  ['runMs', 'waitMs', 'cpu'],
);

const DECISION = object({
  at: number('When: milliseconds since 1970'),
  by: text("'pool' or 'coordinator'"),
  from: count('Workers before'),
  to: count('Workers that are wanted'),
  why: text('In words'),
  queued: count('Tasks that waited'),
  idle: count('Workers that were idle'),
});

const LAST_ERROR: Schema = {
  ...object({
    at: number('Milliseconds since the epoch'),
    name: text('Of its class'),
    code: { type: ['string', 'null'], description: 'null: it has none' },
    message: text('The beginning of it, if it is long'),
    stack: text('The same; empty if it has none'),
  }),
  type: ['object', 'null'],
  description: 'Of the last call that failed; null: none has',
};

const FUNCTION = object(
  {
    name: text('As it is called'),
    place: text("'threads' or 'inline', for the next calls"),
    why: text('In words'),
    calls: count('That have ended'),
    inline: count('Of these, those that ran on the thread that owns the pool'),
    failures: count('Of these, those that threw, timed out, or were lost with their worker'),
    timeouts: count('Of the failures, those that were timeouts'),
    lastError: LAST_ERROR,
    runMs: number('Milliseconds, mean of recent calls'),
    bytesIn: maybe('Of the arguments of a recent call, estimated'),
    bytesOut: maybe('Of the result of a recent call, estimated'),
    crossingMs: maybe('Milliseconds that a crossing of it costs'),
  },
  ['failures', 'timeouts', 'lastError'],
);

const POOL_STATS = object(
  {
    name: text('The name under which the pool is served; the second pool of a name has `~2` after it'),
    state: { type: 'string', enum: POOL_STATES, description: 'It takes calls in the first two' },
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
      limit: { type: ['number', 'null'], description: 'null: none' },
      oldestMs: number('How long the oldest has waited'),
    }),
    tasks: object({
      completed: count('Calls that got a result'),
      failed: count('Calls whose task threw'),
      aborted: count('Calls whose signal aborted'),
      timedOut: count('Calls that ran too long'),
      crashed: count('Calls whose worker ended under them'),
      rejected: count('Calls that were refused'),
      submitted: count('Calls, all of them'),
      open: count('Calls that have not settled'),
      retried: count('Times that a task was run again'),
    }),
    throughput: number('Calls that settled, per second, over the last ten seconds'),
    runMs: ref('Distribution'),
    waitMs: ref('Distribution'),
    recent: object({
      ms: number('How far back it reaches: ten seconds, or to the last look before them'),
      runMs: ref('Distribution'),
      waitMs: ref('Distribution'),
    }),
    buckets: object({
      runMs: listOf(ref('Bucket'), 'Lowest first'),
      waitMs: listOf(ref('Bucket'), 'Lowest first'),
    }),
    crashes: count('Workers that ended though nobody asked for it'),
    recycled: count('Workers that were replaced for their age or their memory, or on request'),
    interrupted: count('Workers that were replaced because a task went on after its timeout or abort'),
    coordinator: object({
      utilization: number('Of its event loop, 0 to 1'),
      restarts: count('How often it was replaced'),
    }),
    sizing: object({
      policy: text('How it is decided how many workers there should be'),
      decisions: listOf(ref('Decision'), 'The last 64, oldest first'),
    }),
    process: object({
      utilization: number('Of the event loop of the thread that owns the pool, since the last look, 0 to 1'),
      residentBytes: number('Memory of the whole process'),
      heapUsedBytes: number('Of the thread that owns the pool'),
    }),
    crossingMs: maybe('Milliseconds that a crossing costs in time of processors, beside running'),
    functions: listOf(ref('Function'), 'Those that were called, and one entry for all other names'),
    workers: listOf(ref('Worker'), 'Those that there are'),
  },
  ['coordinator', 'throughput', 'process', 'crossingMs', 'functions', 'interrupted', 'recent', 'buckets'],
);

const MACHINE = object({
  id: text('Unique, new with each start'),
  name: text('Need not be unique'),
  host: text('Its name'),
  pid: count('Of the operating system'),
  state: text("'running', or 'closing'"),
  upMs: number('Milliseconds since its start'),
  threads: count('Workers'),
  concurrency: count('Jobs that it takes at a time at the most'),
  active: count('Jobs that it has: running, or about to'),
  completed: count('Jobs that ended with a result'),
  failed: count('Attempts that ended with an error'),
  returned: count('Jobs that were given back to the queue'),
  recovered: count('Jobs of others that it found abandoned and put back'),
  repeated: count('Starts of jobs that had been started before'),
});

const FLEET_STATS = object({
  queue: text('Of BullMQ'),
  jobs: object(Object.fromEntries(JOB_STATES.map((state) => [state, count('Jobs in that state')]))),
  machines: count('How many there are'),
  threads: count('Of all machines'),
  perMachine: listOf(ref('Machine'), 'Each as it last said, two seconds ago at the most'),
  open: count('Calls of this process that have not settled'),
});

const FLEET_ERROR = object({ code: text('ERR_CONTROL_FLEET'), message: text('For people') });

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Changes: CHANGES,
  Distribution: DISTRIBUTION,
  Bucket: BUCKET,
  Worker: WORKER,
  Decision: DECISION,
  Function: FUNCTION,
  PoolStats: POOL_STATS,
  Overview: object({
    process: object({
      pid: count('Of the operating system'),
      node: text('Version of Node.js'),
      title: text('Of the process'),
      uptimeMs: number('Milliseconds since its start'),
    }),
    pools: listOf(ref('PoolStats'), 'All of them'),
    fleets: listOf(text('Of a fleet'), 'Which fleets there are, by name'),
  }),
  Machine: MACHINE,
  FleetStats: FLEET_STATS,
  Fleet: object({
    name: text('The name under which it is served: its queue; the second fleet of a name has `~2` after it'),
    stats: { description: 'null: there is an error', anyOf: [{ type: 'null' }, ref('FleetStats')] },
    error: { description: 'Why there are no statistics', anyOf: [{ type: 'null' }, FLEET_ERROR] },
  }),
  Fleets: object({ fleets: listOf(ref('Fleet'), 'All of them') }),
  History: object({
    nowMs: number('The clock of the rows, milliseconds'),
    columns: listOf(text('Of a row'), 'What the places of a row mean; the first is its time'),
    rows: listOf(
      { type: 'array' },
      'Oldest first. Numbers; null: not known. `failures`: pairs of a function and how often it failed; ' +
        '`workers`: id, number of the state, utilisation in percent and load, of one worker after the other',
    ),
  }),
  Readiness: object({
    ready: { type: 'boolean', description: "Whether every pool is 'open' or 'paused'" },
    pools: listOf(object({ name: text('As it is served'), state: text('As in PoolStats') }), 'All of them'),
  }),
  Health: object({ status: { type: 'string', const: 'ok' } }),
  Error: object({
    error: object({ code: text('Stable: match on this'), message: text('For people') }),
  }),
  EventStream: {
    type: 'string',
    description:
      "Server-sent events. `stats`, with a PoolStats, at once and then once a second. And the pool's own events as " +
      `they happen: ${OBSERVED_EVENTS.map((name) => `\`${name}\``).join(', ')}; their data is JSON with \`pool\` and ` +
      'what docs/pool.md lists; an error is `{ name, message, code }`. It ends after `pool:close`. A client that ' +
      'does not read is cut off.',
  },
};
