/** How errors become answers: always `{ error: { code, message } }`, for errors of the pool, too. */
import { type IncomingMessage, type OutgoingHttpHeaders, STATUS_CODES } from 'node:http';
import { type Duplex, finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, REQUEST_ERRORS, RequestError, type RequestErrorCode } from './errors.js';

/** Errors that fastify and Node.js report, with our code and message. */
const TRANSLATED: ReadonlyMap<unknown, readonly [RequestErrorCode, string]> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['ERR_CONTROL_BODY_TOO_LARGE', 'The body is larger than 16 KiB']],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['ERR_CONTROL_MEDIA_TYPE', "A body has to be JSON, with 'Content-Type: application/json'"],
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['ERR_CONTROL_TIMEOUT', 'The request was not complete in time']],
  ['HPE_HEADER_OVERFLOW', ['ERR_CONTROL_HEADERS_TOO_LARGE', 'The headers are larger than 16 KiB']],
]);

/** Answers at once, even if the request has not been received whole. @param lingerMs see `Limits` */
export function answersErrors(lingerMs: number) {
  return (raised: unknown, { raw }: FastifyRequest, reply: FastifyReply): void => {
    const { code, message, statusCode, headers } = asRequestError(raised);
    reply.code(statusCode).headers(headers);
    if (raw.complete) reply.send(errorBody(code, message));
    else answerEarly(raw, reply, JSON.stringify(errorBody(code, message)), lingerMs);
  };
}

/**
 * Sends the whole answer, then reads and drops the rest of the body, and only then ends the answer: if the connection were closed
 * earlier, a client that still sends might never see the answer. Cuts the client off if it still sends after `lingerMs`.
 */
function answerEarly(request: IncomingMessage, reply: FastifyReply, body: string, lingerMs: number): void {
  reply.hijack();
  const { raw } = reply;
  reply.type('application/json; charset=utf-8').header('content-length', Buffer.byteLength(body));
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  raw.write(body);
  const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
  request.resume();
  finished(request, { writable: false }, () => {
    clearTimeout(timer);
    raw.end();
  });
}

function asRequestError(raised: unknown): RequestError {
  if (raised instanceof RequestError) return raised;
  const { code, statusCode, message } = (raised ?? {}) as Partial<Record<string, unknown>>;
  const known = TRANSLATED.get(code);
  if (known !== undefined) return new RequestError(...known);
  const isClients = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return new RequestError(isClients ? 'ERR_CONTROL_REQUEST' : 'ERR_CONTROL_INTERNAL', String(message));
}

/** Answers a request that could not be parsed: there is only the socket to write to. */
export function answerOnSocket(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = TRANSLATED.get(error.code) ?? [
    'ERR_CONTROL_REQUEST',
    'This is no valid HTTP request',
  ];
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
