/** How errors become answers: one shape, `{ error: { code, message } }`, whoever raised them. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, REQUEST_ERRORS, RequestError, type RequestErrorCode, show } from './errors.js';
import { CHANGES } from './openapi/schemas.js';

/** What fastify finds wrong with a request, in our words. */
const TRANSLATED: ReadonlyMap<unknown, readonly [RequestErrorCode, string]> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['ERR_CONTROL_BODY_TOO_LARGE', 'The body is too large']],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['ERR_CONTROL_MEDIA_TYPE', "A body has to be JSON, with 'Content-Type: application/json'"],
  ],
]);

interface Raised {
  readonly message: string;
  readonly code?: unknown;
  readonly statusCode?: unknown;
}

/** Resolves when the answer is on its way. */
export async function answerError(
  raised: unknown,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const error = asRequestError(raised);
  await dropRest(raw);
  reply.code(error.statusCode).headers(error.headers).send(errorBody(error.code, error.message));
}

/**
 * Reads what is left of the body and forgets it, for as long as a request may take: where a connection is closed before it
 * is read, a client that still sends may never see the answer.
 */
async function dropRest(request: IncomingMessage): Promise<void> {
  if (request.complete) return;
  request.resume();
  await finished(request, { writable: false }).catch(() => undefined); // it is gone: so nobody waits for the answer
}

export function asRequestError(raised: unknown): RequestError {
  if (raised instanceof RequestError) return raised;
  const { code, statusCode, message } = (raised ?? {}) as Partial<Raised>;
  const known = TRANSLATED.get(code);
  if (known !== undefined) return new RequestError(...known);
  const isClients = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return new RequestError(isClients ? 'ERR_CONTROL_REQUEST' : 'ERR_CONTROL_INTERNAL', String(message));
}

interface SchemaError {
  readonly keyword: string;
  /** JSON pointer. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly parentSchema?: { readonly description?: string };
}

/** What is wrong with the body of a change: names every unknown field, or says what was expected of the first wrong one. */
export function bodyError(errors: readonly SchemaError[]): RequestError {
  const known = Object.keys(CHANGES.properties).join(', ');
  const unknown = errors.filter(({ keyword }) => keyword === 'additionalProperties').map(pathOfUnknown);
  if (unknown.length > 0) {
    const names = [...new Set(unknown)].map(show).join(', ');
    return new RequestError('ERR_OPTION', `Unknown: ${names}. Known: ${known}`);
  }
  const wrong = deepest(errors);
  if (wrong === undefined) {
    return new RequestError('ERR_OPTION', `Expected a JSON object with some of ${known}`);
  }
  const expected = wrong.parentSchema?.description;
  return new RequestError('ERR_OPTION', `'${pathOf(wrong)}': expected ${expected}, got ${show(wrong.data)}`);
}

/** Of all that is wrong with one field, what says most: where there are alternatives, each of them is an error. */
function deepest(errors: readonly SchemaError[]): SchemaError | undefined {
  const fields = errors.filter(({ instancePath, parentSchema }) => instancePath && parentSchema?.description);
  return fields.toSorted((a, b) => b.instancePath.length - a.instancePath.length)[0];
}

function pathOf({ instancePath }: SchemaError): string {
  return instancePath.slice(1).replaceAll('/', '.');
}

function pathOfUnknown(error: SchemaError): string {
  const within = pathOf(error);
  const name = String(error.params.additionalProperty);
  return within === '' ? name : `${within}.${name}`;
}

/** A connection on which no request came that can be understood: there is nothing but the socket to answer on. */
export function answerOnSocket(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { code, message } = socketError(error.code);
  const status = REQUEST_ERRORS[code];
  const body = JSON.stringify(errorBody(code, message));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function socketError(code: string | undefined): { code: RequestErrorCode; message: string } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 'ERR_CONTROL_TIMEOUT', message: 'The request did not come to its end in time' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { code: 'ERR_CONTROL_HEADERS_TOO_LARGE', message: 'The headers are larger than 16 KiB' };
  return { code: 'ERR_CONTROL_REQUEST', message: 'This is no valid HTTP request' };
}
