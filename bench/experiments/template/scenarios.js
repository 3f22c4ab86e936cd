// Templates of several lengths, rendered by the main thread and by pools.
import { setTimeout as pause } from 'node:timers/promises';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { isOurs, open as openOurs } from '../../contenders/threadwise.js';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';
import { withPool } from '../../driver/with-pool.js';
import { microseconds, milliseconds, perSecond, timesAs } from '../crossing/metrics.js';
import { watchEventLoop } from './event-loop.js';

/** How many connections there are, as published: autocannon's default. */
const CONNECTIONS = 10;
/** How many sentences a template has: one and eighty as published, and two further points of the curve. */
export const PUBLISHED_REPETITIONS = 80;
const REPETITIONS = [1, 20, PUBLISHED_REPETITIONS, 320];
/** The share of `followMs` for which the server is warmed up. */
const WARM_UP_SHARE = 1 / 4;
const CONTENDERS = ['threadwise', 'piscina (8 per worker)', 'inline', AS_PUBLISHED];
const DATA = { name: 'Ada', guest: 'Grace' };
/** What `{{name}} will meet {{guest}}.` is rendered to. */
const SENTENCE = `${DATA.name} will meet ${DATA.guest}.\n`;

const loaderModule = new URL('../../fixtures/http-load.js', import.meta.url);

/** On threads, which is the only way of pools other than ours. */
const ACROSS = { id: 'across' };
const LEAST_BUSY = {
  id: 'least-busy',
  takes: isOurs,
  isQuick: false,
  open: (settings) => openOurs(settings, { choose: 'least-busy' }),
};
const AUTO = { id: 'auto', takes: isOurs, placement: 'auto' };
const WAYS = [ACROSS, LEAST_BUSY, AUTO];

async function run(repetitions, context) {
  const { way, budget } = context;
  const { placement, open } = WAYS.find(({ id }) => id === way) ?? {};
  return withPool({ ...context, placement, open }, async (pool) => {
    const server = await serve((data) => pool.call('render', { sentences: repetitions, ...data }));
    const loader = startProcess(loaderModule);
    try {
      return await measure(loader, server.url, SENTENCE.repeat(repetitions), budget);
    } finally {
      await endProcess(loader);
      await server.close();
    }
  });
}

async function measure(loader, url, expected, { followMs, loadMs, settleMs }) {
  const order = { url, expected, connections: CONNECTIONS };
  // This load lasts until the code of the server is compiled, too, and a pool that may choose has learned what its tasks are.
  await ask(loader, { ...order, loadMs: WARM_UP_SHARE * followMs, isWarmUp: true });
  globalThis.gc?.();
  const idleUs = await idleDelay(settleMs);
  const loop = await watchEventLoop();
  const answers = await ask(loader, { ...order, loadMs });
  const { eachUs, ...delays } = await loop.stop();
  return { ...answers, ...delays, idleImmediateUs: idleUs, immediatesUs: eachUs };
}

/** How long a setImmediate takes when nothing else happens. */
async function idleDelay(settleMs) {
  const loop = await watchEventLoop();
  await pause(settleMs);
  return (await loop.stop()).immediateUs;
}

async function serve(render) {
  const { default: Fastify } = await import('fastify');
  const server = Fastify();
  server.get('/', ({ query }, reply) => {
    reply.type('text/plain; charset=utf-8');
    return render({ name: query.name, guest: query.guest });
  });
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${address}/?${new URLSearchParams(DATA)}`, close: () => server.close() };
}

const IDS = { 1: 'small', [PUBLISHED_REPETITIONS]: 'large' };

const requestsPerSecond = perSecond('requestsPerSecond', 'requests');
const immediate = microseconds('immediateUs', 'setImmediate us');
const loopDelay = { ...milliseconds('loopDelayP99Ms', 'loop delay p99 ms'), isDifference: true };
const OURS_AUTO = 'threadwise, auto';
/** How many milliseconds of a turn tasks may take (`loopBudgetMs`), plus what the requests themselves may add. */
const DELAY_MS = 5 + 2;

/** How many times the requests of others the pool has at least: of the best published pool, and of the published program. */
const GOALS = { 1: [1.3, 1.1], [PUBLISHED_REPETITIONS]: [1, 1] };

function goalsOf(repetitions) {
  const [asPool, asProgram] = GOALS[repetitions];
  const goal = { metric: requestsPerSecond, what: 'requests', of: 'threadwise, across' };
  return [
    timesAs({ ...goal, atLeast: asPool }),
    timesAs({ ...goal, atLeast: asProgram, to: 'as-published', name: 'the published program' }),
    repetitions === 1
      ? timesAs({ ...goal, of: OURS_AUTO, atLeast: 0.9, to: 'inline', name: 'rendering without a pool' })
      : {
          text: `auto delays the event loop by less than ${DELAY_MS} ms (p99)`,
          of: OURS_AUTO,
          metric: loopDelay.id,
          atMost: DELAY_MS,
        },
  ];
}

/** For the README. */
const HIGHLIGHTS = {
  1: [
    {
      metric: requestsPerSecond.id,
      of: OURS_AUTO,
      text: "A Fastify server that renders one sentence, placement: 'auto'",
    },
  ],
  [PUBLISHED_REPETITIONS]: [
    { metric: requestsPerSecond.id, of: OURS_AUTO, text: 'the same with 80 sentences' },
    { metric: immediate.id, of: OURS_AUTO, text: 'the same, how long a setImmediate takes' },
  ],
};

const scenario = (repetitions) => ({
  id: IDS[repetitions] ?? `sentences-${repetitions}`,
  title: `A server on Fastify renders a template of so many sentences with mustache, ${CONNECTIONS} connections of autocannon: ${repetitions}`,
  x: repetitions,
  isQuick: repetitions in IDS,
  metrics: [
    requestsPerSecond,
    immediate,
    microseconds('idleImmediateUs', 'idle us'),
    loopDelay,
    milliseconds('latencyP99Ms', 'latency p99, whole ms'), // autocannon counts no parts of them
  ],
  goals: repetitions in GOALS ? goalsOf(repetitions) : [],
  highlights: HIGHLIGHTS[repetitions],
  // The document has no other sizes: for them fewer ways are enough.
  ways: repetitions === PUBLISHED_REPETITIONS ? WAYS : [ACROSS, AUTO],
  takes: ({ id }) => CONTENDERS.includes(id) && (repetitions in IDS || !id.startsWith('piscina')),
  run: (context) => run(repetitions, context),
});

export const REPEATED = IDS[PUBLISHED_REPETITIONS];
export const SINGLE = IDS[1];

export const scenarios = REPETITIONS.map(scenario);
