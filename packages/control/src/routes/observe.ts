/** The read operations on pools and fleets: statistics, readiness, metrics, history and event streams. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Handlers, nameIn } from '../app.js';
import type { ControllablePool } from '../controllable-pool.js';
import { type Directory, statsOf } from '../directory.js';
import { RequestError, show } from '../errors.js';
import type { Fleets } from '../fleets.js';
import { CONTENT_TYPE, exposition } from '../metrics/exposition.js';
import { DOCUMENT } from '../openapi/operations.js';
import type { PoolHistories } from '../pool-histories.js';
import type { EventStreams } from '../streams/event-streams.js';

const READY_STATES = ['open', 'paused'];

export function observe(
  directory: Directory<ControllablePool>,
  fleets: Fleets,
  streams: EventStreams,
  histories: PoolHistories,
) {
  return {
    listPools: async () => {
      const { pid, version: node, title } = process;
      const uptimeMs = Math.round(process.uptime() * 1000);
      const pools = directory.list().map(statsOf);
      return { process: { pid, node, title, uptimeMs }, pools, fleets: fleets.names() };
    },
    getPool: async (request) => statsOf(directory.find(nameIn(request))),
    getHistory: async (request, reply) => {
      const { item } = directory.find(nameIn(request));
      reply.type('application/json; charset=utf-8');
      return histories.text(item);
    },
    listFleets: async () => ({ fleets: await fleets.readAll() }),
    getFleet: async (request) => fleets.read(nameIn(request)),
    getHealth: async () => ({ status: 'ok' }),
    getDescription: async () => DOCUMENT,
    getReadiness: async (_request, reply) => {
      const pools = directory.list().map(statsOf);
      // No pool yet is not ready: the caller waits for pools.
      const ready = pools.length > 0 && pools.every(({ state }) => READY_STATES.includes(state));
      reply.code(ready ? 200 : 503);
      return { ready, pools: pools.map(({ name, state }) => ({ name, state })) };
    },
    getMetrics: async (_request, reply) => {
      reply.type(CONTENT_TYPE);
      return exposition(directory, fleets, streams);
    },
    followPool: async (request, reply) => {
      const served = directory.find(nameIn(request));
      // Refusals come before the first call on the pool, so that a refused client costs the pool nothing.
      streams.checkRoom();
      checkTurn(reply.raw);
      const stats = statsOf(served);
      if (stats.state === 'closed') {
        const message = `The pool ${show(served.name)} is closed: it has no more events`;
        throw new RequestError('ERR_POOL_CLOSED', message);
      }
      streams.begin(served, stats, reply.raw, reply.getHeaders() as OutgoingHttpHeaders);
      return reply.hijack();
    },
  } satisfies Partial<Handlers>;
}

/**
 * Refuses a stream that is pipelined behind another answer: it would wait, and if the connection ended meanwhile, no event would tell,
 * and the stream would never free its place.
 */
function checkTurn({ socket }: ServerResponse): void {
  if (socket !== null) return;
  const message =
    'An event stream cannot wait behind other answers on its connection: ask for it on another connection';
  throw new RequestError('ERR_CONTROL_REQUEST', message);
}
