/** The connection to Redis: one ioredis client for each fleet and each service; BullMQ duplicates it where it needs more. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IRedisClient, QueueEvents, RedisConnection } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { promised, reject } from 'threadwise/internal';
import { FleetError, hideArguments, isRefusedLogin, redisError } from './errors.js';

/** A URL (`redis://…`, `rediss://…`), options of ioredis, or a client of ioredis, which is duplicated and stays yours. */
export type FleetConnection = string | RedisOptions | Redis;

/** How many milliseconds ioredis waits before the n-th attempt to reconnect: its own default formula. */
const retryDelay = (times: number) => Math.min(times * 50, 2000);

/**
 * BullMQ requires the first. With the second, commands wait for Redis without a limit, and the caller sets the timeout. Without the third,
 * one whose connection is cut never settles. With the fourth, no timer keeps the process: ioredis begins one when it disconnects, and forgets
 * it if the socket has been closed before. With the last two, replies have the types that BullMQ expects.
 */
const REQUIRED = {
  maxRetriesPerRequest: null,
  enableOfflineQueue: true,
  autoResendUnfulfilledCommands: true,
  disconnectTimeout: 0,
  stringNumbers: false,
  replyMapping: 'legacy',
} as const;

/** Throws ERR_OPTION. */
export function connectTo(connection: unknown): Redis {
  const redis = clientOf(connection);
  // A command timeout would also end the blocking commands, which wait for seconds: nobody would hear of jobs and results.
  delete redis.options.commandTimeout;
  const { keyPrefix, db } = redis.options;
  if (!keyPrefix && !Number.isNaN(db)) return redis;
  redis.disconnect();
  if (Number.isNaN(db)) return reject('connection.db', "a database's number", db);
  return reject('connection.keyPrefix', "to be left out: the option 'prefix' does it", keyPrefix);
}

/** A URL of Redis, or a host and a port: ioredis takes everything else for the path of a socket. */
const ADDRESS = /^(rediss?:\/\/|[^/]+$)/i;
const EXPECTED =
  "a string with a URL such as 'redis://user:password@host:6379', with special characters percent-encoded, the options of ioredis, or a client";

function clientOf(connection: unknown): Redis {
  const defaults = { retryStrategy: retryDelay };
  if (typeof connection === 'string') {
    try {
      if (URL.canParse(connection) && ADDRESS.test(connection))
        return new Redis(connection, { ...defaults, ...REQUIRED });
    } catch {
      // A percent sign that encodes nothing.
    }
    // Messages get into logs, where no password belongs.
    const shown = connection.replace(/^([a-z]+:\/+)?.*@/is, '$1…@').replace(/\?.*/s, '?…');
    return reject('connection', EXPECTED, shown);
  }
  const isOther = Array.isArray(connection) || connection instanceof URL;
  if (typeof connection !== 'object' || connection === null || isOther)
    return reject('connection', EXPECTED, connection);
  // A client may come from another copy of ioredis, so `instanceof` would not do.
  if (typeof (connection as Partial<Redis>).duplicate === 'function')
    return (connection as Redis).duplicate(REQUIRED);
  return new Redis({ ...defaults, ...connection, ...REQUIRED });
}

/** Stops listening to a queue at once; its own `close` would wait for a Redis that does not answer. */
export async function endEvents(events: QueueEvents): Promise<void> {
  const backend = events.getBackend();
  rejectCommands(backend.connection);
  events.close().catch(() => undefined);
  await backend.close(true);
}

/** What ioredis keeps of the commands whose connection was cut, and forgets when a later connection is refused. */
interface Kept {
  readonly prevCommandQueue?: { toArray(): { readonly command: { reject(error: Error): void } }[] } | null;
}

/**
 * To be called before a blocking connection is closed: a client that waits to reconnect keeps its commands when it disconnects, and BullMQ's
 * timer for one of them would keep the process for up to 11 s.
 */
export function rejectCommands(connection: RedisConnection | undefined): void {
  const reject = (client: IRedisClient & Kept) => {
    // BullMQ does not report an error with ioredis's own words for this.
    for (const { command } of client.prevCommandQueue?.toArray() ?? [])
      command.reject(new Error('Connection is closed.'));
    if (client.status !== 'reconnecting') return;
    client.connect().catch(() => undefined);
    client.disconnect();
  };
  connection?.client.then(reject, () => undefined);
}

/** Resolves when `done` does, or after `limitMs`. @param limitMs milliseconds; undefined: no limit */
export async function inTime(limitMs: number | undefined, done: Promise<unknown>): Promise<void> {
  if (limitMs === undefined) return void (await done);
  let timer: NodeJS.Timeout | undefined;
  const timeIsOver = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([done, timeIsOver]);
  clearTimeout(timer);
}

/** How many milliseconds pass before a Redis that has refused is asked again. Chosen by hand. */
export const REFUSED_MS = 500;

/** How Redis refuses all that writes, for a time: it is a replica, or lacks replicas, or cannot save, or runs a script, or its password changes. */
const FOR_NOW = /^(READONLY|MASTERDOWN|NOREPLICAS|MISCONF|BUSY|CLUSTERDOWN|WRONGPASS|NOAUTH) /;

/** Asks again as long as Redis refuses for a time. Rejects with any other error. @param tell called with each refusal */
export async function insist<T>(ask: () => Promise<T>, tell?: (error: Error) => void): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!FOR_NOW.test((error as Error).message)) throw error;
      tell?.(error as Error);
      await sleep(REFUSED_MS, undefined, { ref: false });
    }
  }
}

/**
 * If a timer is late by this many milliseconds, the program was stopped or computed: the answer may have come already, and is read after
 * the timer. Chosen by hand.
 */
