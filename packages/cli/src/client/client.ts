/** Asks a program's control server: reads, changes, and its stream of events, with errors that say what to do. */
import { createParser } from 'eventsource-parser';
import { isRecord } from '../checks.js';
import { UsageError } from '../exit-code.js';
import { formatDuration } from '../format/figures.js';
import { ControlError, lostConnection, noAnswer, notOurs, refusal, unreachable } from './errors.js';

/** Longer than a busy main thread needs for a turn of its event loop. Milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface ClientOptions {
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

export interface PoolEvent {
  readonly event: string;
  readonly data: unknown;
}

export class ControlClient {
  readonly address: URL;
  readonly #token: string | undefined;
  readonly #timeoutMs: number | undefined;
  /** Of everything: what the caller ends, and the time for the whole. */
  readonly #signals: readonly AbortSignal[];

  constructor({ address, token, timeoutMs, signal }: ClientOptions) {
    this.address = address;
    this.#token = checkedToken(token);
    this.#timeoutMs = timeoutMs;
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
  async health(): Promise<unknown> {
    return this.#json('GET', 'healthz');
  }

  async readiness(): Promise<{ readonly isReady: boolean; readonly answer: unknown }> {
    const { ok, text } = await this.#ask('GET', 'readyz', undefined, [503]);
    return { isReady: ok, answer: this.#parsed(text) };
  }

  async metrics(): Promise<string> {
    return (await this.#ask('GET', 'metrics')).text;
  }

  /** Until the server ends it, or the caller stops reading. */
  async *events(name: string): AsyncGenerator<PoolEvent> {
    const response = await this.#open(`${pathOf(name)}/events`);
    try {
      for await (const { event, data } of serverSentEvents(response.body!)) {
        yield { event, data: this.#parsed(data) };
      }
    } catch (error) {
      if (error instanceof ControlError) throw error;
      if (!isTimeout(error)) throw lostConnection(this.address, error);
      // The stream has begun: it is not the program that is late.
      throw new ControlError('ERR_TIMEOUT', `It did not end within ${this.#limit}.`);
    }
  }

  /** A stream that has begun. Only its beginning has to come in time. */
  async #open(path: string): Promise<Response> {
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(timeout()), REQUEST_TIMEOUT_MS);
    try {
      const response = await this.#fetch('GET', path, opening.signal, 'text/event-stream');
      if (!response.ok) throw refusal(this.address, response.status, await response.text());
      if (!response.headers.get('content-type')?.startsWith('text/event-stream') || response.body === null) {
        throw notOurs(this.address, 'expected a stream of events');
      }
      return response;
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #pool(method: string, path: string, body?: unknown): Promise<PoolJson> {
    const value = await this.#json(method, path, body);
    if (!isPool(value)) throw notOurs(this.address, 'expected the statistics of a pool');
    return value;
  }

  async #json(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#parsed((await this.#ask(method, path, body)).text);
  }

  /** @param expected other statuses than 2xx that are answers, too */
  async #ask(
    method: string,
    path: string,
    body?: unknown,
    expected: readonly number[] = [],
  ): Promise<{ ok: boolean; text: string }> {
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs ?? REQUEST_TIMEOUT_MS);
      const response = await this.#fetch(method, path, signal, 'application/json, */*', body);
      const { ok, status } = response;
      const text = await response.text();
      if (!ok && !expected.includes(status)) throw refusal(this.address, status, text);
      return { ok, text };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #fetch(
    method: string,
    path: string,
    signal: AbortSignal,
    accept: string,
    body?: unknown,
  ): Promise<Response> {
    return fetch(new URL(path, this.address), {
      method,
      headers: {
        accept,
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, ...this.#signals]),
      // A token must not follow to wherever a stranger sends it.
      redirect: 'manual',
    });
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw notOurs(this.address, 'expected JSON');
    }
  }

  #failure(error: unknown): ControlError {
    if (error instanceof ControlError) return error;
    return isTimeout(error) ? noAnswer(this.address, this.#limit) : unreachable(this.address, error);
  }

  /** How long an answer may take, in words. */
  get #limit(): string {
    return formatDuration(this.#timeoutMs ?? REQUEST_TIMEOUT_MS);
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

function timeout(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
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

/** More than any snapshot of a pool: beyond it, what answers is no event stream. In characters. */
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
