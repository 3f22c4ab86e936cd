/** Asks a program's control server: reads, changes, and its stream of events, with errors that say what to do. */
import { createParser } from 'eventsource-parser';
import { isRecord } from '../checks.js';
import { ExitCode, UsageError } from '../exit-code.js';
import { formatDuration } from '../format/figures.js';
import { ControlError, lostConnection, noAnswer, notOurs, refusal, unreachable } from './errors.js';

/** Longer than a busy main thread needs for a turn of its event loop. Milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

interface ClientOptions {
  readonly address: URL;
  readonly token?: string | undefined;
  /** The most that all requests together may take; without it, each has 10 seconds, and a stream no limit. */
  readonly timeoutMs?: number | undefined;
  /** Ends everything that is under way. */
  readonly signal?: AbortSignal;
}

/** What `GET /api/pools` gives. Pools are as they came: another version may tell more, or less. */
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
  /** What ends every request: the caller, and the time for all of them. */
  const ends = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter(
    (each) => each !== undefined,
  );
  return {
    address,

    async overview(): Promise<Overview> {
      const value = await askJson('GET', 'api/pools');
      if (!isRecord(value) || !Array.isArray(value.pools) || !value.pools.every(isPool)) {
        throw notOurs(address, 'expected { "pools": [...] }');
      }
      return { process: isRecord(value.process) ? value.process : {}, pools: value.pools };
    },

    pool: (name: string) => askPool('GET', pathOf(name)),
    change: (name: string, change: Change) => askPool('PATCH', pathOf(name), change),
    act: (name: string, action: Action) => askPool('POST', `${pathOf(name)}/${action}`),
    /** The answer as it came, if it is JSON. */
    health: () => askJson('GET', 'healthz'),
    metrics: () => ask('GET', 'metrics', (response) => response.text()),

    readiness() {
      const read = async (response: Response) => ({
        isReady: response.ok,
        answer: parsed(await response.text()),
      });
      return ask('GET', 'readyz', read, { expected: 503 });
    },

    /** Until the server ends it, or the caller stops reading. */
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
        // The stream has begun: it is not the program that is late.
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

  /** @param read makes something of an answer: that is a status of 2xx, or the one that is `expected`, too */
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
    // It keeps the process, too: a connection that ends before the request was written leaves fetch waiting, and nothing else would.
    const timer = setTimeout(
      () => late.abort(new DOMException('No answer in time', 'TimeoutError')),
      limitMs,
    );
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
        // A token must not follow to wherever a stranger sends it.
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

function isPool(value: unknown): value is PoolJson {
  return isRecord(value) && typeof value.name === 'string';
}

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** More than any snapshot of a pool has: what sends a longer event is no control server. Characters. */
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