const STOPPED_MS = 1_000;

/**
 * How many milliseconds pass between two checks of whether Redis answers, and how many of them may find no answer. Together it is as long as
 * a lock, by default.
 */
const CHECK_MS = 10_000;
const MOST_SILENT = 3;

/** How many milliseconds Redis has for saying that it refuses a connection; it does so at once, or never. */
const REFUSAL_MS = 1_000;

/** Where a Redis without Sentinels is: at a path, or else at a host and a port. */
function placeOf({ path, host = '127.0.0.1', port = 6379 }: RedisOptions) {
  return { path, host, port };
}

/**
 * What Redis says before it cuts a connection off, because it has too many, or is in protected mode. A client that speaks first, as ours does,
 * often hears only that it is cut off. Resolves to undefined if Redis says nothing.
 */
async function refusalOf(options: RedisOptions) {
  if (options.sentinels) return undefined;
  const { path, ...place } = placeOf(options);
  const socket = connect(path ? { path } : place).unref();
  socket.setTimeout(REFUSAL_MS, () => socket.destroy());
  try {
    const { value } = await socket[Symbol.asyncIterator]().next();
    return value && String(value).replace(/^-/, '').trim();
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Watches the connection to Redis, and rejects requests that Redis does not answer in time. */
export class Link {
  readonly redis: Redis;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<() => void>();
  #lastError: unknown;
  /** Why Redis cuts connections off, in its words. */
  #refusal: string | undefined;
  #hasEnded = false;

  constructor(redis: Redis, timeoutMs: number) {
    this.redis = redis;
    this.#timeoutMs = timeoutMs;
    redis.on('error', (error: unknown) => {
      hideArguments(error);
      // A cluster tells only within its error why a node was not reached.
      this.#lastError = (error as { lastNodeError?: unknown }).lastNodeError ?? error;
      if (isRefusedLogin(this.#lastError)) for (const giveUp of this.#waiting) giveUp();
    });
    // Not on 'ready': the client gets ready, with database 0, even where Redis has refused the database that was asked for.
    redis.on('connect', () => (this.#lastError = undefined));
    redis.on('reconnecting', () => {
      // Redis was there, and has cut us off. It is asked until it has said why: each question takes one of its connections for a moment.
      if (this.#refusal === undefined && redis.stream?.bytesWritten > 0)
        void refusalOf(redis.options).then((said) => (this.#refusal ??= said));
    });
    redis.on('ready', () => (this.#refusal = undefined));
    this.#watch();
  }

  /**
   * Has the client connect again if Redis answers nothing for long: its host may be gone, which TCP finds after a quarter of an hour. BullMQ
   * does so with the connections that wait for jobs and events. A program that was stopped is late for one check, not for all.
   */
  #watch(): void {
    const { redis } = this;
    let silent = 0;
    let [stream, bytes] = [redis.stream, 0];
    const check = () => {
      const isSilent = stream !== undefined && stream === redis.stream && bytes === stream.bytesRead;
      silent = isSilent ? silent + 1 : 0;
      stream = redis.stream;
      bytes = stream?.bytesRead;
      const seconds = (MOST_SILENT * CHECK_MS) / 1000;
      const error = new Error(`Redis has answered nothing for ${seconds} s: connecting again`);
      if (silent === MOST_SILENT) stream.destroy(error);
      // Before it is ready, the client asks by itself.
      else if (redis.status === 'ready') redis.ping().catch(() => undefined);
    };
    const timer = setInterval(check, CHECK_MS).unref();
    redis.once('end', () => clearInterval(timer));
  }

  /** Disconnects for good, and rejects the requests that have no answer. */
  end(): void {
    this.#hasEnded = true;
    for (const giveUp of this.#waiting) giveUp();
    this.redis.disconnect();
  }

  /**
   * Resolves as `ask` does. Rejects with ERR_FLEET_CONNECTION after `timeoutMs` or if Redis refuses the login, with ERR_FLEET_CLOSED
   * once the link has ended. What `ask` has asked for may still happen after that.
   */
  ask<T>(what: string, ask: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) return Promise.reject(this.#unreachable(what));
    const { promise, resolve, reject } = promised<T>();
    const giveUp = () => reject(this.#unreachable(what));
    let timer: NodeJS.Timeout;
    const wait = () => {
      const due = performance.now() + this.#timeoutMs;
      timer = setTimeout(() => (performance.now() < due + STOPPED_MS ? giveUp() : wait()), this.#timeoutMs);
    };
    wait();
    this.#waiting.add(giveUp);
    if (isRefusedLogin(this.#lastError)) giveUp();
    ask().then(resolve, (error: unknown) => reject(redisError(what, error)));
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(giveUp);
    });
  }

  #unreachable(what: string): FleetError {
    if (this.#hasEnded) return new FleetError('ERR_FLEET_CLOSED', `${what}: the connection was closed`);
    const cause = this.#lastError;
    const last = cause instanceof Error ? cause.message || (cause as { code?: string }).code : 'no answer';
    const why = this.#refusal ?? last;
    const { sentinels, name } = this.redis.options;
    const { path, host, port } = placeOf(this.redis.options);
    const place = sentinels ? `'${name}' of the Sentinels` : `at ${path ?? `${host}:${port}`}`;
    const where = this.redis.isCluster ? 'of the cluster' : place;
    const tried = isRefusedLogin(cause) ? '' : ` within ${this.#timeoutMs} ms`;
    const message = `${what}: Redis ${where} was not reached${tried}: ${why}`;
    return new FleetError('ERR_FLEET_CONNECTION', message, { cause });
  }
}
