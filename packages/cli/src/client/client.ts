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

interface AskOptions {
  readonly body?: unknown;
  readonly accept?: string;
  readonly expected?: number;
}

export class ControlClient {
  readonly address: URL;
  readonly #token: string | undefined;
  /** How many milliseconds an answer, or the beginning of a stream, may take. */
  readonly #limitMs: number;
  /** Signals that end every request: the caller's, and that of the time for all of them. */
  readonly #signals: readonly AbortSignal[];

  constructor({ address, token, timeoutMs, signal }: ClientOptions) {
    this.address = address;
    this.#token = checkedToken(token);
    this.#limitMs = timeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter(
      (each) => each !== undefined,
    );
  }

  async overview(): Promise<Overview> {
    const value = await this.#json('GET', 'api/pools');
    if (!isRecord(value) || !Array.isArray(value.pools) || !value.pools.every(isPool)) {
      throw notOurs(this.address, 'expected { "pools": [...] }');
    }
    return { process: isRecord(value.process) ? value.process : {}, pools: value.pools };
  }

  pool(name: string): Promise<PoolJson> {
    return this.#pool('GET', pathOf(name));
  }

  change(name: string, change: Change): Promise<PoolJson> {
    return this.#pool('PATCH', pathOf(name), change);
  }

  act(name: string, action: Action): Promise<PoolJson> {
    return this.#pool('POST', `${pathOf(name)}/${action}`);
  }

  /** As it came, if it is JSON. */
  health(): Promise<unknown> {
    return this.#json('GET', 'healthz');
  }

  readiness(): Promise<{ readonly isReady: boolean; readonly answer: unknown }> {
    const read = async (response: Response) => ({
      isReady: response.ok,
      answer: this.#parsed(await response.text()),
    });
    return this.#ask('GET', 'readyz', read, { expected: 503 });
  }

  metrics(): Promise<string> {
    return this.#ask('GET', 'metrics', (response) => response.text());
  }

  /** Until the server ends it, or the caller stops reading. */
  async *events(name: string): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
    const accept = 'text/event-stream';
    const read = async ({ headers, body }: Response) => {
      if (headers.get('content-type')?.startsWith(accept) && body !== null) return body;
      throw notOurs(this.address, 'expected a stream of events');
    };
    const body = await this.#ask('GET', `${pathOf(name)}/events`, read, { accept });
    try {
      for await (const { event, data } of serverSentEvents(body)) yield { event, data: this.#parsed(data) };
    } catch (error) {
      if (error instanceof ControlError) throw error;
      if (!isTimeout(error)) throw lostConnection(this.address, error);
      // The stream has begun: it is not the program that is late.
      throw new ControlError(ExitCode.timedOut, `It did not end within ${formatDuration(this.#limitMs)}.`);
    }
  }

  async #pool(method: string, path: string, body?: unknown): Promise<PoolJson> {
    const value = await this.#json(method, path, body);
    if (!isPool(value)) throw notOurs(this.address, 'expected the statistics of a pool');
    return value;
  }

  #json(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#ask(method, path, async (response) => this.#parsed(await response.text()), { body });
  }

  /** @param read makes something of an answer: that is a status of 2xx, or the one that is `expected`, too */
  async #ask<T>(
    method: string,
    path: string,
    read: (response: Response) => Promise<T>,
    { body, accept = 'application/json, */*', expected }: AskOptions = {},
  ): Promise<T> {
    const late = new AbortController();
    // It keeps the process, too: a connection that ends before the request was written leaves fetch waiting, and nothing else would.
    const timer = setTimeout(
      () => late.abort(new DOMException('No answer in time', 'TimeoutError')),
      this.#limitMs,
    );
    try {
      const response = await fetch(new URL(path, this.address), {
        method,
        headers: {
          accept,
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.any([late.signal, ...this.#signals]),
        // A token must not follow to wherever a stranger sends it.
        redirect: 'manual',
      });
      const { ok, status } = response;
      if (!ok && status !== expected) throw refusal(this.address, status, await response.text());
      return await read(response);
    } catch (error) {
      if (error instanceof ControlError) throw error;
      throw isTimeout(error)
        ? noAnswer(this.address, formatDuration(this.#limitMs))
        : unreachable(this.address, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw notOurs(this.address, 'expected JSON');
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
