/** The operations that change a pool: options, pause, resume, drain, recycle. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Handlers, nameIn } from '../app.js';
import type { ControllablePool, PoolChanges, PoolStats } from '../controllable-pool.js';
import { type Directory, type ServedPool, statsOf } from '../directory.js';
import { RequestError, type RequestErrorCode, show } from '../errors.js';

type Act = (pool: ControllablePool) => void | Promise<void>;

/** The body of PATCH, after its types were checked. */
interface Changes {
  readonly threads?: NonNullable<PoolChanges['threads']>;
  readonly min?: number;
  readonly max?: number;
  readonly choose?: string;
  readonly placement?: string;
  readonly queueLimit?: number | null;
}

/** Errors that the library refuses a request with. Any other error that it throws is answered as an internal error. */
const REFUSALS: readonly RequestErrorCode[] = ['ERR_OPTION', 'ERR_POOL_CLOSED', 'ERR_MODULE_LOAD'];

export function steer(directory: Directory<ControllablePool>) {
  return {
    changePool: async (request) => {
      const served = directory.find(nameIn(request));
      await begun(served, (pool) => pool.configure(changesOf(request.body as Changes, pool)));
      return statsOf(served);
    },
    pausePool: action(directory, (pool) => pool.pause()),
    resumePool: action(directory, (pool) => pool.resume()),
    drainPool: action(directory, (pool) => pool.drain()),
    recyclePool: action(directory, (pool) => pool.recycle()),
  } satisfies Partial<Handlers>;
}

/** Makes one call of `configure` for all fields, since the library applies all of a call or nothing. */
function changesOf(
  { threads, min, max, choose, placement, queueLimit }: Changes,
  pool: ControllablePool,
): PoolChanges {
  const hasBound = min !== undefined || max !== undefined;
  if (threads !== undefined && hasBound) {
    throw new RequestError('ERR_OPTION', "Give 'threads', or 'min' and 'max', not both");
  }
  let size = threads;
  if (hasBound) {
    const now = pool.stats().threads; // a bound that is not given stays as it is
    size = { min: min ?? now.min, max: max ?? now.max };
  }
  const queue = queueLimit === undefined ? undefined : { limit: queueLimit ?? Number.POSITIVE_INFINITY };
  const named = Object.entries({ threads: size, choose, placement, queue });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

/** Answers once the action has begun; how long it takes depends on the pool's tasks. */
function action(directory: Directory<ControllablePool>, act: Act) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<PoolStats> => {
    const served = directory.find(nameIn(request));
    const { body } = request;
    const isEmpty = body === undefined || JSON.stringify(body) === '{}';
    if (!isEmpty) throw new RequestError('ERR_OPTION', `Expected no body, got ${show(body)}`);
    await begun(served, act);
    reply.code(202);
    return statsOf(served);
  };
}

/** Rejects if the pool refuses at once. A later failure is reported by the pool's `error` event. */
async function begun({ item }: ServedPool, act: Act): Promise<void> {
  const done = async () => act(item);
  const refusal = done().then(() => undefined, asRefusal);
  const refused = await Promise.race([refusal, nextTurn()]);
  if (refused !== undefined) throw refused;
}

function asRefusal(error: unknown): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const refusal = REFUSALS.find((known) => known === code);
  return refusal === undefined ? error : new RequestError(refusal, String(message));
}
