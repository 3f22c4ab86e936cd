/** The operations that change a pool: options, pause, resume, drain, recycle. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Handlers, nameIn } from '../app.js';
import type { ControllablePool, PoolStats } from '../controllable-pool.js';
import { type Directory, type ServedPool, statsOf } from '../directory.js';
import { RequestError, type RequestErrorCode, show } from '../errors.js';
import { CHANGE_FIELDS } from '../openapi/schemas.js';

type Act = (pool: ControllablePool) => void | Promise<void>;

/** Errors that the library refuses a request with. Any other error that it throws is answered as an internal error. */
const REFUSALS: readonly RequestErrorCode[] = ['ERR_OPTION', 'ERR_POOL_CLOSED', 'ERR_MODULE_LOAD'];

export function steer(directory: Directory<ControllablePool>) {
  return {
    changePool: async (request) => {
      const served = directory.find(nameIn(request));
      await begun(served, (pool) => pool.configure(changesOf(request.body, pool)));
      return statsOf(served);
    },
    pausePool: action(directory, (pool) => pool.pause()),
    resumePool: action(directory, (pool) => pool.resume()),
    drainPool: action(directory, (pool) => pool.drain()),
    recyclePool: action(directory, (pool) => pool.recycle()),
  } satisfies Partial<Handlers>;
}

/** Makes one call of `configure` for all fields: the library checks the values, and applies all of a call or nothing. */
function changesOf(body: unknown, pool: ControllablePool): object {
  const known = CHANGE_FIELDS.join(', ');
  const given = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  if (given.length === 0) {
    throw new RequestError('ERR_OPTION', `Expected a JSON object with some of ${known}, got ${show(body)}`);
  }
  const unknown = given.map(([name]) => name).filter((name) => !CHANGE_FIELDS.includes(name));
  if (unknown.length > 0) {
    throw new RequestError('ERR_OPTION', `Unknown field: ${unknown.map(show).join(', ')}. Known: ${known}`);
  }
  // To the library, null is a bound that is not given.
  const empty = given.find(([name, value]) => value === null && name !== 'queueLimit');
  if (empty !== undefined) throw new RequestError('ERR_OPTION', `'${empty[0]}': expected a value, got null`);
  const { min, max, queueLimit, ...changes } = Object.fromEntries<unknown>(given);
  // JSON has no Infinity, which means no limit; but JSON.parse makes it of a number like 1e400.
  if (queueLimit === Number.POSITIVE_INFINITY) {
    const expected = 'a whole number, or null for no limit';
    throw new RequestError('ERR_OPTION', `'queueLimit': expected ${expected}, got Infinity`);
  }
  if (queueLimit !== undefined) changes.queue = { limit: queueLimit ?? Number.POSITIVE_INFINITY };
  if (min === undefined && max === undefined) return changes;
  if (changes.threads !== undefined) {
    throw new RequestError('ERR_OPTION', "Give 'threads', or 'min' and 'max', not both");
  }
  const now = pool.stats().threads; // a bound that is not given stays as it is
  return { ...changes, threads: { min: min ?? now.min, max: max ?? now.max } };
}

/** Answers once the action has begun; how long it takes depends on the pool's tasks. */
function action(directory: Directory<ControllablePool>, act: Act) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<PoolStats> => {
    const served = directory.find(nameIn(request));
    const { body } = request;
    const isEmpty = body === undefined || isDeepStrictEqual(body, {});
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
