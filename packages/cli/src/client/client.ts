/** The client of a program's control server: it reads, changes, and follows events, and its errors say what to do. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createParser } from 'eventsource-parser';
import { isRecord } from '../checks.js';
import { ExitCode, UsageError } from '../exit-code.js';
import { formatDuration } from '../format/figures.js';
import { ControlError, lostConnection, noAnswer, notOurs, refusal, unreachable } from './errors.js';

/** How many milliseconds a request may take: more than a busy main thread needs for a turn of its event loop. */
const REQUEST_TIMEOUT_MS = 10_000;
/** The diagnostics channel on which fetch publishes each connection that it has made. */
const CONNECTED = 'undici:client:connected';

interface ClientOptions {
  readonly address: URL;
  readonly token?: string | undefined;
  /** How many milliseconds all requests together may take; undefined: 10 seconds for each, and no limit for a stream. */
  readonly timeoutMs?: number | undefined;
  /** Aborts all requests. */
  readonly signal?: AbortSignal;
}

/** The answer to `GET /api/pools`. Only the names of the pools are checked: another version of the library may have other fields. */
export interface Overview {
  readonly process: Readonly<Record<string, unknown>>;
  readonly pools: readonly PoolJson[];
}

export type PoolJson = { readonly name: string } & Readonly<Record<string, unknown>>;

export type Action = 'pause' | 'resume' | 'drain' | 'recycle';

export interface Change {
  readonly threads?: number | 'auto';
  readonly min?: number;
  readonly max?: number;
  readonly choose?: string;
  readonly placement?: string;
  readonly queueLimit?: number | null;
}

export type ControlClient = ReturnType<typeof openClient>;

export function openClient({ address, token: given, timeoutMs, signal }: ClientOptions) {
  const token = checkedToken(given);
  /** How many milliseconds an answer, or the beginning of a stream, may take. */
  const limitMs = timeoutMs ?? REQUEST_TIMEOUT_MS;
  /** The signals that end every request: the caller's, and the one that fires when the time for all requests is over. */
  const ends = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter(
    (each) => each !== undefined,
  );
  return {
    address,

    async overview(): Promise<Overview> {
      const value = await askJson('GET', 'api/pools');
      if (!hasPools(value)) throw notOurs(address, 'expected { "pools": [...] }');
      return { process: isRecord(value.process) ? value.process : {}, pools: value.pools };
    },

    pool: (name: string) => askPool('GET', pathOf(name)),
    change: (name: string, change: Change) => askPool('PATCH', pathOf(name), change),
    act: (name: string, action: Action) => askPool('POST', `${pathOf(name)}/${action}`),

    async health(): Promise<unknown> {
      const value = await askJson('GET', 'healthz');
      if (isRecord(value) && value.status === 'ok') return value;
      throw notOurs(address, 'expected { "status": "ok" }');
    },

    metrics: () => ask('GET', 'metrics', (response) => response.text()),

    /** Checks the answer: another server on the port must pass neither for a program that is ready nor for one that is not. */
    readiness() {
      const read = async (response: Response) => {
        const value = parsed(await response.text());
        if (hasPools(value) && value.ready === response.ok) return value;
        throw notOurs(address, 'expected { "ready": …, "pools": [...] }');
      };
      return ask('GET', 'readyz', read, { expected: 503 });
    },

    /** Yields events until the server ends the stream, or the caller stops reading. */
    async *events(name: string): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
      const accept = 'text/event-stream';
      const read = async ({ headers, body }: Response) => {
        if (headers.get('content-type')?.startsWith(accept) && body !== null) return body;
        throw notOurs(address, 'expected a stream of events');
      };
      const body = await ask('GET', `${pathOf(name)}/events`, read, { accept });
      try {
        for await (const { event, data } of serverSentEvents(body)) yield { event, data: parsed(data) };
      } catch (error) {
        if (error instanceof ControlError) throw error;
        if (!isTimeout(error)) throw lostConnection(address, error);
        // The stream has begun, so the program did answer: only the time is over.
        throw new ControlError(ExitCode.timedOut, `It did not end within ${formatDuration(limitMs)}.`);
      }
    },
  };

  async function askPool(method: string, path: string, body?: unknown): Promise<PoolJson> {
    const value = await askJson(method, path, body);
    if (!isPool(value)) throw notOurs(address, 'expected the statistics of a pool');
    return value;
  }

  function askJson(method: string, path: string, body?: unknown): Promise<unknown> {
    return ask(method, path, async (response) => parsed(await response.text()), { body });
  }

  /** @param read reads an answer with a status of 2xx, or with the `expected` status */
  async function ask<T>(
    method: string,
    path: string,
    read: (response: Response) => Promise<T>,
    {
      body,
      accept = 'application/json, */*',
      expected,
    }: { body?: unknown; accept?: string; expected?: number } = {},
  ): Promise<T> {
    const late = new AbortController();
    // The timer also keeps the process alive: fetch does not, where the connection ends before the request is written, and stays pending.
    const timer = setTimeout(
      () => late.abort(new DOMException('No answer in time', 'TimeoutError')),
      limitMs,
    );
    // On Node.js 20, fetch does not notice that a connection was closed before it could use it, and stays pending.
    const onConnected = (message: unknown): void => {
      if (!(message as { socket: Socket }).socket.destroyed) return;
      late.abort(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
    };
    subscribe(CONNECTED, onConnected);
    try {
      const response = await fetch(new URL(path, address), {
        method,
        headers: {
          accept,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.any([late.signal, ...ends]),
        // A redirect must not carry the token to another server.
        redirect: 'manual',
      });
      const { ok, status } = response;
      if (!ok && status !== expected) throw refusal(address, status, await response.text());
      return await read(response);
    } catch (error) {
      if (error instanceof ControlError) throw error;
      throw isTimeout(error) ? noAnswer(address, formatDuration(limitMs)) : unreachable(address, error);
    } finally {
      clearTimeout(timer);
      unsubscribe(CONNECTED, onConnected);
    }
  }

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw notOurs(address, 'expected JSON');
    }
  }
}

function pathOf(name: string): string {
  return `api/pools/${encodeURIComponent(name)}`;
}

function checkedToken(token: string | undefined): string | undefined {
  const trimmed = token?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new UsageError(
      'The token has characters that no token has: expected visible ASCII, without blanks.',
    );
  }
  return trimmed;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function hasPools(value: unknown): value is Readonly<Record<string, unknown>> & Pick<Overview, 'pools'> {
  return isRecord(value) && Array.isArray(value.pools) && value.pools.every(isPool);
}

function isPool(value: unknown): value is PoolJson {
  return isRecord(value) && typeof value.name === 'string';
}

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** How many characters an event may have: more than any snapshot of a pool has, so that a longer one comes from no control server. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** An event that has not ended when the stream does is dropped. */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let events: ServerSentEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ event, data }) => events.push({ event: event || 'message', data }),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw new RangeError(error.message);
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events;
    events = [];
  }
}
