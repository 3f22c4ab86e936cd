// A server that renders pages: on its own thread, on those of a pool, or where that is cheaper; and for how long its event
// loop makes others wait.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isOurs } from '../../contenders/threadwise.js';
import { withPool } from '../../driver/with-pool.js';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';
import { milliseconds, perSecond } from '../crossing/metrics.js';
import { ACROSS, AUTO, placed } from './ways.js';

const CONNECTIONS = 50;
/** How many milliseconds the timer has that measures the delay of the event loop. */
const LOOK_MS = 1;
/** How many milliseconds of a turn tasks may take (`loopBudgetMs`), plus what the requests themselves may add. */
const DELAY_MS = 5 + 2;

const loader = new URL('./load/process.js', import.meta.url);

const requestsPerSecond = perSecond('requestsPerSecond', 'requests');
const loopDelay = milliseconds('loopDelayP99Ms', 'loop delay p99 ms');
const latency = milliseconds('latencyP99Ms', 'latency p99 ms');

async function run(template, repetitions, context) {
  const { followMs, loadMs } = context.budget;
  return withPool(placed(context), async (pool) => {
    const server = await serve((data) => pool.call('render', { template, ...data }));
    const child = startProcess(loader);
    try {
      await ask(child, { port: server.address().port, connections: CONNECTIONS, repetitions });
      // This load lasts until the code of the server is compiled, too, and a pool that may choose has learned what its tasks are.
      await ask(child, { loadMs: followMs / 2 });
      globalThis.gc?.();
      return await measure(() => ask(child, { loadMs }));
    } finally {
      await endProcess(child);
      server.close();
    }
  });
}

/** @param load returns what the load generator has measured */
async function measure(load) {
  const delays = monitorEventLoopDelay({ resolution: LOOK_MS });
  delays.enable();
  const { requests, elapsedMs, latencyP99Ms } = await load();
  delays.disable();
  return {
    requestsPerSecond: (requests * 1000) / elapsedMs,
    // How late the timer was, without its own time.
    loopDelayP99Ms: Math.max(0, delays.percentile(99) / 1e6 - LOOK_MS),
    latencyP99Ms,
  };
}

/** Starts a server that answers `/?name=…&guest=…` with what `render` returns for that. */
async function serve(render) {
  const server = createServer(async (request, response) => {
    try {
      const query = new URLSearchParams(request.url.slice(request.url.indexOf('?')));
      const page = await render({ name: query.get('name'), guest: query.get('guest') });
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(page);
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const OURS = 'threadwise, auto';

const delayGoal = {
  text: 'under load, auto delays the event loop by less than 7 ms (p99)',
  ...{ of: OURS, metric: loopDelay.id, atMost: DELAY_MS },
};

const LOAD = `${CONNECTIONS} connections of a load generator of ours in another process`;

const scenario = (id, repetitions, what, rest) => ({
  id: `template-${id}`,
  title: `A server on node:http renders ${what} with mustache, ${LOAD}`,
  metrics: [requestsPerSecond, loopDelay, latency],
  ways: [ACROSS, AUTO],
  takes: (contender) => contender.role === 'inline' || isOurs(contender),
  run: (context) => run(id, repetitions, context),
  ...rest,
});

export const template = [
  scenario('small', 1, 'one sentence', {
    goals: [
      {
        text: 'auto at least 0.9 times the requests of rendering without a pool',
        ...{ of: OURS, metric: requestsPerSecond.id, by: 'times', to: 'inline', atLeast: 0.9 },
      },
      delayGoal,
    ],
    highlights: [
      {
        metric: requestsPerSecond.id,
        of: OURS,
        text: "A server that renders one sentence, placement: 'auto'",
      },
    ],
  }),
  scenario('large', 80, 'a sentence 80 times', {
    goals: [delayGoal],
    highlights: [
      {
        metric: loopDelay.id,
        of: OURS,
        text: "A server that renders 80 sentences, placement: 'auto': loop delay, p99",
      },
    ],
  }),
];
